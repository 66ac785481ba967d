"""Runtimes and jobs to look at."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from windlass.apps.trainer.kinds import ClusterTrainingRuntime, TrainJob
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.objects import owner_reference

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
CREATED = "2026-01-01T11:59:00Z"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
INDEX = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}


def a_container(name: str = "node", **fields: Any) -> Object:
    return {"name": name, "image": "trainer:1", **fields}


def a_replicated_job(name: str = "node", *, step: str = "trainer", **fields: Any) -> Object:
    """With one container `node`, or one of the step's own name; `pod` adds to the pods' spec."""
    pod = {"containers": [a_container(step if step.endswith("initializer") else "node")], **fields.pop("pod", {})}
    metadata = {"metadata": {"labels": {ANCESTOR: step}}} if step else {}
    return {"name": name, "template": {**metadata, "spec": {"template": {"spec": pod}}}, **fields}


def a_runtime(name: str = "torch-distributed", *jobs: Object, **spec: Any) -> Object:
    """A ClusterTrainingRuntime of PyTorch, unless `mlPolicy` says another."""
    template = {"spec": {"replicatedJobs": list(jobs) or [a_replicated_job()]}, **spec.pop("template", {})}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "resourceVersion": "1"},
        "spec": {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": template, **spec},
    }


def a_job(
    name: str = "mnist", *, status: Object | None = None, metadata: Object | None = None, **spec: Any
) -> TrainJob:
    given = {"runtimeRef": {"name": "torch-distributed"}, **spec}
    about = {"name": name, "namespace": "team", "uid": f"uid-{name}", "creationTimestamp": CREATED, **(metadata or {})}
    return msgspec.convert({"metadata": about, "spec": given, "status": status or {}}, TrainJob)


def spec_of(runtime: Object) -> Any:
    return msgspec.convert(runtime, ClusterTrainingRuntime).spec


def owned_by(job: TrainJob, obj: Object) -> Object:
    """As the applier would have made it: controlled by the job."""
    reference = msgspec.to_builtins(owner_reference(job, KINDS.of(TrainJob)))
    return {**obj, "metadata": {"namespace": job.metadata.namespace, **obj["metadata"], "ownerReferences": [reference]}}


def the_env(container: Object) -> dict[str, Any]:
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container.get("env", [])}
