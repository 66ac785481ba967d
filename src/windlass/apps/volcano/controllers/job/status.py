"""The status of a job: its pods counted, its phase with the moment and the reason, the list of its phases."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import cast

import msgspec

from windlass.apps.volcano.controllers.job import ledger, phases
from windlass.apps.volcano.controllers.job.durations import go_duration
from windlass.apps.volcano.controllers.job.job_state import VolcanoJobState
from windlass.apps.volcano.controllers.job.phases import Counts, Move
from windlass.apps.volcano.controllers.job.tasks import min_available
from windlass.apps.volcano.kinds.batch import Job, JobCondition, JobPhase, JobState, JobStatus, TaskState
from windlass.controllers.waiting_gangs import says_the_same
from windlass.kube import refusals
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.plan import Outcome

GROUP_PENDING, PODS_WAITING = "PodGroupPending", "PodsWaiting"
REFUSED = ("FailedCreate", "FailedUpdate", "FailedDelete")
KNOWN_PHASES = ("Pending", "Running", "Succeeded", "Failed")


def counted(current: VolcanoJobState, killed: Collection[str] = ()) -> Counts:
    """As it is once the pods named are killed."""
    totals: Counter[str] = Counter()
    by_task: dict[str, Counter[str]] = {}
    for member in current.members:
        if member.leaving or member.name in killed:
            totals["Terminating"] += 1
            continue
        phase = member.phase if member.phase in KNOWN_PHASES else "Unknown"
        totals[phase] += 1
        by_task.setdefault(member.task, Counter())[phase] += 1
    return Counts(
        pending=totals["Pending"],
        running=totals["Running"],
        succeeded=totals["Succeeded"],
        failed=totals["Failed"],
        unknown=totals["Unknown"],
        terminating=totals["Terminating"],
        tasks={task: dict(each) for task, each in by_task.items()},
    )


def renewed(
    current: VolcanoJobState,
    counts: Counts,
    phase: str,
    *,
    entries: Mapping[str, str] | None = None,
    reason: str = "",
    message: str = "",
) -> JobStatus:
    """The status with these counts, in this phase."""
    old = current.status
    status = msgspec.structs.replace(
        old,
        min_available=min_available(current.job),
        task_status_count={task: TaskState(phase=each) for task, each in counts.tasks.items()},
        pending=counts.pending,
        running=counts.running,
        succeeded=counts.succeeded,
        failed=counts.failed,
        unknown=counts.unknown,
        terminating=counts.terminating,
        controlled_resources=dict(old.controlled_resources if entries is None else entries),
    )
    if phase == current.phase and not reason:
        return status
    if not reason and current.phase in phases.ENDS:  # it has come to the end that was decided upon
        reason, message = old.state.reason, old.state.message
    return _entered(current.job, status, phase, reason, message, current.now)


def explained(status: JobStatus, group_waits: str, pod_waits: str, *, still_refused: bool = False) -> JobStatus:
    """A job says what of it is refused, why its gang waits while it is pending, or which of its pods cannot start."""
    state = status.state
    if still_refused and state.reason in REFUSED:
        return status
    if group_waits and state.phase == phases.PENDING:
        known = state.reason == GROUP_PENDING and says_the_same(state.message, group_waits)
        state = state if known else msgspec.structs.replace(state, reason=GROUP_PENDING, message=group_waits)
    elif pod_waits and state.phase in (phases.PENDING, phases.RUNNING):
        state = msgspec.structs.replace(state, reason=PODS_WAITING, message=pod_waits)
    elif state.reason in (GROUP_PENDING, PODS_WAITING, *REFUSED):
        state = msgspec.structs.replace(state, reason="", message="")
    return msgspec.structs.replace(status, state=state)


def refused(status: JobStatus, why: Sequence[Outcome]) -> JobStatus:
    """The status of a job of which something was refused."""
    told = msgspec.structs.replace(status.state, reason=refusals.reason_of(why[0]), message=refusals.explain(why[0]))
    return msgspec.structs.replace(status, state=told)


def killed(current: VolcanoJobState, move: Move, reason: str, message: str, retained: Collection[str]) -> JobStatus:
    """The status of a job that is killed whole; `retained` are pods that stay for inspection."""
    gone = {member.name for member in current.members if member.name not in retained}
    entries = ledger.made_by_job(current.status.controlled_resources)
    status = renewed(current, counted(current, gone), move.phase, entries=entries, reason=reason, message=message)
    return msgspec.structs.replace(
        status,
        version=status.version + 1,
        retry_count=status.retry_count + int(move.retries),
        running_duration=_age(current.job, current.now),
    )


def retried(status: JobStatus, move: Move) -> JobStatus:
    return msgspec.structs.replace(status, retry_count=status.retry_count + int(move.retries))


def _entered(job: Job, status: JobStatus, phase: str, reason: str, message: str, now: datetime) -> JobStatus:
    moment = timestamp(now)
    state = JobState(phase=cast(JobPhase, phase), reason=reason, message=message, last_transition_time=moment)
    earlier = [condition for condition in status.conditions if condition.status != phase]
    ends = phase in phases.FINISHED or phase == phases.ABORTED
    return msgspec.structs.replace(
        status,
        state=state,
        conditions=[*earlier, JobCondition(status=phase, last_transition_time=moment)],
        running_duration=_age(job, now) if ends else status.running_duration,
    )


def _age(job: Job, now: datetime) -> str:
    made = job.metadata.creation_timestamp
    whole = now.replace(microsecond=0)
    return go_duration(whole - parse_time(made)) if made else "0s"


def was_resumed(status: JobStatus) -> bool:
    """Whether a restart is that of a job that was aborted, whose ended pods stay."""
    before = [condition.status for condition in status.conditions[-2:-1]]
    return before in ([phases.ABORTED], [phases.ABORTING])
