"""Subresources that connect to a running pod: log, exec, attach, portforward, proxy.

The server finds the pod's node, runs admission, and connects the two sides (see `tunnel.py`). It calls the kubelet's
paths on the node: /containerLogs, /exec, /attach, /portForward.
"""

import ssl
from urllib.parse import parse_qsl, quote, urlencode

from windlass.apis.proxied_identity import is_pipelines_api
from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import ANONYMOUS
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Answer, Response
from windlass.apiserver.nodes import archived_pod, node_address, node_tls
from windlass.apiserver.tunnel import open_tunnel
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.get import not_found
from windlass.apiserver.verbs.patch import live_object
from windlass.apiserver.webhook_client import Unreachable, service_endpoint
from windlass.kube.errors import BadRequest, InternalError, NotFound, ServiceUnavailable
from windlass.kube.json import Object, dig, dig_list

_KUBELET_PATHS = {"log": "containerLogs", "exec": "exec", "attach": "attach", "portforward": "portForward"}
_KUBELET_WORDS = {"stdin": "input", "stdout": "output", "stderr": "error"}
_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


async def logs(api: Api, call: Call) -> Answer:
    """Stream the logs of a pod, also of a deleted one while its node keeps them."""
    try:
        pod = live_object(api, call)
    except NotFound:
        return await _archived_logs(api, call)
    if not dig(pod, "spec", "nodeName"):
        container_of(pod, call.query.get("container", ""))
        return Response(204, b"")  # nothing has been said yet, as Kubernetes has it
    return await _to_node(api, call)


async def _archived_logs(api: Api, call: Call) -> Answer:
    found = await archived_pod(api, call)
    if found is None:
        raise not_found(call)
    options = parse_qsl(call.request.query_string.decode("latin-1"), keep_blank_values=True)
    container = container_of(found.pod, dict(options).get("container", ""))
    target = f"/containerLogs/{quote(call.path.namespace)}/{quote(call.path.name)}/{quote(container)}"
    target += "?" + urlencode([(key, value) for key, value in options if key != "container"])
    return await open_tunnel(call.request, found.host, found.port, target, node_tls(api))


async def connect(api: Api, call: Call) -> Answer:
    """Handle exec, attach, portforward and proxy."""
    attributes = write.attributes_of(call, "CONNECT", None, None)
    api.admission.chain.validate(attributes)
    remote = api.admission.remote
    if remote is not None:
        await remote.validate(attributes)
    if call.path.subresource == "proxy":
        return await _proxy(api, call)
    return await _to_node(api, call)


async def _to_node(api: Api, call: Call) -> Answer:
    pod, subresource = live_object(api, call), call.path.subresource
    name, namespace = call.path.name, call.path.namespace
    options = parse_qsl(call.request.query_string.decode("latin-1"), keep_blank_values=True)
    container = (
        "" if subresource == "portforward" else f"/{quote(container_of(pod, dict(options).get('container', '')))}"
    )
    node_name = dig(pod, "spec", "nodeName")
    if not node_name:
        raise BadRequest(f"pod {name} does not have a host assigned")
    host, port = node_address(api, str(node_name))
    words = [(_KUBELET_WORDS.get(key, key), _as_number(key, value)) for key, value in options if key != "container"]
    target = f"/{_KUBELET_PATHS[subresource]}/{quote(namespace)}/{quote(name)}{container}"
    if words:
        target += "?" + urlencode(words)
    return await open_tunnel(call.request, host, port, target, node_tls(api))


def _as_number(key: str, value: str) -> str:
    return {"true": "1", "false": "0"}.get(value, value) if key in (*_KUBELET_WORDS, "tty") else value


def container_of(pod: Object, asked: str) -> str:
    """The selected container; optional for a pod with one container."""
    name = dig(pod, "metadata", "name")
    main = [str(c["name"]) for c in dig_list(pod, "spec", "containers")]
    others = [str(c["name"]) for kind in ("initContainers", "ephemeralContainers") for c in dig_list(pod, "spec", kind)]
    if asked:
        if asked not in main + others:
            raise BadRequest(f"container {asked} is not valid for pod {name}")
        return asked
    default = dig(pod, "metadata", "annotations", _DEFAULT_CONTAINER)
    if default in main:
        return str(default)
    if len(main) == 1:
        return main[0]
    raise BadRequest(f"a container name must be specified for pod {name}, choose one of: [{' '.join(main)}]")


async def _proxy(api: Api, call: Call) -> Answer:
    scheme, name, port = split_proxy_name(call.path.name)
    namespace = call.path.namespace
    path = "/" + quote(call.path.rest, safe="/%") + ("/" if call.request.path.endswith("/") and call.path.rest else "")
    if call.request.query_string:
        path += f"?{call.request.query_string.decode('latin-1')}"
    kind = call.resource.plural
    found = api.read(call.resource.store_key, namespace if call.resource.namespaced else "", name)
    if found is None:
        raise NotFound(f'{kind} "{name}" not found', kind=kind, name=name)
    if kind == "nodes":
        host, number = node_address(api, name)
        return await open_tunnel(call.request, host, number, path, node_tls(api))
    host, number = _pod_endpoint(found, port) if kind == "pods" else _service(api, namespace, found, port)
    tls = _unverified() if scheme == "https" else None
    return await open_tunnel(call.request, host, number, path, tls, _identity(api, call, kind, name))


def _identity(api: Api, call: Call, kind: str, name: str) -> list[tuple[bytes, bytes]]:
    """The header that says to the pipelines API whose request it is; other Services do not get it."""
    is_known = call.user is not ANONYMOUS and kind == "services" and is_pipelines_api(call.path.namespace, name)
    return [(b"authorization", b"Bearer " + api.authenticator.proxied.issue(call.user).encode())] if is_known else []


def _unverified() -> ssl.SSLContext:
    """TLS without verification, as in Kubernetes: certificates of pods cannot be verified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def split_proxy_name(name: str) -> tuple[str, str, str]:
    """Split `https:web:443` into scheme, name and port; scheme and port may be missing."""
    parts = name.split(":")
    if len(parts) == 1:
        return "http", parts[0], ""
    if len(parts) == 2:
        return "http", parts[0], parts[1]
    if len(parts) == 3 and parts[0] in ("http", "https", ""):
        return parts[0] or "http", parts[1], parts[2]
    raise BadRequest(f"invalid pod or service request {name!r}")


def _pod_endpoint(pod: Object, port: str) -> tuple[str, int]:
    address = dig(pod, "status", "podIP")
    if not address:
        raise BadRequest(f"pod {pod['metadata']['name']} has no address yet")
    for container in dig_list(pod, "spec", "containers"):
        for listed in dig_list(container, "ports"):
            if not port or port == listed.get("name"):
                return str(address), int(listed["containerPort"])
    if port and not port.isdigit():
        raise BadRequest(f'no port "{port}" on pod {pod["metadata"]["name"]}')
    return str(address), int(port or 80)


def _service(api: Api, namespace: str, service: Object, port: str) -> tuple[str, int]:
    ports = dig_list(service, "spec", "ports")
    wanted = next((p for p in ports if port in (str(p.get("port")), p.get("name"))), None)
    if wanted is None and not port and len(ports) == 1:
        wanted = ports[0]
    name = service["metadata"]["name"]
    if wanted is None:
        raise ServiceUnavailable(f'no service port "{port}" found for service "{name}"')
    try:
        return service_endpoint(api, namespace, name, int(wanted["port"]))
    except Unreachable as error:
        raise ServiceUnavailable(f'no endpoints available for service "{name}"') from error
    except ValueError as error:
        raise InternalError(str(error)) from error
