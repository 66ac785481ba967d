"""The group `apps`: Deployments and the other workloads that keep pods running."""

from functools import partial

from windlass.apiserver.builtin.deployments import Deployments, ReplicaSets
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.statefulsets import ControllerRevisions, DaemonSets, StatefulSets
from windlass.apiserver.resources import ScaleSpec

_workload = partial(resource, "apps", "v1", namespaced=True, categories=("all",))
_scaled = partial(_workload, subresources=("scale", "status"), scale=ScaleSpec())

RESOURCES = (
    resource("apps", "v1", "ControllerRevision", "controllerrevisions", namespaced=True, strategy=ControllerRevisions),
    _workload("DaemonSet", "daemonsets", "ds", strategy=DaemonSets, subresources=("status",)),
    _scaled("Deployment", "deployments", "deploy", strategy=Deployments),
    _scaled("ReplicaSet", "replicasets", "rs", strategy=ReplicaSets),
    _scaled("StatefulSet", "statefulsets", "sts", strategy=StatefulSets),
)
