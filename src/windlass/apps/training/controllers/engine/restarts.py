"""How often a job has been started again, counted over its life, and what may be started once more.

The count is an annotation of the job, so that it outlives the controller and the pods. It is written before a pod is
deleted, with the uids of those that are to go: a later reconcile deletes them and does not count them again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from windlass.apps.training.controllers.engine.members import Member, Roster
from windlass.apps.training.job import OURS, Job
from windlass.kube.json import Object, encode
from windlass.kube.meta import Struct

COUNT = f"{OURS}restarts"
WHOLE_JOB = f"{OURS}restart-whole-job"
OUT_OF_MEMORY_TRIES = 3
"""How often a replica that was killed for its memory is tried again where no backoffLimit says it."""


class Restarts(Struct):
    """`recreated`: pods replaced. `gone`: in-place restarts of pods that are gone. `in_place`: all of those at the last
    replacement. `out_of_memory`: replacements after an OOMKilled. `pods`: uids of those that are being replaced."""

    recreated: int = 0
    gone: int = 0
    in_place: int = 0
    out_of_memory: int = 0
    pods: list[str] = []


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the job cannot continue: how, and through which pods."""

    members: Sequence[Member]
    limit: bool = False
    """Whether it is the backoffLimit that ends it."""


def read(job: Job) -> Restarts:
    written = job.annotations.get(COUNT)
    if not written:
        return Restarts()
    try:
        return msgspec.json.decode(written, type=Restarts)
    except (msgspec.MsgspecError, RecursionError):  # a user has edited it: better to count from zero than to stop
        return Restarts()


def as_patch(restarts: Restarts) -> Object:
    return {"metadata": {"annotations": {COUNT: encode(restarts).decode()}}}


def restarts_whole_job(job: Job) -> bool:
    return job.annotations.get(WHOLE_JOB) == "true"


def in_place(restarts: Restarts, roster: Roster) -> int:
    """In-place restarts over the job's life."""
    return restarts.gone + sum(member.restarts for member in roster if member.uid not in restarts.pods)


def failed_now(restarts: Restarts, roster: Roster) -> list[Member]:
    """Pods that failed and that nothing has been decided about."""
    return [member for member in roster if member.state == "failed" and member.uid not in restarts.pods]


def failure(job: Job, restarts: Restarts, roster: Roster) -> Failure | None:
    """What ends the job, if anything does."""
    failed = failed_now(restarts, roster)
    lost = [m for m in failed if not is_retryable(m, job) and not job.framework.tolerates_failure(job, m.replica.type)]
    if lost:
        return Failure(lost)
    limit, again = job.policy.backoff_limit, to_replace(job, restarts, roster)
    total = in_place(restarts, roster)
    if limit is not None:
        if total > restarts.in_place and restarts.recreated + total >= max(limit, 1):
            return Failure([m for m in roster if m.restarts], limit=True)
        cost = 1 if restarts_whole_job(job) else len(again)
        if again and restarts.recreated + total + cost > limit:
            return Failure(failed, limit=True)
    elif restarts.out_of_memory >= OUT_OF_MEMORY_TRIES:
        starved = [m for m in again if is_out_of_memory(m) and m.replica.restart_policy == "ExitCode"]
        return Failure(starved) if starved else None
    return None


def to_replace(job: Job, restarts: Restarts, roster: Roster) -> list[Member]:
    """Pods that failed and should be recreated."""
    failed = [member for member in failed_now(restarts, roster) if is_retryable(member, job)]
    if failed and restarts_whole_job(job):
        return [member for member in roster if member.uid not in restarts.pods]
    return failed


def counted(
    job: Job, restarts: Restarts, roster: Roster, again: Sequence[Member], *, recreated: int | None = None
) -> Restarts:
    """The count once `again` are decided to go; `recreated` says how many of them count as replaced, if not all."""
    if recreated is None:
        recreated = 1 if restarts_whole_job(job) else len(again)
    present = {member.uid for member in roster}
    starved = sum(is_out_of_memory(member) for member in again)
    return Restarts(
        recreated=restarts.recreated + recreated,
        gone=restarts.gone + sum(member.restarts for member in again),
        in_place=in_place(restarts, roster),
        out_of_memory=restarts.out_of_memory + starved,
        pods=[*(uid for uid in restarts.pods if uid in present), *(member.uid for member in again)],
    )


def is_retryable(member: Member, job: Job) -> bool:
    """Whether the role's policy lets a failed pod be recreated."""
    code = member.end.get("exitCode")
    match member.replica.restart_policy:
        case "Never":
            return False
        case "ExitCode":
            return not code or code >= 128 or member.deleting
        case _:
            return True


def is_out_of_memory(member: Member) -> bool:
    return member.end.get("reason") == "OOMKilled"
