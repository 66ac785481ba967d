"""The group `apps`: Deployments and the other workloads that keep pods running."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin, Plain
from windlass.apiserver.resources import ScaleSpec

_workload = partial(resource, "apps", "v1", namespaced=True, categories=("all",))
_scaled = partial(_workload, subresources=("scale", "status"), scale=ScaleSpec())

RESOURCES = (
    resource("apps", "v1", "ControllerRevision", "controllerrevisions", namespaced=True, strategy=Plain),
    _workload("DaemonSet", "daemonsets", "ds", strategy=Builtin, subresources=("status",)),
    _scaled("Deployment", "deployments", "deploy", strategy=Builtin),
    _scaled("ReplicaSet", "replicasets", "rs", strategy=Builtin),
    _scaled("StatefulSet", "statefulsets", "sts", strategy=Builtin),
)
