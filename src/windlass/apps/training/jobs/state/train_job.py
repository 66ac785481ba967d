"""TrainJobs as the job commands see them: their pods are those of a JobSet of the same name. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from windlass.apps.jobset.names import JOBSET_NAME, REPLICATED_JOB_NAME
from windlass.apps.trainer.names import NODE
from windlass.kube.json import dig, dig_list

KIND = "TrainJob"
POD_INDEX = "batch.kubernetes.io/job-completion-index"
ENDS = ("Complete", "Failed")
Object = Mapping[str, Any]


def is_train_job(obj: Object) -> bool:
    return obj.get("kind") == KIND


def active_state(obj: Object) -> str:
    """The state of a TrainJob that is neither finished nor suspended: whether all pods of a step run."""
    steps = dig_list(obj, "status", "jobsStatus")
    if any(step.get("ready") for step in steps):
        return "Running"
    return "Created" if steps else "Pending"


def replicas(obj: Object, jobs: Iterable[Object], *, ended: bool) -> tuple[int, int]:
    """Running (for an ended job: succeeded) pods, and all; steps, if the batch Jobs are not known."""
    mine, counted = list(jobs), "succeeded" if ended else "ready"
    if not mine:
        steps = dig_list(obj, "status", "jobsStatus")
        return sum(int(step.get(counted) or 0) for step in steps), len(steps)
    running = sum(int(dig(job, "status", counted) or 0) for job in mine)
    return running, sum(_parallelism(job) for job in mine)


def jobs_of(obj: Object, jobs: Iterable[Object]) -> list[Object]:
    """The batch Jobs of its JobSet."""
    wanted = dig(obj, "metadata", "namespace"), dig(obj, "metadata", "name")
    return [job for job in jobs if _owner(job) == wanted]


def started(jobs: Iterable[Object]) -> str | None:
    """The start time of its first batch Job."""
    times = [str(time) for job in jobs if (time := dig(job, "status", "startTime"))]
    return min(times, default=None)


def ended(obj: Object) -> str | None:
    for condition in dig_list(obj, "status", "conditions"):
        if condition.get("type") in ENDS and condition.get("status") == "True":
            return condition.get("lastTransitionTime")
    return None


def replica_name(labels: Mapping[str, str]) -> str:
    """`node-1`, `launcher`, `dataset-initializer`; empty for a pod that is in no JobSet."""
    step = labels.get(REPLICATED_JOB_NAME, "")
    return f"{step}-{labels[POD_INDEX]}" if step == NODE and POD_INDEX in labels else step


def container_of(replica: str) -> str:
    """The main container of a step; an initializer's has the name of the step."""
    return replica if replica.endswith("-initializer") else NODE


def deleted_pods(obj: Object, events: Iterable[Object]) -> dict[str, str]:
    """Former pods and their replica names. Pod names have a random suffix, so they are read from events."""
    name, created = str(dig(obj, "metadata", "name")), str(dig(obj, "metadata", "creationTimestamp"))
    steps = "|".join(re.escape(str(step.get("name"))) for step in dig_list(obj, "status", "jobsStatus"))
    pattern = re.compile(rf"{re.escape(name)}-({steps})-\d+-(\d+)-[a-z0-9]{{5}}")
    found: dict[str, str] = {}
    for event in events:
        pod = pattern.fullmatch(str(dig(event, "involvedObject", "name")))
        is_pod = dig(event, "involvedObject", "kind") == "Pod"
        if pod is not None and is_pod and str(event.get("lastTimestamp") or "") >= created:
            found[pod[0]] = replica_name({REPLICATED_JOB_NAME: pod[1], POD_INDEX: pod[2]})
    return found


def _owner(job: Object) -> tuple[object, object]:
    return dig(job, "metadata", "namespace"), dig(job, "metadata", "labels", JOBSET_NAME)


def _parallelism(job: Object) -> int:
    parallelism = dig(job, "spec", "parallelism")
    return 1 if parallelism is None else int(parallelism)
