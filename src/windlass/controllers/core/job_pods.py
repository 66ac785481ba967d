"""New pods of a Job: as its template says, with the finalizer that tracks them and, in an indexed Job, their index."""

from collections.abc import Collection, Iterator
from hashlib import blake2b
from itertools import islice
from typing import Any

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Json, Pod
from windlass.controllers.core.job_crew import INDEX, INDEX_FAILURES, INDEX_IGNORED_FAILURES, TRACKING, number_in
from windlass.controllers.core.job_policies import ruling
from windlass.controllers.core.pod_from_template import ALPHABET, LONGEST_BASE, SUFFIX, pod_from_template

INDEX_VARIABLE = "JOB_COMPLETION_INDEX"


def plain_pods(job: Job, count: int, taken: Collection[str]) -> list[Json]:
    base = f"{job.metadata.name}-"
    return [_pod(job, name, base) for name in islice(_names(base, job, taken), count)]


def indexed_pod(job: Job, index: int, replaced: Pod | None, taken: Collection[str]) -> Json:
    """The pod of an index; `replaced` is the failed one whose place it takes."""
    base = _indexed_base(job.metadata.name, index)
    pod = _pod(job, next(_names(base, job, taken)), base)
    metadata: Json = pod["metadata"]
    metadata["labels"] = {**metadata.get("labels", {}), INDEX: str(index)}
    metadata["annotations"] = {**metadata.get("annotations", {}), INDEX: str(index), **_failures(job, replaced)}
    spec: Json = {**pod["spec"], "hostname": f"{job.metadata.name}-{index}"}
    for field in ("initContainers", "containers"):
        if spec.get(field):
            spec[field] = [_knowing_its_index(container) for container in spec[field]]
    return {**pod, "spec": spec}


def _pod(job: Job, name: str, base: str) -> Json:
    pod = pod_from_template(job.spec.template, name, base, job.metadata.namespace)
    finalizers: list[str] = pod["metadata"].get("finalizers") or []
    pod["metadata"]["finalizers"] = [*(other for other in finalizers if other != TRACKING), TRACKING]
    return pod


def _indexed_base(job_name: str, index: int) -> str:
    ending = f"-{index}-"
    return job_name[: LONGEST_BASE - len(ending)] + ending


def _names(base: str, job: Job, taken: Collection[str]) -> Iterator[str]:
    """Free names without end, the same while the Job is at the same version: asked twice, a pod is made once."""
    seed, number = f"{base}/{job.metadata.uid}/{job.metadata.resource_version}", 0
    while True:
        digest = blake2b(f"{seed}/{number}".encode(), digest_size=SUFFIX * 2).digest()
        letters = (ALPHABET[int.from_bytes(digest[at : at + 2]) % len(ALPHABET)] for at in range(0, len(digest), 2))
        name = base[:LONGEST_BASE] + "".join(letters)
        if name not in taken:
            yield name
        number += 1


def _failures(job: Job, replaced: Pod | None) -> dict[str, str]:
    if job.spec.backoff_limit_per_index is None:
        return {}
    if replaced is None:
        return {INDEX_FAILURES: "0"}
    counts = ruling(job.spec.pod_failure_policy, replaced).counts
    counted = number_in(replaced, INDEX_FAILURES) + counts
    ignored = number_in(replaced, INDEX_IGNORED_FAILURES) + (not counts)
    return {INDEX_FAILURES: str(counted), **({INDEX_IGNORED_FAILURES: str(ignored)} if ignored else {})}


def _knowing_its_index(container: dict[str, Any]) -> Json:
    env: list[Json] = container.get("env") or []
    if any(variable.get("name") == INDEX_VARIABLE for variable in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {**container, "env": [*env, {"name": INDEX_VARIABLE, "valueFrom": source}]}
