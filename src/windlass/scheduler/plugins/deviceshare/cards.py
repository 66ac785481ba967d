"""Cards of nodes that pods share: whose is what, and which of them a pod would get. Pure.

Three ways, of which a configuration uses one: memory of a card (`gpu-memory`), whole cards (`gpu-number`), and parts of
cards as virtual ones (`vgpu-number`, `-memory`, `-cores`).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from windlass.apis.core_v1 import Node
from windlass.scheduler.model.amounts import A_NODE, A_POD, DEVICES, amounts_of, float_of, number_of_devices
from windlass.scheduler.model.pod_info import PodInfo

MEMORY, NUMBER = "volcano.sh/gpu-memory", "volcano.sh/gpu-number"
VGPU_NUMBER, VGPU_MEMORY, VGPU_CORES = "volcano.sh/vgpu-number", "volcano.sh/vgpu-memory", "volcano.sh/vgpu-cores"
UNHEALTHY, REGISTER = "volcano.sh/gpu-unhealthy-ids", "volcano.sh/node-vgpu-register"
INDEX, PREDICATE_TIME = "volcano.sh/gpu-index", "volcano.sh/predicate-time"
VGPU_IDS, VGPU_TO_ALLOCATE = "volcano.sh/vgpu-ids-new", "volcano.sh/devices-to-allocate"
VGPU_NODE, VGPU_TIME = "volcano.sh/vgpu-node", "volcano.sh/vgpu-time"

Mode = Literal["memory", "number", "vgpu"]
Policy = Literal["", "binpack", "spread"]
ASKED: Mapping[Mode, str] = {"memory": MEMORY, "number": NUMBER, "vgpu": VGPU_NUMBER}
"""What a pod asks for that is to be given cards."""
ALL_CORES = 100


class Take(NamedTuple):
    """A part of a card: MiB, and percent of its cores."""

    card: int
    memory: float
    cores: float = 0


class Want(NamedTuple):
    """One card, or a part: `memory` None is all of it, and nobody else may be there."""

    memory: float | None
    cores: float = 0


Ask = tuple[tuple[Want, ...], ...]
"""By container; each want of a container is for another card."""


@dataclass(slots=True)
class Card:
    """`most` pods may share it."""

    id: str
    memory: float
    most: float = math.inf
    kind: str = "NVIDIA"
    used: float = 0.0
    cores: float = 0.0
    pods: int = 0

    def has(self, want: Want) -> bool:
        if self.cores >= ALL_CORES or self.pods >= self.most:
            return False
        if want.memory is None or want.cores >= ALL_CORES:
            return self.pods == 0 and (want.memory or 0) <= self.memory
        return self.used + want.memory <= self.memory and self.cores + want.cores <= ALL_CORES

    def share(self, memory: float) -> float:
        """Which part of it would be in use."""
        return (self.used + memory) / self.memory if self.memory else 1.0


@dataclass(slots=True)
class Cards:
    """Those of one node."""

    cards: dict[int, Card]
    taken: dict[str, tuple[tuple[Take, ...], ...]] = field(default_factory=dict[str, "tuple[tuple[Take, ...], ...]"])
    """By the uid of the pod, and by container."""

    def plan(self, ask: Ask, policy: Policy = "") -> tuple[tuple[Take, ...], ...] | None:
        """Which cards it would get; None if they do not do. Of those that do the lowest, unless a policy says other."""
        found: list[tuple[Take, ...]] = []
        try:
            for wants in ask:
                takes = self._for_container(wants, policy)
                if takes is None:
                    return None
                found.append(takes)
                self._count(takes, 1)  # containers of a pod share cards with each other
        finally:
            for takes in found:
                self._count(takes, -1)
        return tuple(found)

    def _for_container(self, wants: Sequence[Want], policy: Policy) -> tuple[Take, ...] | None:
        takes: list[Take] = []
        for want in wants:
            number = next((at for at in self._order(policy) if self._free_for(at, want, takes)), None)
            if number is None:
                return None
            memory = self.cards[number].memory if want.memory is None else want.memory
            takes.append(Take(number, memory, want.cores))
        return tuple(takes)

    def _free_for(self, number: int, want: Want, takes: Iterable[Take]) -> bool:
        return self.cards[number].has(want) and all(take.card != number for take in takes)

    def _order(self, policy: Policy) -> list[int]:
        sign = {"binpack": -1, "spread": 1}.get(policy, 0)
        return sorted(self.cards, key=lambda at: (sign * self.cards[at].share(0), at))

    def take(self, uid: str, takes: tuple[tuple[Take, ...], ...]) -> None:
        self.give_back(uid)
        self.taken[uid] = takes
        for one in takes:
            self._count(one, 1)

    def give_back(self, uid: str) -> None:
        for one in self.taken.pop(uid, ()):
            self._count(one, -1)

    def _count(self, takes: Iterable[Take], sign: int) -> None:
        for take in takes:
            card = self.cards.get(take.card)
            if card is not None:
                card.used += sign * take.memory
                card.cores += sign * take.cores
                card.pods += sign


# --- what a node has


def cards_of(node: Node, mode: Mode) -> Cards | None:
    """None: it has none to share."""
    found = _registered(node) if mode == "vgpu" else _counted(node)
    return Cards(found) if found else None


def _counted(node: Node) -> dict[int, Card]:
    offers = node.status.capacity or node.status.allocatable
    number, memory = number_of_devices(offers, NUMBER), amounts_of({MEMORY: offers.get(MEMORY, 0)}, A_NODE)[MEMORY]
    unhealthy = {one.strip() for one in node.metadata.annotations.get(UNHEALTHY, "").split(",")}
    return {at: Card(str(at), memory / number) for at in range(number) if str(at) not in unhealthy}


def _registered(node: Node) -> dict[int, Card]:
    text = node.metadata.annotations.get(REGISTER, "")
    records = _as_json(text) if text.lstrip().startswith("[") else [one.split(",") for one in text.split(":") if one]
    found: dict[int, Card] = {}
    for at, record in enumerate(records):
        try:
            uuid, count, memory, kind, health = [str(one) for one in record[:5]]
            if health.lower() == "true":
                found[at] = Card(uuid, float_of(memory), float_of(count), kind)
        except ValueError:
            continue
    return found


def _as_json(text: str) -> list[list[Any]]:
    try:
        records = json.loads(text)
        return [[one.get(key, "") for key in ("id", "count", "devmem", "type", "health")] for one in records]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return []


# --- what a pod asks for, and has


def ask_of(pod: PodInfo, mode: Mode) -> Ask | None:
    asked = pod.requests.get(ASKED[mode], 0)
    if not asked:
        return None
    if mode == "memory":
        return ((Want(float(asked)),),)
    if mode == "number":
        return ((Want(None),) * min(asked, DEVICES + 1),)  # more than any node has
    return tuple(_virtual(container.resources) for container in pod.pod.spec.containers)


def _virtual(resources: Any) -> tuple[Want, ...]:
    """Memory that is not named is all of a card's."""
    given = {**(resources.requests or {}), **(resources.limits or {})}
    asked = amounts_of({name: given.get(name, 0) for name in (VGPU_NUMBER, VGPU_MEMORY, VGPU_CORES)}, A_POD)
    memory = float(asked[VGPU_MEMORY]) or None
    return (Want(memory, float(asked[VGPU_CORES])),) * min(asked[VGPU_NUMBER], DEVICES + 1)


