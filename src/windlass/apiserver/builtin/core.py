"""The core group, `v1`: the resources under /api."""

from functools import partial

from windlass.apiserver.builtin.claims import Claims, Volumes
from windlass.apiserver.builtin.cluster import Namespaces, Nodes, ServiceAccounts
from windlass.apiserver.builtin.configuration import ConfigMaps, Secrets
from windlass.apiserver.builtin.deployments import ReplicationControllers
from windlass.apiserver.builtin.discovery import Endpoints
from windlass.apiserver.builtin.events import Events
from windlass.apiserver.builtin.pods import Pods, PodTemplates
from windlass.apiserver.builtin.quotas import LimitRanges, Quotas
from windlass.apiserver.builtin.registry import CREATE_ONLY, resource
from windlass.apiserver.builtin.services import Services
from windlass.apiserver.builtin.strategy import Plain
from windlass.apiserver.resources import ALL_VERBS, ScaleSpec

_namespaced = partial(resource, "", "v1", namespaced=True)
_cluster = partial(resource, "", "v1", namespaced=False)
_ALL = ("all",)
_STATUS = ("status",)

_POD_SUBRESOURCES = (
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "log",
    "portforward",
    "proxy",
    "resize",
    "status",
)

RESOURCES = (
    _namespaced("Binding", "bindings", strategy=Plain, verbs=CREATE_ONLY),
    _cluster(
        "ComponentStatus",
        "componentstatuses",
        "cs",
        strategy=Plain,
        verbs=("get", "list"),
        deprecated="v1 ComponentStatus is deprecated in v1.19+",
    ),
    _namespaced("ConfigMap", "configmaps", "cm", strategy=ConfigMaps),
    _namespaced(
        "Endpoints",
        "endpoints",
        "ep",
        strategy=Endpoints,
        deprecated="v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ),
    _namespaced("Event", "events", "ev", strategy=Events),
    _namespaced("LimitRange", "limitranges", "limits", strategy=LimitRanges),
    _cluster(
        "Namespace",
        "namespaces",
        "ns",
        strategy=Namespaces,
        subresources=("finalize", "status"),
        verbs=tuple(verb for verb in ALL_VERBS if verb != "deletecollection"),
    ),
    _cluster("Node", "nodes", "no", strategy=Nodes, subresources=("proxy", "status")),
    _namespaced("PersistentVolumeClaim", "persistentvolumeclaims", "pvc", strategy=Claims, subresources=_STATUS),
    _cluster("PersistentVolume", "persistentvolumes", "pv", strategy=Volumes, subresources=_STATUS),
    _namespaced("Pod", "pods", "po", strategy=Pods, categories=_ALL, subresources=_POD_SUBRESOURCES),
    _namespaced("PodTemplate", "podtemplates", strategy=PodTemplates),
    _namespaced(
        "ReplicationController",
        "replicationcontrollers",
        "rc",
        strategy=ReplicationControllers,
        categories=_ALL,
        subresources=("scale", "status"),
        scale=ScaleSpec(),
    ),
    _namespaced("ResourceQuota", "resourcequotas", "quota", strategy=Quotas, subresources=_STATUS),
    _namespaced("Secret", "secrets", strategy=Secrets),
    _namespaced("ServiceAccount", "serviceaccounts", "sa", strategy=ServiceAccounts, subresources=("token",)),
    _namespaced("Service", "services", "svc", strategy=Services, categories=_ALL, subresources=("proxy", "status")),
)
