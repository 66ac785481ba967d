"""Expands TrainJobs and JobSets to the pods and the pod group that would be created, for `windlass simulate`."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from windlass.apis.user_error import UserError
from windlass.apps.jobset import kinds as jobset_v1alpha2
from windlass.apps.trainer import kinds as trainer_v1alpha1
from windlass.apps.trainer.blueprint import pod_metadata, pod_spec, pods
from windlass.apps.trainer.building import blueprint
from windlass.apps.trainer.gang import EMBEDDED_GANGS, gang_of, join
from windlass.apps.trainer.kinds import ClusterTrainingRuntime, RuntimeSpec, TrainingRuntime, TrainJob
from windlass.kube import errors
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Struct
from windlass.scheduler.simulate.job_manifest import MAX_PODS

if TYPE_CHECKING:
    from windlass.kube.client import Client

S = TypeVar("S", bound=Struct)

TRAIN_JOB = (trainer_v1alpha1.GROUP_VERSION, "TrainJob")
JOB_SET = (jobset_v1alpha2.GROUP_VERSION, "JobSet")
RUNTIMES = {kind.__name__: kind for kind in (TrainingRuntime, ClusterTrainingRuntime)}


async def with_pods(client: "Client", documents: Sequence[Object], namespace: str) -> list[Object]:
    """The documents, with TrainJobs and JobSets expanded; a runtime is one of the documents, or the cluster's.

    Raises UserError.
    """
    try:
        return await _with_pods(client, documents, namespace)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"a field has a value of another type: {error}") from error


async def _with_pods(client: "Client", documents: Sequence[Object], namespace: str) -> list[Object]:
    runtimes = [one for one in documents if one.get("kind") in RUNTIMES]
    found: list[Object] = []
    for one in documents:
        what = (str(one.get("apiVersion")), str(one.get("kind")))
        if what == TRAIN_JOB:
            found += train_job_pods(one, await _runtime_of(client, one, runtimes, namespace))
        elif what == JOB_SET:
            found += _pods(_named(one), gang_of(dig_list(one, "spec", "replicatedJobs")))
        elif one not in runtimes:
            found.append(one)
    return found


def train_job_pods(obj: Object, runtime: Object) -> list[Object]:
    """The pods that run at the same time, with their PodGroup if the runtime has one."""
    job = _read({"metadata": {"name": _named(obj)}, **obj}, TrainJob)
    spec = _read(runtime.get("spec") or {}, RuntimeSpec)
    plan = blueprint(job, spec)
    group = join(plan, EMBEDDED_GANGS)
    return [*([group] if group is not None else []), *_pods(_named(obj), gang_of(plan.replicated_jobs))]


def _pods(name: str, replicated: Sequence[Object]) -> Iterator[Object]:
    count = sum(pods(one) for one in replicated)
    if count > MAX_PODS:
        raise UserError(f"it has {count} pods; at most {MAX_PODS} can be simulated")
    for one in replicated:
        marks = {part: dig_object(pod_metadata(one), part) for part in ("labels", "annotations")}
        for index in range(pods(one)):
            metadata = {"name": f"{name}-{one.get('name')}-{index}", **marks}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(one)}


async def _runtime_of(client: "Client", job: Object, given: Sequence[Object], namespace: str) -> Object:
    kind = str(dig(job, "spec", "runtimeRef", "kind") or "ClusterTrainingRuntime")
    name = str(dig(job, "spec", "runtimeRef", "name") or "")
    for one in given:
        if (one.get("kind"), dig(one, "metadata", "name")) == (kind, name):
            return one
    if kind not in RUNTIMES:
        raise UserError(f"spec.runtimeRef.kind: {kind} is no runtime")
    if not name:
        raise UserError("spec.runtimeRef.name: a value is required")
    where = str(dig(job, "metadata", "namespace") or namespace)
    try:
        return await client.get(KINDS.of(RUNTIMES[kind]), name, where if kind == "TrainingRuntime" else "")
    except errors.NotFound as error:
        raise UserError(f"spec.runtimeRef: there is no {kind} {name}") from error


def _named(obj: Object) -> str:
    return str(dig(obj, "metadata", "name") or dig(obj, "metadata", "generateName") or "added")


def _read(obj: Object, into: type[S]) -> S:
    try:
        return msgspec.convert(obj, into)
    except msgspec.ValidationError as error:
        raise UserError(f"{into.__name__}: {error}") from error
