"""Jobs that are suspended and resumed with their JobSet.

While a set is suspended, its admission (Kueue) may write where its pods are to go; Jobs get it when they are resumed. A
Job takes such a change only as long as it has never started, so the start of one that had is forgotten first.
"""

from typing import TypeAlias

from windlass.apis.batch_v1 import Job
from windlass.apps.jobset.controllers.jobset_state import JobSetState, of
from windlass.apps.jobset.kinds import ReplicatedJob
from windlass.kube.json import Object, dig_list, dig_object
from windlass.kube.plan import Patch, PatchStatus

Change: TypeAlias = Patch | PatchStatus


def resting(current: JobSetState) -> list[Change]:
    return [Patch(job, {"spec": {"suspend": True}}) for job in current.active if not job.spec.suspend]


def going_on(current: JobSetState, replicated_jobs: list[ReplicatedJob]) -> list[Change]:
    """Resume the Jobs of these replicated jobs that are still suspended."""
    return [
        _resumed(job, replicated)
        for replicated in replicated_jobs
        for job in of(replicated, current.active)
        if job.spec.suspend and job.metadata.deletion_timestamp is None
    ]


def _resumed(job: Job, replicated: ReplicatedJob) -> Change:
    directives = _directives(job.spec.template, dig_object(replicated.template, "spec", "template"))
    if directives and job.status.start_time is not None:
        return PatchStatus(job, {"startTime": None})
    template = {"template": directives} if directives else {}
    return Patch(job, {"spec": {"suspend": False, **template}})


def _directives(template: Object, wanted: Object) -> Object:
    """What the set now says of labels, annotations and places and the Job does not; what others added stays."""
    changes: Object = {}
    for part, name in (("metadata", "labels"), ("metadata", "annotations"), ("spec", "nodeSelector")):
        there, asked = dig_object(template, part, name), dig_object(wanted, part, name)
        if not asked.items() <= there.items():
            changes.setdefault(part, {})[name] = {**there, **asked}
    for name in ("tolerations", "schedulingGates"):
        there, asked = dig_list(template, "spec", name), dig_list(wanted, "spec", name)
        if more := [one for one in asked if one not in there]:
            changes.setdefault("spec", {})[name] = [*there, *more]
    return changes
