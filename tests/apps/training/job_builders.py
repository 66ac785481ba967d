"""Training jobs for tests: the least that each kind accepts, and ways to spoil one."""

import copy
from typing import Any

CONTAINERS = {
    "TFJob": "tensorflow",
    "PyTorchJob": "pytorch",
    "XGBoostJob": "xgboost",
    "PaddleJob": "paddle",
    "JAXJob": "jax",
    "MXJob": "mxnet",
    "MPIJob": "mpi",
}
SPECS = {
    "TFJob": "tfReplicaSpecs",
    "PyTorchJob": "pytorchReplicaSpecs",
    "XGBoostJob": "xgbReplicaSpecs",
    "PaddleJob": "paddleReplicaSpecs",
    "JAXJob": "jaxReplicaSpecs",
    "MXJob": "mxReplicaSpecs",
    "MPIJob": "mpiReplicaSpecs",
}
ROLES = {
    "XGBoostJob": ("Master", "Worker"),
    "MXJob": ("Scheduler", "Server", "Worker"),
    "MPIJob": ("Launcher", "Worker"),
}
MORE = {"MXJob": {"jobMode": "MXTrain"}}


def a_role(container: str = "main", **more: Any) -> Any:
    return {"replicas": 1, "template": {"spec": {"containers": [{"name": container, "image": "image"}]}}, **more}


def a_job(kind: str, *roles: str, name: str = "demo", version: str = "v1", **spec: Any) -> Any:
    """A job of one replica a role: the roles that the kind cannot do without, if none are given."""
    names = roles or ROLES.get(kind, ("Worker",))
    replicas = {role: a_role(CONTAINERS[kind]) for role in names}
    return {
        "apiVersion": f"kubeflow.org/{version}",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {SPECS[kind]: replicas, **MORE.get(kind, {}), **spec},
    }


def a_chainer_job(name: str = "demo", **worker_sets: Any) -> Any:
    template = {"spec": {"containers": [{"image": "image"}]}}
    spec = {"master": {"template": template}, "workerSets": worker_sets}
    return {"apiVersion": "kubeflow.org/v1alpha1", "kind": "ChainerJob", "metadata": {"name": name}, "spec": spec}


REMOVED = object()


def spoilt(job: Any, path: str, value: Any) -> Any:
    """A copy with another value at a path such as `spec.tfReplicaSpecs.Worker.replicas`, or with none there."""
    made = copy.deepcopy(job)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = made
    for step in steps:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value
    return made
