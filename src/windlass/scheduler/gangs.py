"""The groups that are there and who belongs to each: what gang decisions are made from. Bookkeeping, no I/O.

All of it is rebuilt from the caches. That a group was let in is also told by its phase, so a restart forgets nothing.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.scheduler import enqueue
from windlass.scheduler.gang import NOT_ENQUEUEABLE, Gang
from windlass.scheduler.group_status import Count, Trouble
from windlass.scheduler.groups import BY_SCHEDULER, VOLCANO, Group, Mark, mark_of, role_of
from windlass.scheduler.pod_info import PodInfo, requests_of
from windlass.scheduler.queue import SchedulingQueue
from windlass.scheduler.snapshot import Snapshot

HELD_FOR = 30.0  # seconds that room is kept for a group that was let in and whose pods are not there yet
GroupKey = tuple[Kind, Key]


@dataclass(slots=True)
class _Admitted:
    uid: str
    at: float


class Gangs:
    """`changed` hears of each group whose status may have to be told anew."""

    def __init__(
        self,
        snapshot: Snapshot,
        queue: SchedulingQueue,
        clock: Callable[[], float],
        changed: Callable[[GroupKey], None],
    ) -> None:
        self._snapshot, self._queue, self._clock, self._changed = snapshot, queue, clock, changed
        self._groups: dict[GroupKey, Group] = {}
        self._members: dict[Mark, dict[str, Pod]] = {}
        self._let_in: dict[GroupKey, _Admitted] = {}
        self.troubles: dict[GroupKey, Trouble] = {}

    # --- groups

    def put(self, kind: Kind, obj: Json) -> None:
        group = Group.of(kind, obj)
        key = (kind, group.key)
        self._groups[key] = group
        known = self._let_in.get(key)
        if known is not None and known.uid != group.uid:
            del self._let_in[key]
        needs_admission = kind == VOLCANO and group.min_resources is not None
        if key not in self._let_in and (not needs_admission or group.phase not in ("", "Pending")):
            self._let_in[key] = _Admitted(group.uid, self._clock())
        self._changed(key)

    def drop(self, kind: Kind, obj: Json) -> None:
        for known in (self._groups, self._let_in, self.troubles):
            known.pop((kind, key_of(obj)), None)

    def get(self, key: GroupKey) -> Group | None:
        return self._groups.get(key)

    def is_admitted(self, key: GroupKey) -> bool:
        return key in self._let_in

    # --- pods

    def see(self, pod: Pod) -> None:
        mark = mark_of(pod)
        if mark is not None:
            self._members.setdefault(mark, {})[pod.metadata.uid] = pod
            self._tell(mark)

    def lose(self, pod: Pod) -> None:
        mark = mark_of(pod)
        members = self._members.get(mark) if mark is not None else None
        if mark is None or members is None:
            return
        members.pop(pod.metadata.uid, None)
        if not members:
            del self._members[mark]
        self._tell(mark)

    def _tell(self, mark: Mark) -> None:
        for key, group in self._candidates(mark):
            if group is not None:
                self._changed(key)

    def _candidates(self, mark: Mark) -> list[tuple[GroupKey, Group | None]]:
        kinds = BY_SCHEDULER["scheduler-plugins" if mark[0] == "label" else "volcano"]
        return [((kind, mark[1]), self._groups.get((kind, mark[1]))) for kind in kinds]

    def group_of(self, pod: Pod) -> Group | None:
        """Of the kind that its scheduler prefers, else of the other one."""
        mark = mark_of(pod)
        kinds = BY_SCHEDULER[pod.spec.scheduler_name] if mark is not None else ()
        found = (self._groups.get((kind, mark[1])) for kind in kinds) if mark is not None else ()
        return next((group for group in found if group is not None), None)

    def members(self, group: Group) -> list[Pod]:
        """Its pods, whatever has become of them; not those that go by a group of the same name of another kind."""
        return [pod for pod in self._members.get(group.mark, {}).values() if self.group_of(pod) == group]

    def count(self, group: Group) -> Count:
        members = self.members(group)
        placed = {pod.metadata.uid for pod in members if self._snapshot.node_of(pod.metadata.uid) is not None}
        return Count.of(members, placed)

    def trouble(self, group: Group) -> Trouble | None:
        """Why its pods wait, if they still do."""
        key = (group.kind, group.key)
        found = self.troubles.get(key)
        if found is None or not self.is_admitted(key):
            return found
        gang = self._gang(group)
        if gang.needed and gang.waiting:
            return found
        del self.troubles[key]
        return None

    def _waits(self, pod: Pod) -> bool:
        return self._queue.get(pod.metadata.uid) is not None and self._snapshot.node_of(pod.metadata.uid) is None

    # --- deciding

    def gang_of(self, pod: PodInfo) -> Gang | None:
        """The gang that must be placed with this pod; None if the pod may be placed for itself."""
        mark = mark_of(pod.pod)
        if mark is None:
            return None
        group = self.group_of(pod.pod)
        if group is None:
            return Gang(mark, None, [pod], Counter())
        there = len(self._members.get(mark, ()))
        if there < group.min_member:  # too few in any case: spare the look at each, as one by one comes
            return Gang(mark, group, [pod], Counter({"": there - 1}), *self._admission(group))
        gang = self._gang(group)
        return gang if gang.needed or not gang.admitted else None

    def _gang(self, group: Group) -> Gang:
        members = self.members(group)
        found = (self._queue.get(each.metadata.uid) for each in members if self._waits(each))
        waiting = sorted((entry for entry in found if entry is not None), key=lambda entry: entry.order)
        held = Counter(role_of(each) for each in members if self._is_held(each))
        return Gang(group.mark, group, [entry.pod for entry in waiting], held, *self._admission(group))

    def _admission(self, group: Group) -> tuple[bool, str]:
        """Whether it was let in, and why not."""
        key = (group.kind, group.key)
        trouble = self.troubles.get(key)
        return key in self._let_in, trouble.message if trouble is not None and key not in self._let_in else ""

    def _is_held(self, pod: Pod) -> bool:
        """It has a node, or has done its part."""
        if pod.status.phase in ("Succeeded", "Failed"):
            return pod.status.phase == "Succeeded"
        return not pod.metadata.deletion_timestamp and self._snapshot.node_of(pod.metadata.uid) is not None

    # --- letting in

    @property
    def any_outside(self) -> bool:
        return len(self._let_in) < len(self._groups)

    def let_in(self) -> list[Group]:
        """The groups that may have their pods made from now on, first come first."""
        outside = sorted((g for k, g in self._groups.items() if k not in self._let_in), key=lambda g: g.age_order)
        if not outside:
            return []
        free = enqueue.idle(self._snapshot)
        for key, one in self._let_in.items():
            if key in self._groups:
                free.subtract(self._claim(self._groups[key], one))
        return [group for group in outside if self._try_to_let_in(group, free)]

    def _try_to_let_in(self, group: Group, free: Counter[str]) -> bool:
        key = (group.kind, group.key)
        wanted = enqueue.missing(group, self._allocated(group))
        short = enqueue.short_of(wanted, free)
        if short:
            trouble = Trouble(NOT_ENQUEUEABLE, enqueue.overused(short, wanted, free))
            if self.troubles.get(key) != trouble:
                self.troubles[key] = trouble
                self._changed(key)
            return False
        free.subtract(wanted)
        self._let_in[key] = _Admitted(group.uid, self._clock())
        self.troubles.pop(key, None)
        self._changed(key)
        return True

    def _claim(self, group: Group, admitted: _Admitted) -> dict[str, int]:
        """What is kept for a group that was let in, while that can lead to its running."""
        members = self.members(group)
        waits = any(map(self._waits, members))
        if not waits and (members or self._clock() - admitted.at > HELD_FOR):
            return {}
        return enqueue.missing(group, self._allocated(group))

    def _allocated(self, group: Group) -> Counter[str]:
        total: Counter[str] = Counter()
        for pod in self.members(group):
            if self._snapshot.node_of(pod.metadata.uid) is not None:
                total.update(requests_of(pod))
                total["pods"] += 1
        return total
