"""The status of a JobFlow, from its Jobs: which are in which phase, since when, and the flow's own phase. Pure."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.flow import (
    FlowCondition,
    FlowJobStatus,
    FlowPhase,
    FlowState,
    JobFlow,
    JobFlowStatus,
    JobRunningHistory,
)
from windlass.kube.json import timestamp

SUCCEED: FlowPhase = "Succeed"
LISTED = {
    "Pending": "pending_jobs",
    "Running": "running_jobs",
    "Failed": "failed_jobs",
    "Completed": "completed_jobs",
    "Terminated": "terminated_jobs",
}
ENDED = ("Completed", "Failed", "Terminated")
PASSING = ("Completing", "Terminating", "Restarting", "Aborting", "Aborted")
"""Phases that have no list of their own, and are known all the same."""


def status_of(flow: JobFlow, jobs: Sequence[Job], now: datetime) -> JobFlowStatus:
    lists: dict[str, list[str]] = {name: [] for name in (*LISTED.values(), "un_know_jobs")}
    for job in jobs:
        phase = job.status.state.phase or ""
        if phase not in PASSING:
            lists[LISTED.get(phase, "un_know_jobs")].append(job.metadata.name)
    return JobFlowStatus(
        **lists,
        job_status_list=_histories(flow, jobs, now),
        conditions={job.metadata.name: _condition(job) for job in jobs},
        state=FlowState(phase=_phase(lists, len({one.name for one in flow.spec.flows}))),
    )


def _phase(lists: dict[str, list[str]], flows: int) -> FlowPhase:
    """A job that was terminated will never complete, so the flow fails with it as with one that failed."""
    if lists["failed_jobs"] or lists["terminated_jobs"]:
        return "Failed"
    if flows and len(lists["completed_jobs"]) >= flows:
        return SUCCEED
    return "Running" if lists["running_jobs"] or lists["completed_jobs"] else "Pending"


def _condition(job: Job) -> FlowCondition:
    return FlowCondition(
        phase=job.status.state.phase or "",
        create_time=job.metadata.creation_timestamp,
        running_duration=job.status.running_duration,
        task_status_count=job.status.task_status_count,
    )


def _histories(flow: JobFlow, jobs: Sequence[Job], now: datetime) -> list[FlowJobStatus]:
    """Of every job that there was; those that are gone keep what was known of them."""
    known = {one.name: one for one in flow.status.job_status_list}
    fresh = {job.metadata.name: _history(known.get(job.metadata.name), job, now) for job in jobs}
    return list({**known, **fresh}.values())


def _history(before: FlowJobStatus | None, job: Job, now: datetime) -> FlowJobStatus:
    phase = job.status.state.phase or ""
    histories = list(before.running_histories) if before is not None else []
    if phase and (not histories or histories[-1].state != phase):
        if histories:
            histories[-1] = msgspec.structs.replace(histories[-1], end_timestamp=timestamp(now))
        histories.append(JobRunningHistory(start_timestamp=timestamp(now), state=phase))
    return FlowJobStatus(
        name=job.metadata.name,
        state=phase,
        start_timestamp=job.metadata.creation_timestamp,
        end_timestamp=_end(job),
        restart_count=job.status.retry_count,
        running_histories=histories,
    )


def _end(job: Job) -> str | None:
    state = job.status.state
    return state.last_transition_time if state.phase in ENDED else None
