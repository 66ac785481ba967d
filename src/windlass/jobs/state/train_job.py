"""A TrainJob as the commands about jobs see it: its pods are those of a JobSet of its name. Decides only."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from windlass.apis.jobset.names import JOBSET_NAME, REPLICATED_JOB_NAME
from windlass.apis.trainer.names import NODE
from windlass.kube.json import dig, dig_list

KIND = "TrainJob"
POD_INDEX = "batch.kubernetes.io/job-completion-index"
ENDS = ("Complete", "Failed")
Object = Mapping[str, Any]


def is_train_job(obj: Object) -> bool:
    return obj.get("kind") == KIND


def living_state(obj: Object) -> str:
    """Of one that has not ended and is not suspended, which has no condition: whether all pods of a step run."""
    steps = dig_list(obj, "status", "jobsStatus")
    if any(step.get("ready") for step in steps):
        return "Running"
    return "Created" if steps else "Pending"


def replicas(obj: Object, jobs: Iterable[Object], *, ended: bool) -> tuple[int, int]:
    """Pods that run (of a job that has ended: that succeeded), and all; steps, where its batch Jobs are not known."""
    mine, counted = list(jobs), "succeeded" if ended else "ready"
    if not mine:
        steps = dig_list(obj, "status", "jobsStatus")
        return sum(int(step.get(counted) or 0) for step in steps), len(steps)
    running = sum(int(dig(job, "status", counted) or 0) for job in mine)
    return running, sum(_parallelism(job) for job in mine)


def jobs_of(obj: Object, jobs: Iterable[Object]) -> list[Object]:
    """Those batch Jobs that its JobSet has made."""
    wanted = dig(obj, "metadata", "namespace"), dig(obj, "metadata", "name")
    return [job for job in jobs if _owner(job) == wanted]


def started(jobs: Iterable[Object]) -> str | None:
    """When its first batch Job was started."""
    times = [str(time) for job in jobs if (time := dig(job, "status", "startTime"))]
    return min(times, default=None)


def ended(obj: Object) -> str | None:
    for condition in dig_list(obj, "status", "conditions"):
        if condition.get("type") in ENDS and condition.get("status") == "True":
            return condition.get("lastTransitionTime")
    return None


def replica_name(labels: Mapping[str, str]) -> str:
    """`node-1`, `launcher`, `dataset-initializer`; empty for a pod of no JobSet."""
    step = labels.get(REPLICATED_JOB_NAME, "")
    return f"{step}-{labels[POD_INDEX]}" if step == NODE and POD_INDEX in labels else step


def container_of(replica: str) -> str:
    """The container of a step that has a log worth reading; an initializer's is called as the step."""
    return replica if replica.endswith("-initializer") else NODE


def gone_pods(obj: Object, events: Iterable[Object]) -> dict[str, str]:
    """Pods that it has had, and what to call them: their names end at random, so that only events have them."""
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
    told = dig(job, "spec", "parallelism")
    return 1 if told is None else int(told)
