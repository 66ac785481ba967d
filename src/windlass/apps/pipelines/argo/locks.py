"""Locks that Workflows share: mutexes, and semaphores whose limit a ConfigMap has.

The status of each Workflow names the locks that it holds and waits for, so the table can be built again after a
restart. A holder gets all its locks at once or none, and waiters are served in one order for all locks: so the first
waiter never waits for another waiter, and no two of them can block each other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.meta import Key


class Lock(NamedTuple):
    """A lock, and how many may hold it at the same time."""

    name: str
    limit: int = 1


class Holder(NamedTuple):
    """A node of a Workflow, or the whole of it with an empty node. Holders are served in their order."""

    rank: tuple[int, str]
    """The negative priority of the Workflow, and when it was created."""
    workflow: Key
    node: str = ""


@dataclass
class LockTable:
    """Deterministic: what it grants follows from the requests in their order."""

    held: dict[str, set[Holder]] = field(default_factory=dict[str, set[Holder]])
    waiting: dict[Holder, tuple[Lock, ...]] = field(default_factory=dict[Holder, tuple[Lock, ...]])

    def acquire(self, holder: Holder, locks: Iterable[Lock]) -> bool:
        """Whether the holder has all the locks now; if not, it waits for them."""
        wanted = tuple(locks)
        if all(holder in self.held.get(lock.name, ()) for lock in wanted) or self._is_free(holder, wanted):
            for lock in wanted:
                self.held.setdefault(lock.name, set()).add(holder)
            self.waiting.pop(holder, None)
            return True
        self.waiting[holder] = wanted
        return False

    def _is_free(self, holder: Holder, wanted: tuple[Lock, ...]) -> bool:
        names = {lock.name for lock in wanted}
        if any(other < holder and names & {lock.name for lock in locks} for other, locks in self.waiting.items()):
            return False
        return all(len(self.held.get(lock.name, set()) - {holder}) < lock.limit for lock in wanted)

    def settle(self, workflow: Key, held: Mapping[str, Iterable[str]], waiting: Iterable[str]) -> set[Key]:
        """Keep what a Workflow holds (nodes by lock) and waits for (nodes), and release the rest.

        Returns the Workflows that wait for something that was released.
        """
        kept, waits = {name: set(nodes) for name, nodes in held.items()}, set(waiting)
        released: set[str] = set()
        for name in list(self.held):
            gone = {one for one in self.held[name] if one.workflow == workflow and one.node not in kept.get(name, ())}
            if gone:
                released.add(name)
                self.held[name] -= gone
            if not self.held[name]:
                del self.held[name]
        for holder in [one for one in self.waiting if one.workflow == workflow and one.node not in waits]:
            released |= {lock.name for lock in self.waiting.pop(holder)}
        return {holder.workflow for holder, locks in self.waiting.items() if released & {lock.name for lock in locks}}

    def load(self, workflow: Object) -> None:
        """Take over what the status of a Workflow says, after a restart."""
        for name, nodes in held_locks(dig_object(workflow, "status")).items():
            for node in nodes:
                self.held.setdefault(name, set()).add(holder_of(workflow, node))


def holder_of(workflow: Object, node: str) -> Holder:
    metadata = dig_object(workflow, "metadata")
    priority = dig(workflow, "spec", "priority")
    rank = (-priority if isinstance(priority, int) else 0, str(metadata.get("creationTimestamp") or ""))
    return Holder(rank, Key(str(metadata.get("namespace") or ""), str(metadata.get("name") or "")), node)


# --- the status, in Argo's form: `mutex` has one holder for each entry, `semaphore` a list of them


def lock_status(held: Mapping[str, Iterable[str]], waiting: Mapping[str, Iterable[str]]) -> Object:
    """The status of a Workflow that holds these locks and waits for those; nodes by the name of the lock."""
    made: Object = {}
    for field_name, holders in (("holding", held), ("waiting", waiting)):
        for lock, nodes in sorted(holders.items()):
            if "/Mutex/" in lock:
                entries: list[Object] = [{"mutex": lock, "holder": node} for node in sorted(nodes)]
                made.setdefault("mutex", {}).setdefault(field_name, []).extend(entries)
            else:
                entry: Object = {"semaphore": lock, "holders": sorted(nodes)}
                made.setdefault("semaphore", {}).setdefault(field_name, []).append(entry)
    return made


def held_locks(status: Object, field_name: str = "holding") -> dict[str, set[str]]:
    """Nodes by the name of the lock that they hold, as the status says."""
    holders: dict[str, set[str]] = {}
    for entry in dig_list(status, "synchronization", "mutex", field_name):
        holders.setdefault(str(dig(entry, "mutex")), set()).add(str(dig(entry, "holder") or ""))
    for entry in dig_list(status, "synchronization", "semaphore", field_name):
        holders.setdefault(str(dig(entry, "semaphore")), set()).update(str(node) for node in dig_list(entry, "holders"))
    return holders
