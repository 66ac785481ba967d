"""What a ScheduledWorkflow and the Workflows of its runs say, as records. Pure.

The status records each slot twice. Before its run is started, `lastTriggeredTime` and `nextTriggeredTime` are both the
slot: the run is being started. Afterwards `nextTriggeredTime` is the slot that follows. So a process that is killed in
between leaves behind which run it was starting; if that has no Workflow, it is started again under the same id.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from windlass.apps.pipelines.kinds.scheduled_workflow import CronSchedule, PeriodicSchedule, ScheduledWorkflow
from windlass.apps.pipelines.model import NOT_YET, Trigger
from windlass.apps.pipelines.names import (
    COMPLETED_LABEL,
    PHASE_LABEL,
    RUN_ID_LABEL,
    SCHEDULED_AT_LABEL,
    SCHEDULED_INDEX_LABEL,
)
from windlass.apps.pipelines.schedules.cron import MAX_TIME
from windlass.apps.pipelines.schedules.due import check
from windlass.apps.pipelines.schedules.naming import run_id, run_name
from windlass.kube.json import Object, timestamp
from windlass.kube.meta import PartialObjectMetadata, Time, parse_time

LAST_TRIGGERED, NEXT_TRIGGERED, LAST_INDEX = "lastTriggeredTime", "nextTriggeredTime", "lastWorkflowIndex"
DEFAULT_CONCURRENCY = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the slots of a schedule have been triggered, as `status.trigger` records it."""

    last_slot: float | None = None
    next_slot: float | None = None
    last_index: int = 0

    @property
    def is_starting(self) -> bool:
        """Whether the run of the last slot is recorded as being started."""
        if self.last_slot is None or self.next_slot is None or not self.last_index:
            return False
        return self.next_slot <= self.last_slot

    def to_json(self) -> Object:
        written: Object = {LAST_INDEX: self.last_index} if self.last_index else {}
        if self.last_slot is not None:
            written[LAST_TRIGGERED] = time_text(self.last_slot)
        if self.next_slot is not None:
            written[NEXT_TRIGGERED] = time_text(self.next_slot)
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """The Workflow of a run that a schedule started."""

    name: str
    namespace: str
    uid: str
    index: int
    scheduled_at: float
    created_at: Time
    phase: str
    is_finished: bool


def read_trigger(schedule: ScheduledWorkflow, zone: tzinfo = UTC) -> Trigger:
    """The trigger of the spec. Raises ValueError, naming the field, if it cannot be followed."""
    cron, periodic = schedule.spec.trigger.cron_schedule, schedule.spec.trigger.periodic_schedule
    if cron is not None and periodic is not None:
        raise ValueError("spec.trigger: cronSchedule and periodicSchedule exclude each other")
    if cron is not None:
        return _checked("spec.trigger.cronSchedule", cron, Trigger(cron=cron.cron or " "), zone)
    if periodic is not None:
        interval = periodic.interval_second
        if interval < 1:
            raise ValueError(f"spec.trigger.periodicSchedule.intervalSecond: {interval} is less than one second")
        return _checked("spec.trigger.periodicSchedule", periodic, Trigger(interval_seconds=interval), zone)
    return Trigger()


def _checked(path: str, bounds: CronSchedule | PeriodicSchedule, trigger: Trigger, zone: tzinfo) -> Trigger:
    try:
        check(trigger, zone)
    except ValueError as bad:
        raise ValueError(f"{path}.{bad}") from None
    return Trigger(
        cron=trigger.cron,
        interval_seconds=trigger.interval_seconds,
        start_time=_bound(f"{path}.startTime", bounds.start_time),
        end_time=_bound(f"{path}.endTime", bounds.end_time),
    )


def _bound(path: str, text: str | None) -> float:
    if not text:
        return NOT_YET
    moment = _seconds(text)
    if moment is None:
        raise ValueError(f"{path}: {text!r} is not a time")
    return moment


def max_concurrency_of(schedule: ScheduledWorkflow) -> int:
    limit = schedule.spec.max_concurrency
    return DEFAULT_CONCURRENCY if limit is None else limit


def created_at(schedule: ScheduledWorkflow) -> float:
    return _seconds(schedule.metadata.creation_timestamp or "") or NOT_YET


def read_progress(schedule: ScheduledWorkflow) -> Progress:
    """What cannot be read counts as not triggered: the ids of runs keep slots from being started twice."""
    written = schedule.status.trigger
    index = written.get(LAST_INDEX)
    return Progress(
        last_slot=_seconds(written.get(LAST_TRIGGERED)),
        next_slot=_seconds(written.get(NEXT_TRIGGERED)),
        last_index=index if isinstance(index, int) and index > 0 else 0,
    )


def runs_of(schedule: ScheduledWorkflow, workflows: Iterable[PartialObjectMetadata]) -> list[ScheduledRun]:
    """The runs of this schedule, by index; those of another with the same name, which is gone, are left out."""
    runs = [run for workflow in workflows if (run := _run_of(schedule, workflow)) is not None]
    return sorted(runs, key=lambda run: (run.index, run.name))


def _run_of(schedule: ScheduledWorkflow, workflow: PartialObjectMetadata) -> ScheduledRun | None:
    metadata, uid = workflow.metadata, schedule.metadata.uid
    index, slot = _number(metadata.labels, SCHEDULED_INDEX_LABEL), _number(metadata.labels, SCHEDULED_AT_LABEL)
    if metadata.labels.get(RUN_ID_LABEL) != run_id(uid, run_name(schedule.metadata.name, uid, index)):
        return None
    return ScheduledRun(
        name=metadata.name,
        namespace=metadata.namespace,
        uid=metadata.uid,
        index=index,
        scheduled_at=min(float(slot), MAX_TIME),
        created_at=metadata.creation_timestamp or "",
        phase=metadata.labels.get(PHASE_LABEL, ""),
        is_finished=metadata.labels.get(COMPLETED_LABEL) == "true",
    )


def _number(labels: dict[str, str], label: str) -> int:
    text = labels.get(label, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def time_text(moment: float) -> Time:
    return timestamp(datetime.fromtimestamp(moment, UTC))


def _seconds(text: object) -> float | None:
    """The whole second of a time as text; None for what is none."""
    try:
        return float(int(parse_time(text).timestamp())) if isinstance(text, str) and text else None
    except ValueError:
        return None
