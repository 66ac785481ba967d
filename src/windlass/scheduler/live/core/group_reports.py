"""The status and the events of pod groups: phase, counts, conditions. Decides when and what is written."""

from dataclasses import dataclass
from datetime import UTC, datetime

from windlass.apis.gang_waits import gang_wait
from windlass.apis.reason_text import admission_events, not_admitted_event
from windlass.apis.reasons import REASON_ANNOTATION, GangNotAdmitted, to_annotation
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_object, timestamp
from windlass.scheduler.framework.decisions import Trouble
from windlass.scheduler.live.core.effects import Clock, RecordEvent, ReportGroup, Turn
from windlass.scheduler.live.core.group_status import Count, status_of
from windlass.scheduler.model.gang_tasks import GroupKey
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.pod_groups import COMPONENTS, PodGroup

BATCH_SECONDS = 0.05
"""In which changes of a group's pods gather."""
GATHER_SECONDS = 1.0
"""That a gang may take to gather before it is reported that pods are missing."""

ALLOCATED_HYPER_NODE = "volcano.sh/job-allocated-hypernode"
"""Annotation of a PodGroup: the hyper node that all of it was placed in."""


@dataclass(frozen=True, slots=True)
class GroupReport:
    """What is to be written of a group now. `patch` is None where nothing is new."""

    key: GroupKey
    group: PodGroup
    trouble: Trouble | None
    gather_left: float
    """Seconds for which the trouble is not reported yet."""
    hyper_node: str
    patch: Json | None


