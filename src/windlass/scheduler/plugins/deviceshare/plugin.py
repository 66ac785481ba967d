"""`deviceshare`: pods that share GPUs are given cards, named in annotations that are written with the binding."""

import numpy as np

from windlass.apis.reasons import NodeCause
from windlass.scheduler.framework.conf import DEVICE_MODES
from windlass.scheduler.framework.plugin import Arguments, Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.columns import Mask, Vector, column
from windlass.scheduler.model.jobs import NO_NOTES, Job, Status, Task
from windlass.scheduler.placing.shapes import Shape
from windlass.scheduler.plugins.deviceshare.cards import (
    ASKED,
    Ask,
    Cards,
    Mode,
    Policy,
    Take,
    ask_of,
    cards_of,
    notes,
    taken_by,
)

_MODES: dict[str, Mode] = {DEVICE_MODES[0]: "memory", DEVICE_MODES[1]: "number", DEVICE_MODES[2]: "vgpu"}
POLICY = "deviceshare.SchedulePolicy"
Takes = tuple[tuple[Take, ...], ...]


class DeviceShare(Plugin):
    NAME = "deviceshare"

    def __init__(self, arguments: Arguments) -> None:
        super().__init__(arguments)
        on: list[Mode] = [mode for name, mode in _MODES.items() if arguments.flag(name, False)]
        self._mode: Mode | None = on[0] if on else None
        self._policy: Policy = self._read_policy(arguments)
        self._weight = arguments.number("deviceshare.ScheduleWeight", 0)
        if arguments.flag("deviceshare.NodeLockEnable", False):
            arguments.warnings.append(f"{self.NAME}: deviceshare.NodeLockEnable: true is not followed")
        self._given: dict[str, Takes] = {}
        """What pods were given whose annotations do not show it yet, by uid."""

    def _read_policy(self, arguments: Arguments) -> Policy:
        given = arguments.text(POLICY)
        if given == "binpack":
            return "binpack"
        if given == "spread":
            return "spread"
        if given:
            arguments.warnings.append(f"{self.NAME}: {POLICY}: {given!r} is neither binpack nor spread")
        return ""

    def open(self, session: Session) -> None:
        self._session = session
        self._cards: dict[str, Cards | None] = {}
        self._fitting: dict[Ask, tuple[int, Mask, Vector]] = {}
        self._changed: list[str] = []
        """Nodes whose pods changed in this cycle."""
        table = session.cluster.snapshot.table
        self._seen = (table.epoch, len(table.changes))
        node_of = session.cluster.snapshot.node_of
        self._given = {uid: takes for uid, takes in self._given.items() if node_of(uid) is not None}

    # --- which nodes

    def one_at_a_time(self, shape: Shape, job: Job) -> bool:
        return self._mode is not None and shape.asks(column(ASKED[self._mode])) > 0

    def node_mask(self, task: Task) -> Mask | None:
        ask = self._ask(task)
        return self._inspect(ask)[0] if ask is not None else None

    def node_cause(self, task: Task) -> NodeCause:
        return NodeCause("CardsFull")

    def node_score(self, task: Task) -> Vector | None:
        ask = self._ask(task)
        if ask is None or not self._weight or not self._policy:
            return None
        shares = self._inspect(ask)[1]
        mask = self._inspect(ask)[0]
        return self._weight * 100 * np.where(mask, shares if self._policy == "binpack" else 1 - shares, 0)

    def _ask(self, task: Task) -> Ask | None:
        return ask_of(task.pod, self._mode) if self._mode is not None else None

    def _catch_up(self) -> None:
        """What is known of nodes whose pods have changed, or are supposed to have, is computed again."""
        table = self._session.cluster.snapshot.table
        epoch, at = self._seen
        self._seen = (table.epoch, len(table.changes))
        if epoch != table.epoch:
            self._cards.clear()
            self._fitting.clear()
            return
        for number in dict.fromkeys(table.changes[at:]):
            name = table.names[number]
            self._cards.pop(name, None)
            self._changed.append(name)

    def _inspect(self, ask: Ask) -> tuple[Mask, Vector]:
        """Which nodes have cards for it, and how full these would be; only nodes that changed are asked again."""
        self._catch_up()
        snapshot = self._session.cluster.snapshot
        known = self._fitting.get(ask)
        if known is None or len(known[1]) != len(snapshot.table):
            names = [node.name for node in snapshot.nodes]
            mask, shares = np.zeros(len(snapshot.table), dtype=np.bool_), np.zeros(len(snapshot.table))
        else:
            names, mask, shares = self._changed[known[0] :], known[1], known[2]
        for name in dict.fromkeys(name for name in names if name in snapshot.table.index):
            number, cards = snapshot.table.index[name], self._cards_of(name)
            takes = cards.plan(ask, self._policy) if cards is not None else None
            mask[number] = takes is not None
            if cards is not None and takes is not None:
                each = [cards.cards[take.card].share(take.memory) for one in takes for take in one]
                shares[number] = sum(each) / max(1, len(each))
        self._fitting[ask] = (len(self._changed), mask, shares)
        return mask.copy(), shares

    def _cards_of(self, name: str) -> Cards | None:
        if name not in self._cards:
            info = self._session.cluster.snapshot.node(name)
            cards = cards_of(info.node, self._mode) if info is not None and info.node and self._mode else None
            if cards is not None and info is not None and self._mode is not None:
                for uid, pod in info.pods.items():
                    takes = taken_by(pod, cards, self._mode) or self._given.get(uid, ())
                    cards.take(uid, takes)
            self._cards[name] = cards
        return self._cards[name]

    # --- which cards

    def placed(self, task: Task) -> None:
        ask = self._ask(task) if task.status is Status.ALLOCATED else None
        if ask is None or self._mode is None:
            return
        self._given.pop(task.uid, None)
        self._catch_up()
        cards = self._cards_of(task.node)
        takes = cards.plan(ask, self._policy) if cards is not None else None
        if cards is None or takes is None:
            return
        cards.take(task.uid, takes)
        self._given[task.uid] = takes
        task.notes = notes(task.node, cards, takes, self._mode, self._session.now)

    def removed(self, task: Task) -> None:
        """It waits again. One that is evicted, or only supposed to be gone, has its cards until it has ended."""
        if task.status is Status.PENDING and self._given.pop(task.uid, None) is not None:
            task.notes = NO_NOTES
