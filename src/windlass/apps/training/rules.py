"""Validation rules of individual kinds of training jobs, in addition to the common rules."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.apps.training.job_manifest import JobManifest, containers
from windlass.kube import schema
from windlass.kube.definitions import schema_of
from windlass.kube.errors import Cause, forbidden, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_object
from windlass.kube.names import dns1035_label_errors

Rules: TypeAlias = Callable[[JobManifest], Iterator[Cause]]
_LONGEST_NAME = 63


def _tensorflow(job: JobManifest) -> Iterator[Cause]:
    if job.has("Chief") and job.has("Master"):
        yield forbidden(job.specs_path, "must not have more than 1 Chief or Master role")
    policy = job.spec.get("successPolicy")
    if policy and policy != "AllWorkers":
        yield not_supported("spec.successPolicy", policy, ("", "AllWorkers"))


def _pytorch(job: JobManifest) -> Iterator[Cause]:
    yield from _only_one(job, "Master")
    worker = job.key("Worker")
    if worker and job.count(worker) == 0:
        yield forbidden(f"{job.path(worker)}.replicas", "must be at least 1")
    elastic = job.spec.get("elasticPolicy")
    if elastic is None:
        return
    if not worker:
        yield required(job.path("Worker"), "must be configured if elastic policy is used")
    if dig(elastic, "nProcPerNode") is not None and job.spec.get("nprocPerNode") is not None:
        yield forbidden("spec.elasticPolicy.nProcPerNode", "must not be used with spec.nprocPerNode")
    yield from _bounds(job)


def _xgboost(job: JobManifest) -> Iterator[Cause]:
    yield from _needed(job, "Master")
    yield from _only_one(job, "Master")


def _paddle(job: JobManifest) -> Iterator[Cause]:
    yield from _bounds(job)


def _mxnet(job: JobManifest) -> Iterator[Cause]:
    mode = job.spec.get("jobMode")
    if mode not in ("MXTrain", "MXTune"):
        yield not_supported("spec.jobMode", mode, ("MXTrain", "MXTune"))


def _mpi(job: JobManifest) -> Iterator[Cause]:
    yield from _needed(job, "Launcher")
    yield from _only_one(job, "Launcher")
    yield from _slots(job)


def ssh_rules(job: JobManifest) -> Iterator[Cause]:
    """Validate MPIJob v2beta1."""
    yield from _mpi(job)
    worker = job.key("Worker")
    if not worker:
        return
    if job.count(worker) <= 0:
        yield invalid(f"{job.path(worker)}.replicas", job.count(worker), "must be greater than or equal to 1")
    last = job.pod_name(worker, max(job.count(worker) - 1, 0))
    if errors := dns1035_label_errors(last):
        why = f"will not be able to create the pod {last}: {','.join(errors)}"
        yield invalid("metadata.name", job.name, why)


RULES: Mapping[str, Rules] = {
    "TFJob": _tensorflow,
    "PyTorchJob": _pytorch,
    "XGBoostJob": _xgboost,
    "PaddleJob": _paddle,
    "MXJob": _mxnet,
    "MPIJob": _mpi,
}


def _needed(job: JobManifest, replica_type: str) -> Iterator[Cause]:
    if job.replicas and not job.has(replica_type):
        yield required(job.path(replica_type), "must be present")


def _only_one(job: JobManifest, replica_type: str) -> Iterator[Cause]:
    key = job.key(replica_type)
    if key and (job.count(key) == 0 or job.count(key) > 1):
        yield forbidden(f"{job.path(key)}.replicas", "must be 1")


def _slots(job: JobManifest) -> Iterator[Cause]:
    slots = job.spec.get("slotsPerWorker")
    if isinstance(slots, int) and slots < 0:
        yield invalid("spec.slotsPerWorker", slots, "must be greater than or equal to 0")


def _bounds(job: JobManifest) -> Iterator[Cause]:
    elastic = dig_object(job.spec, "elasticPolicy")
    minimum, maximum = elastic.get("minReplicas"), elastic.get("maxReplicas")
    for field, value in (("minReplicas", minimum), ("maxReplicas", maximum)):
        if isinstance(value, int) and value < 1:
            yield invalid(f"spec.elasticPolicy.{field}", value, "must be greater than or equal to 1")
    if isinstance(minimum, int) and isinstance(maximum, int) and minimum > maximum:
        why = f"must not be greater than maxReplicas, which is {maximum}"
        yield invalid("spec.elasticPolicy.minReplicas", minimum, why)


def chainer_rules(job: Object) -> Iterator[Cause]:
    """Validate a ChainerJob, whose pods have roles of its own."""
    name = str(dig(job, "metadata", "name") or "")
    yield from _undecodable(dig(job, "spec", "master", "template"), "spec.master.template")
    yield from container_problems(dig(job, "spec", "master", "template"), "spec.master.template.spec.containers")
    for workers, worker_set in dig_object(job, "spec", "workerSets").items():
        at, given = f"spec.workerSets[{workers}]", dig(worker_set, "replicas")
        count = given if isinstance(given, int) else 1
        if count < 0:
            yield invalid(f"{at}.replicas", count, "must be greater than or equal to 0")
        if count > MAX_INDEXED_PODS:
            yield invalid(f"{at}.replicas", count, TOO_MANY)
        yield from _undecodable(dig(worker_set, "template"), f"{at}.template")
        yield from container_problems(dig(worker_set, "template"), f"{at}.template.spec.containers")
        yield from long_name(name, f"{name}-workerset-{workers}-{max(count - 1, 0)}")


def _undecodable(template: Json, at: str) -> Iterator[Cause]:
    """Report a template that its schema does not describe and that is not a pod template."""
    wrong = schema.check(schema_of("io.k8s.api.core.v1.PodTemplateSpec"), template or {}).type_error
    if wrong:
        yield invalid(at, template, wrong)


def container_problems(template: Json, at: str) -> Iterator[Cause]:
    """Validate what every pod template must have; `at` is the path of its containers."""
    listed = containers(template)
    if not listed:
        yield required(at, "must be specified")
    for index, container in enumerate(listed):
        if not container.get("image"):
            yield required(f"{at}[{index}].image", "must be required")


def long_name(job: str, pod: str) -> Iterator[Cause]:
    """Report a pod name that is too long for a host name."""
    if len(pod) > _LONGEST_NAME:
        why = f"its pod name {pod} has {len(pod)} characters: must be no more than {_LONGEST_NAME}"
        yield invalid("metadata.name", job, why)