class GroupReports:
    def __init__(self, gangs: Gangs) -> None:
        self._gangs = gangs
        self.troubles: dict[GroupKey, Trouble] = {}
        """Why groups wait, by the last cycle."""
        self._incomplete_since: dict[GroupKey, float] = {}
        self._warned: dict[GroupKey, str] = {}
        self._waits_since_cycle: dict[GroupKey, int] = {}
        """The cycle that left a group waiting; one that the next cycle places is not warned of."""
        self._newest = -1
        self._hyper_nodes: dict[GroupKey, str] = {}
        self.cycle = 0

    @property
    def has_news(self) -> bool:
        """The last cycle left a group waiting that did not wait before."""
        return self._newest == self.cycle

    # --- what happens to groups

    def changed(self, turn: Turn, key: GroupKey) -> None:
        """Changes gather, but not while the group waits for being admitted: its controller waits for that."""
        group = self._gangs.get(key)
        is_pending = group is not None and group.phase in ("", "Pending")
        turn.emit(ReportGroup(key, 0.0 if is_pending else BATCH_SECONDS))

    def settled(self, turn: Turn, group: PodGroup) -> None:
        """The group waits no more for what it waited for."""
        key = (group.kind, group.key)
        self.troubles.pop(key, None)
        turn.emit(ReportGroup(key))

    def ready(self, turn: Turn, group: PodGroup) -> None:
        """All that the group needs have nodes now."""
        key = (group.kind, group.key)
        for known in (self._incomplete_since, self._warned, self._waits_since_cycle):
            known.pop(key, None)
        turn.emit(RecordEvent(COMPONENTS[group.kind], group.obj, group.kind, "Scheduled", "pod group is ready"))
        turn.emit(ReportGroup(key))

    def placed_in(self, turn: Turn, group: PodGroup, hyper_node: str) -> None:
        """All of the group is in one hyper node."""
        self._hyper_nodes[group.kind, group.key] = hyper_node
        turn.emit(ReportGroup((group.kind, group.key)))

    def waits(self, turn: Turn, group: PodGroup, trouble: Trouble) -> None:
        key = (group.kind, group.key)
        self.troubles[key] = trouble
        if trouble.is_gathering:
            self._incomplete_since.setdefault(key, turn.now)
        else:
            self._incomplete_since.pop(key, None)
            if key not in self._waits_since_cycle:
                self._waits_since_cycle[key] = self._newest = self.cycle
        turn.emit(ReportGroup(key))

    def forget(self, key: GroupKey) -> None:
        """The group is gone, or set aside."""
        for known in (self.troubles, self._incomplete_since, self._warned, self._waits_since_cycle, self._hyper_nodes):
            known.pop(key, None)

    # --- what is written

    def report(self, key: GroupKey, clock: Clock) -> GroupReport | None:
        """What is to be written of a group; None: it is gone."""
        group = self._gangs.get(key)
        if group is None:
            self.forget(key)
            return None
        trouble = self._trouble(key)
        left = self._gather_left(key, trouble, clock.monotonic())
        place = self._hyper_nodes.get(key, "")
        patch = self._patch(group, trouble if left <= 0 else None, place, clock)
        return GroupReport(key, group, trouble, left, place, patch)

    def reported(self, turn: Turn, report: GroupReport, *, is_written: bool) -> bool:
        """Record the events of a report; `is_written` False: the group was gone, or had changed meanwhile.

        True: the pods of the gang are to be marked unschedulable, since others are missing.
        """
        key, trouble = report.key, report.trouble
        if is_written and self._hyper_nodes.get(key) == report.hyper_node:
            self._hyper_nodes.pop(key, None)
        if report.gather_left > 0:
            turn.emit(ReportGroup(key, report.gather_left))
        elif trouble is not None and self._waits_since_cycle.get(key) == self.cycle:
            turn.emit(ReportGroup(key, GATHER_SECONDS))
        elif trouble is not None:
            return self._warn(turn, key, report.group, trouble)
        return False

    def _trouble(self, key: GroupKey) -> Trouble | None:
        """Why its pods wait, if they still do."""
        if key in self.troubles and not self._gangs.still_waits(key):
            del self.troubles[key]
        return self.troubles.get(key)

    def _gather_left(self, key: GroupKey, trouble: Trouble | None, now: float) -> float:
        since = self._incomplete_since.get(key)
        if trouble is None or not trouble.is_gathering or since is None:
            return 0.0
        return since + GATHER_SECONDS - now

    def _warn(self, turn: Turn, key: GroupKey, group: PodGroup, trouble: Trouble) -> bool:
        """Emit the events, unless the last ones say the same but for amounts."""
        reason, component = trouble.reason, COMPONENTS[group.kind]
        refusals = admission_events(reason) if isinstance(reason, GangNotAdmitted) else []
        text = "; ".join(refusals) or trouble.message
        if self._warned.get(key) == text:
            return False
        self._warned[key] = text
        for refusal in refusals:
            turn.emit(RecordEvent(component, group.obj, group.kind, "Unschedulable", refusal))
        if isinstance(reason, GangNotAdmitted):
            queue = str(dig(group.obj, "spec", "queue") or "default")
            text = not_admitted_event(reason, queue, self._count(group).pods, group.min_member)
        turn.emit(RecordEvent(component, group.obj, group.kind, "Unschedulable", text, is_warning=True))
        return trouble.is_gathering

    def _patch(self, group: PodGroup, trouble: Trouble | None, place: str, clock: Clock) -> Json | None:
        status = status_of(
            group,
            self._count(group),
            admitted=self._gangs.is_admitted((group.kind, group.key)),
            trouble=trouble,
            now=timestamp(datetime.fromtimestamp(clock.wall(), UTC)),
            cycle=str(self.cycle),
        )
        annotations = _changed_annotations(group, trouble, status, place)
        if status == group.status and not annotations:
            return None
        removed = {name: None for name in group.status if name not in status}
        metadata: Json = {"resourceVersion": dig(group.obj, "metadata", "resourceVersion")}
        if annotations:
            metadata["annotations"] = annotations
        return {"metadata": metadata, "status": status | removed}

    def _count(self, group: PodGroup) -> Count:
        members, snapshot = self._gangs.members(group), self._gangs.cluster.snapshot
        return Count.of(members, {pod.metadata.uid for pod in members if snapshot.node_of(pod.metadata.uid)})


def _changed_annotations(group: PodGroup, trouble: Trouble | None, status: Json, hyper_node: str) -> Json:
    """The annotations to write, null for one to remove; none for a kind with /status, whose patch cannot change any."""
    if group.kind.status:
        return {}
    known, wanted = dig_object(group.obj, "metadata", "annotations"), dict[str, str | None]()
    if hyper_node:
        wanted[ALLOCATED_HYPER_NODE] = hyper_node
    if trouble is not None:
        wanted[REASON_ANNOTATION] = to_annotation(trouble.reason)
    elif gang_wait({"status": status}) is None:
        wanted[REASON_ANNOTATION] = None
    return {name: text for name, text in wanted.items() if known.get(name) != text}
