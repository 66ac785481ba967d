"""What has happened to a job, read from what is there: no watch event is needed, so none can be missed.

A pod that was deleted by others is seen while it ends; one that is gone already is missed by the counts in the job's
status. Pods of an earlier version of the job, and those that the controller takes away itself, mean nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from windlass.apps.volcano.controllers.job import ledger
from windlass.apps.volcano.controllers.job.children.pod_group import version_of_group
from windlass.apps.volcano.controllers.job.job_state import Member, VolcanoJobState
from windlass.apps.volcano.controllers.job.tasks import NO_LIMIT, Task, pod_name
from windlass.apps.volcano.kinds.bus import Event
from windlass.kube.json import dig
from windlass.kube.meta import parse_time


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEvent:
    """An event, to which task and pod, and when. `cause` is the pod that shows it, where one is there."""

    event: Event
    since: datetime
    task: str = ""
    index: int | None = None
    pod: str = ""
    exit_code: int = 0
    cause: Member | None = None

    @property
    def in_words(self) -> str:
        about = self.pod or self.task
        code = f" with exit code {self.exit_code}" if self.exit_code else ""
        return f"{self.event}{f' of {about}' if about else ''}{code}"


def policy_events(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    """Everything that a policy may answer, what ends a job before what restarts it."""
    yield from _tasks_completed(current)
    yield from _tasks_failed(current)
    yield from _pods_failed(current)
    yield from _pods_evicted(current)
    yield from _group_unknown(current)
    yield from _updated(current)
    yield from _pods_pending(current)


def live(current: VolcanoJobState, task: Task) -> list[Member]:
    """Those whose state means something."""
    return [
        member
        for member in current.of_task(task)
        if current.is_current(member) and not member.leaving and not member.marked
    ]


def _of(member: Member, event: Event, since: datetime, exit_code: int = 0) -> PolicyEvent:
    return PolicyEvent(
        event=event,
        since=since,
        task=member.task,
        index=member.index,
        pod=member.name,
        exit_code=exit_code,
        cause=member,
    )


def _tasks_completed(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    for task in current.tasks:
        succeeded = [m for m in current.of_task(task) if m.phase == "Succeeded" and not m.leaving and not m.marked]
        fresh = [member for member in succeeded if current.is_current(member)]
        if fresh and len(succeeded) >= task.replicas:
            last = max(fresh, key=lambda member: (ended_at(member), member.index))
            yield _of(last, "TaskCompleted", ended_at(last))


def _tasks_failed(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    for task in current.tasks:
        active = [member for member in live(current, task) if member.phase in ("Pending", "Running")]
        if active and task.max_retry != NO_LIMIT and sum(map(_restarts, active)) >= task.max_retry:
            worst = max(active, key=lambda member: (_restarts(member), -member.index))
            yield _of(worst, "TaskFailed", ended_at(worst))


def _restarts(member: Member) -> int:
    status = member.pod.status
    return sum(each.restart_count for each in (*status.init_container_statuses, *status.container_statuses))


def _pods_failed(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    for task in current.tasks:
        for member in live(current, task):
            if member.phase == "Failed":
                yield _of(member, "PodFailed", ended_at(member), _exit_code(member))


def _exit_code(member: Member) -> int:
    """Of the first container."""
    statuses = member.pod.status.container_statuses
    return int(dig(statuses[0].state, "terminated", "exitCode") or 0) if statuses else 0


def _pods_evicted(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    remembered = ledger.evictions(current.status.controlled_resources)
    for task in current.tasks:
        for member in current.of_task(task):
            if member.leaving and not member.marked and current.is_current(member):
                yield _of(member, "PodEvicted", remembered.get(member.name, current.now))
        for index in missing(current, task):
            name = pod_name(current.job, task.name, index)
            since = remembered.get(name, current.now)
            yield PolicyEvent(event="PodEvicted", since=since, task=task.name, index=index, pod=name)
        yield from _remembered(current, task, remembered)


def _remembered(current: VolcanoJobState, task: Task, remembered: Mapping[str, datetime]) -> Iterator[PolicyEvent]:
    """Those deleted before, whose place is not running again."""
    here = {member.index: member for member in current.of_task(task)}
    gone = missing(current, task)
    for index in range(task.replicas):
        name, member = pod_name(current.job, task.name, index), here.get(index)
        waits = member is None or (member.phase == "Pending" and not member.leaving)
        if name in remembered and waits and index not in gone:
            yield PolicyEvent(event="PodEvicted", since=remembered[name], task=task.name, index=index, pod=name)


def missing(current: VolcanoJobState, task: Task) -> list[int]:
    """Places whose pods were counted the last time and are gone, without the controller having taken them away."""
    if current.phase not in ("Pending", "Running"):
        return []
    counted = current.status.task_status_count.get(task.name)
    present = {member.index for member in current.members if member.task == task.name}
    gone = sum(counted.phase.values()) - len(present) if counted is not None else 0
    absent = [index for index in range(task.replicas) if index not in present]
    return absent[: max(0, gone)]


def _group_unknown(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    group = current.group
    if group is None or group.status.phase != "Unknown" or version_of_group(group) < current.status.version:
        return
    if current.status.controlled_resources.get(ledger.GROUP) == ledger.UNKNOWN:
        return
    times = [c.last_transition_time for c in group.status.conditions if c.type == "Unschedulable"]
    told = [parse_time(time) for time in times if time]
    yield PolicyEvent(event="Unknown", since=max(told, default=current.now))


def _updated(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    entries = current.status.controlled_resources
    observed = entries.get(ledger.SCALE)
    if observed is not None and observed != ledger.scale_of(current.job):
        since = entries.get(ledger.UPDATED)
        yield PolicyEvent(event="JobUpdated", since=parse_time(since) if since else current.now)


def _pods_pending(current: VolcanoJobState) -> Iterator[PolicyEvent]:
    for task in current.tasks:
        for member in live(current, task):
            if member.phase == "Pending":
                made = member.pod.metadata.creation_timestamp
                yield _of(member, "PodPending", parse_time(made) if made else current.now)


def ended_at(member: Member) -> datetime:
    """When a pod's last container ended, as far as the pod's status shows it."""
    statuses = member.pod.status.container_statuses
    ends = [dig(one, "terminated", "finishedAt") for each in statuses for one in (each.state, each.last_state)]
    changes = [condition.last_transition_time for condition in member.pod.status.conditions]
    known = [str(end) for end in ends if end] or [change for change in changes if change]
    fallback = member.pod.metadata.creation_timestamp or "1970-01-01T00:00:00Z"
    return max(map(parse_time, known), default=parse_time(fallback))