def taken_by(pod: PodInfo, cards: Cards, mode: Mode) -> tuple[tuple[Take, ...], ...]:
    """What its annotations say that it was given."""
    annotations = pod.pod.metadata.annotations
    if mode == "vgpu":
        text = annotations.get(VGPU_IDS)
        return tuple(_decoded(one, cards) for one in text.split(";")) if text else ()
    found: list[Take] = []
    for one in annotations.get(INDEX, "").split(","):
        number = int(float_of(one, -1.0, maximum=DEVICES))
        if number in cards.cards:
            whole = cards.cards[number].memory
            found.append(Take(number, float(pod.requests.get(MEMORY, 0)) if mode == "memory" else whole))
    return (tuple(found),) if found else ()


def _decoded(text: str, cards: Cards) -> tuple[Take, ...]:
    numbers = {card.id: at for at, card in cards.cards.items()}
    found: list[Take] = []
    for record in text.split(":"):
        parts = record.split(",")
        if len(parts) == 4 and parts[0] in numbers:
            found.append(Take(numbers[parts[0]], float_of(parts[2]), float_of(parts[3])))
    return tuple(found)


def notes(node: str, cards: Cards, takes: tuple[tuple[Take, ...], ...], mode: Mode, now: float) -> dict[str, str]:
    """The annotations that say which cards are the pod's own."""
    if mode != "vgpu":
        ids = ",".join(str(take.card) for one in takes for take in one)
        return {INDEX: ids, PREDICATE_TIME: str(int(now * 1e9))}
    encoded = ";".join(
        "".join(
            f"{cards.cards[take.card].id},{cards.cards[take.card].kind},{take.memory:.0f},{take.cores:.0f}:"
            for take in one
        )
        for one in takes
    )
    return {VGPU_IDS: encoded, VGPU_TO_ALLOCATE: encoded, VGPU_NODE: node, VGPU_TIME: str(int(now))}
