"""Who belongs to whom: the graph behind garbage collection, and its decisions. Pure: no server, no clock.

Every object is a node, under its uid. An owner that is named but was never seen is a virtual node: it may exist and not
have been read yet, so it must be looked up. Each change answers with `Work`: which nodes must be looked at with a view
to deleting them, and which are to let go of their dependents. What is then done with one follows from `decide`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from windlass.kube.api import Propagation
from windlass.kube.meta import OwnerReference

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"


@dataclass(frozen=True, slots=True)
class Identity:
    """Where an object is said to be. Of an owner only a reference may be known, in its dependent's namespace."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


@dataclass(slots=True, eq=False)
class Node:
    identity: Identity
    owners: tuple[OwnerReference, ...] = ()
    dependents: "set[Node] | None" = None  # made when the first comes: most objects have none
    virtual: bool = False
    deleting: bool = False
    foreground: bool = False
    """Being deleted, and waiting for its dependents to go first."""
    orphaning: bool = False

    def blocks(self, owner: "Node") -> bool:
        """Whether a foreground deletion of `owner` waits for this node."""
        return any(ref.uid == owner.identity.uid and ref.block_owner_deletion for ref in self.owners)


@dataclass(slots=True)
class Work:
    """Uids to look at, in order and each once."""

    delete: dict[str, None] = field(default_factory=dict[str, None])
    orphan: dict[str, None] = field(default_factory=dict[str, None])

    def enqueue(self, nodes: Iterable[Node]) -> None:
        self.delete.update((node.identity.uid, None) for node in nodes)


class Graph:
    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def get(self, uid: str) -> Node | None:
        return self._nodes.get(uid)

    def dependents(self, node: Node) -> list[Node]:
        return sorted(node.dependents or (), key=lambda dependent: dependent.identity.uid)

    def observe(
        self, identity: Identity, owners: Sequence[OwnerReference], *, deleting: bool, finalizers: Sequence[str]
    ) -> Work:
        """An object is there, or has changed."""
        work = Work()
        node = self._nodes.get(identity.uid)
        if node is None:
            node = self._nodes[identity.uid] = Node(identity)
        elif node.virtual:
            self._make_real(node, identity, work)
        self._set_owners(node, tuple(owners), work)
        node.deleting = deleting
        if deleting and FOREGROUND in finalizers and not node.foreground:
            node.foreground = True
            work.enqueue(self.dependents(node))
            work.enqueue([node])
        if deleting and ORPHAN in finalizers and not node.orphaning:
            node.orphaning = True
            work.orphan[identity.uid] = None
        return work

    def forget(self, uid: str) -> Work:
        """An object is gone: its dependents may be deleted too, and owners that waited for it may proceed."""
        work = Work()
        node = self._nodes.pop(uid, None)
        if node is None:
            return work
        for ref in node.owners:
            owner = self._nodes.get(ref.uid)
            if owner is not None:
                self._detach(node, owner)
                if owner.foreground:
                    work.enqueue([owner])
        work.enqueue(self.dependents(node))
        return work

    def _make_real(self, node: Node, identity: Identity, work: Work) -> None:
        """A virtual node turned out to exist. Those whose reference says it is elsewhere must be looked at again."""
        node.virtual = False
        node.identity = identity
        work.enqueue(d for d in self.dependents(node) if not self._agrees(d, node))

    def _set_owners(self, node: Node, owners: tuple[OwnerReference, ...], work: Work) -> None:
        if owners == node.owners:
            return
        wanted = {ref.uid for ref in owners}
        for ref in node.owners:
            owner = self._nodes.get(ref.uid)
            if owner is None:
                continue
            unblocked = owner.foreground and node.blocks(owner)
            if ref.uid not in wanted:
                self._detach(node, owner)
            if unblocked:
                work.enqueue([owner])
        lost_an_owner = {ref.uid for ref in node.owners} - wanted
        node.owners = owners
        for ref in owners:
            self._attach(node, ref, work)
        if lost_an_owner and owners:
            work.enqueue([node])

    def _attach(self, node: Node, ref: OwnerReference, work: Work) -> None:
        owner = self._nodes.get(ref.uid)
        if owner is None:
            guessed = Identity(ref.api_version, ref.kind, node.identity.namespace, ref.name, ref.uid)
            owner = self._nodes[ref.uid] = Node(guessed, virtual=True)
            work.enqueue([owner])
        owner.dependents = owner.dependents or set()
        owner.dependents.add(node)
        if owner.foreground or (not owner.virtual and not self._agrees(node, owner)):
            work.enqueue([node])

    def _agrees(self, node: Node, owner: Node) -> bool:
        """Whether the node's reference says where the owner really is."""
        said = next((ref for ref in node.owners if ref.uid == owner.identity.uid), None)
        actual = owner.identity
        return (
            said is not None
            and said.kind == actual.kind
            and said.name == actual.name
            and said.api_version.rpartition("/")[0] == actual.api_version.rpartition("/")[0]
            and actual.namespace in ("", node.identity.namespace)
        )

    def _detach(self, node: Node, owner: Node) -> None:
        if owner.dependents:
            owner.dependents.discard(node)
        if owner.virtual and not owner.dependents:
            self._nodes.pop(owner.identity.uid, None)


class OwnerState(Enum):
    SOLID = auto()
    """There, and not waiting for its dependents."""
    ABSENT = auto()
    """Not there, or another object has its name."""
    WAITING = auto()
    """Being deleted in the foreground: it waits for its dependents to go."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Nothing to do."""


@dataclass(frozen=True, slots=True)
class DropOwners:
    """It has another owner to live for: take the references to these uids off it."""

    uids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Delete:
    """No owner is left. `unblock`: it and a dependent wait for each other, so its references must not block first."""

    propagation: Propagation
    unblock: bool = False


Decision = Keep | DropOwners | Delete


def decide(
    owners: Sequence[OwnerReference],
    states: Mapping[str, OwnerState],
    finalizers: Sequence[str],
    dependents: Sequence[Node],
) -> Decision:
    """What becomes of an object, by the state of each of its owners."""
    by_state = {state: [ref for ref in owners if states[ref.uid] is state] for state in OwnerState}
    absent, waiting = by_state[OwnerState.ABSENT], by_state[OwnerState.WAITING]
    if not absent and not waiting:
        return Keep()
    if by_state[OwnerState.SOLID]:
        return DropOwners(frozenset(ref.uid for ref in (*absent, *waiting)))
    if waiting and dependents:
        return Delete("Foreground", unblock=any(dependent.foreground for dependent in dependents))
    if ORPHAN in finalizers:
        return Delete("Orphan")
    return Delete("Foreground" if FOREGROUND in finalizers else "Background")
