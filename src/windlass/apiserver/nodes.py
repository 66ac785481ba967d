"""Connections to node agents, and pods that were deleted and whose logs a node still keeps."""

import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.pki import KUBELET_CLIENT
from windlass.apiserver.plain_get import get
from windlass.kube.errors import NotFound, ServiceUnavailable
from windlass.kube.json import BadJson, Object, dig, dig_list, is_object, parse

_KUBELET_PORT = 10250
_ADDRESS_ORDER = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")
_TIMEOUT_SECONDS = 5.0  # seconds


def node_address(api: Api, name: str) -> tuple[str, int]:
    node = api.read("/nodes", "", name)
    if node is None:
        raise NotFound(f'nodes "{name}" not found', kind="nodes", name=name)
    addresses = {a.get("type"): str(a.get("address")) for a in dig_list(node, "status", "addresses")}
    host = next((addresses[kind] for kind in _ADDRESS_ORDER if addresses.get(kind)), "")
    if not host:
        raise ServiceUnavailable(f"node {name} has no address")
    return host, int(dig(node, "status", "daemonEndpoints", "kubeletEndpoint", "Port") or _KUBELET_PORT)


def node_tls(api: Api) -> ssl.SSLContext:
    """The TLS settings for node agents: the server's client certificate, and its CA."""
    return api.pki.client_context(KUBELET_CLIENT)


@dataclass(frozen=True, slots=True)
class ArchivedPod:
    """The last state of a deleted pod, and the node that keeps its logs."""

    pod: Object
    host: str
    port: int


async def archived_pod(api: Api, call: Call) -> ArchivedPod | None:
    """The newest deleted pod with the call's name whose logs a node keeps, if it was in this very namespace."""
    namespace = api.read("/namespaces", "", call.path.namespace)
    if namespace is None:
        return None
    path = f"/archivedPods/{quote(call.path.namespace)}/{quote(call.path.name)}"
    for host, port in _ready_nodes(api):
        pod = await _ask(host, port, path, node_tls(api))
        if pod is not None and _born(pod) >= _born(namespace):  # not in one of the same name, which others had
            return ArchivedPod(pod, host, port)
    return None


def _born(obj: Object) -> str:
    return str(dig(obj, "metadata", "creationTimestamp") or "")


def _ready_nodes(api: Api) -> Iterator[tuple[str, int]]:
    for node in api.read_all("/nodes"):
        conditions = {each.get("type"): each.get("status") for each in dig_list(node, "status", "conditions")}
        if conditions.get("Ready") == "True":
            try:
                yield node_address(api, str(dig(node, "metadata", "name")))
            except ServiceUnavailable:
                continue


async def _ask(host: str, port: int, path: str, tls: ssl.SSLContext) -> Object | None:
    """Send one GET; None if there is no such pod or no response."""
    try:
        status, body = await get(host, port, path, tls, _TIMEOUT_SECONDS)
    except (OSError, TimeoutError, ValueError):
        return None
    if status != 200:
        return None
    try:
        pod = parse(body)
    except BadJson:
        return None
    return pod if is_object(pod) else None
