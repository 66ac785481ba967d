"""The objects of a new cluster: namespaces, default RBAC policy, priorities, the API's Service, Windlass' kinds."""

import asyncio

from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.apiserver.allocators import KUBERNETES_SERVICE_IP, SERVICE_NETWORK
from windlass.apiserver.api import Api
from windlass.apiserver.auth.bootstrap import default_objects, reconciled
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.apiserver.provided import provide
from windlass.kube.json import Object

NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_PRIORITIES = (
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
)


async def bootstrap(api: Api, address: str, port: int) -> None:
    """Create missing objects; leave those that a user changed."""
    for name in NAMESPACES:
        await ensure(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    await asyncio.gather(*[_ensure_policy(api, wanted) for wanted in default_objects()])
    for name, value, description in _PRIORITIES:
        await ensure(api, _priority(name, value, description))
    for obj in _flow_control():
        await ensure(api, obj)
    await ensure(api, _service_network())
    await ensure(api, _service())
    await _publish_address(api, address, port)
    await _publish_authority(api)
    await provide(api)


async def _ensure_policy(api: Api, wanted: Object) -> None:
    """Create a default role or binding, or add what it lacks in this version."""
    if await ensure(api, wanted):
        return
    resource = resource_of(api, wanted["apiVersion"], wanted["kind"])
    metadata = wanted["metadata"]
    namespace = metadata.get("namespace", "")
    live = api.read(resource.store_key, namespace, metadata["name"])
    changed = reconciled(live, wanted)
    if changed is not None:
        await modify(api, resource, namespace, metadata["name"], lambda _old: changed)


def _priority(name: str, value: int, description: str) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "description": description,
    }


def _flow_control() -> list[Object]:
    """The mandatory flow control configuration of every cluster."""
    group = "flowcontrol.apiserver.k8s.io/v1"
    everything = {
        "resourceRules": [
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
        ],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    made: list[Object] = []
    levels: dict[str, tuple[Object, int, list[str]]] = {
        "exempt": ({"type": "Exempt"}, 1, ["system:masters"]),
        "catch-all": (
            {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}},
            10_000,
            ["system:authenticated", "system:unauthenticated"],
        ),
    }
    for name, (level, precedence, groups) in levels.items():
        subjects = [{"kind": "Group", "group": {"name": group_name}} for group_name in groups]
        spec: Object = {
            "priorityLevelConfiguration": {"name": name},
            "matchingPrecedence": precedence,
            "rules": [{"subjects": subjects, **everything}],
        }
        if name == "catch-all":
            spec["distinguisherMethod"] = {"type": "ByUser"}
        for kind, its_spec in (("PriorityLevelConfiguration", level), ("FlowSchema", spec)):
            metadata: Object = {"name": name, "annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}
            made.append({"apiVersion": group, "kind": kind, "metadata": metadata, "spec": its_spec})
    return made


def _service_network() -> Object:
    """The address range of Services."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "kubernetes"},
        "spec": {"cidrs": [str(SERVICE_NETWORK)]},
    }


def _service() -> Object:
    labels = {"component": "apiserver", "provider": "kubernetes"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": labels},
        "spec": {
            "clusterIP": KUBERNETES_SERVICE_IP,
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        },
    }


async def _publish_address(api: Api, address: str, port: int) -> None:
    """Point the Service to the address on which this server listens."""
    ports = [{"name": "https", "port": port, "protocol": "TCP"}]
    subsets = [{"addresses": [{"ip": address}], "ports": ports}]
    metadata: Object = {"name": "kubernetes", "namespace": "default"}
    endpoints: Object = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {**metadata}, "subsets": subsets}
    if not await ensure(api, endpoints):
        await modify(
            api, resource_of(api, "v1", "Endpoints"), "default", "kubernetes", lambda old: {**old, "subsets": subsets}
        )
    slice_metadata = {**metadata, "labels": {SERVICE_NAME_LABEL: "kubernetes"}}
    endpoint = {"addresses": [address], "conditions": {"ready": True}}
    piece: Object = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": slice_metadata,
        "addressType": "IPv4",
        "endpoints": [endpoint],
        "ports": ports,
    }
    if not await ensure(api, piece):
        resource = resource_of(api, "discovery.k8s.io/v1", "EndpointSlice")
        await modify(
            api, resource, "default", "kubernetes", lambda old: {**old, "endpoints": [endpoint], "ports": ports}
        )


async def _publish_authority(api: Api) -> None:
    """Publish the CA of this server in kube-system; a controller copies it to the other namespaces."""
    data = {"ca.crt": api.pki.ca_pem.decode()}
    metadata = {"name": "kube-root-ca.crt", "namespace": "kube-system"}
    if not await ensure(api, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}):
        resource = resource_of(api, "v1", "ConfigMap")
        await modify(api, resource, metadata["namespace"], metadata["name"], lambda old: {**old, "data": data})
