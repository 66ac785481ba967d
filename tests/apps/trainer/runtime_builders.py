"""Runtimes and jobs as people write them, for tests of what is made of them on their way in."""

from copy import deepcopy
from typing import Any

from windlass.apps.trainer.names import ANCESTOR
from windlass.apps.trainer.runtimes import runtimes

BUILT_IN: dict[str, Any] = {runtime["metadata"]["name"]: runtime for runtime in runtimes()}


def replicated(name: str, step: str = "", *containers: str, **fields: Any) -> Any:
    metadata = {"metadata": {"labels": {ANCESTOR: step}}} if step else {}
    pod = {"containers": [{"name": container, "image": "i"} for container in containers]}
    return {"name": name, "template": {**metadata, "spec": {"template": {"spec": pod}}}, **fields}


def a_runtime(*jobs: Any, name: str = "mine", labels: Any = None, **policy: Any) -> Any:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {
            "mlPolicy": {"numNodes": 1, **policy},
            "template": {"spec": {"replicatedJobs": list(jobs) or [replicated("node", "trainer", "node")]}},
        },
    }


def a_job(runtime: str = "mine", *, trainer: Any = None, patches: Any = (), **spec: Any) -> Any:
    made: Any = {"runtimeRef": {"name": runtime, "apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime"}}
    if trainer is not None:
        made["trainer"] = trainer
    if patches:
        made["runtimePatches"] = list(patches)
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "job", "namespace": "default"},
        "spec": {**made, **spec},
    }


def a_patch(job: str = "node", manager: str = "example.org/me", **pod: Any) -> Any:
    template = {"spec": {"template": {"spec": deepcopy(pod)}}}
    jobs = [{"name": job, "template": template}]
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
