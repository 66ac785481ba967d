"""Volcano Jobs of a profile in the recycle bin. No field stops them: a Command aborts them, and another resumes them.

A Job is marked with its phase before it is aborted. In some phases a Command has no effect, so that a Job gets another
one as long as it runs.
"""

import json
from collections.abc import Iterable

from windlass.apis.stops import BEFORE_DELETION
from windlass.apps.volcano.kinds.batch import GROUP_VERSION, Job
from windlass.apps.volcano.kinds.bus import Command, JobAction
from windlass.kube.meta import ObjectMeta, OwnerReference
from windlass.kube.plan import CreateUnowned, Patch

SUSPENDED = ("Aborting", "Aborted")
ENDED = ("Completing", "Completed", "Terminating", "Terminated", "Failed")


def stopping(jobs: Iterable[Job]) -> list[Patch | CreateUnowned]:
    """Mark and abort the Jobs that are neither suspended nor ended."""
    actions: list[Patch | CreateUnowned] = []
    for job in jobs:
        phase = job.status.state.phase
        if phase in ENDED:
            continue
        if BEFORE_DELETION not in job.metadata.annotations:
            actions.append(_mark(job, json.dumps(phase)))
        if phase not in SUSPENDED:
            actions.append(CreateUnowned(_command("AbortJob", job)))
    return actions


def restoring(jobs: Iterable[Job]) -> list[Patch | CreateUnowned]:
    """Resume the marked Jobs, except those that their user had suspended.

    The mark is removed last: a Job that is resumed twice runs on, one that is never resumed would be lost.
    """
    actions: list[Patch | CreateUnowned] = []
    for job in jobs:
        before = job.metadata.annotations.get(BEFORE_DELETION)
        if before is None:
            continue
        if before not in map(json.dumps, SUSPENDED) and job.status.state.phase not in ENDED:
            actions.append(CreateUnowned(_command("ResumeJob", job)))
        actions.append(_mark(job, None))
    return actions


def _mark(job: Job, phase: str | None) -> Patch:
    return Patch(job, {"metadata": {"annotations": {BEFORE_DELETION: phase}}})


def _command(action: JobAction, job: Job) -> Command:
    """A command of a fixed name, so that one which nobody has followed yet is not made twice."""
    metadata = job.metadata
    return Command(
        metadata=ObjectMeta(name=f"{metadata.name}-{action.lower()}-recycle-bin", namespace=metadata.namespace),
        action=action,
        target=OwnerReference(
            api_version=GROUP_VERSION, kind="Job", name=metadata.name, uid=metadata.uid, controller=True
        ),
    )
