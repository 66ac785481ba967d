"""API aggregation: group-versions that another server serves, declared by APIService objects.

The resources of a remote server are in the registry like all others, marked `proxied`: discovery lists them, RBAC
guards them, and a request is forwarded to that server with the user's name in X-Remote-* headers, as in Kubernetes.
Group-versions of this server have an APIService too, marked Local.
"""

import asyncio
import base64
import logging
import ssl
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import User
from windlass.apiserver.connection import Answer, Request
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.apiserver.pki import FRONT_PROXY_CLIENT
from windlass.apiserver.plain_get import get
from windlass.apiserver.resources import Registry, Resource
from windlass.apiserver.tunnel import open_tunnel
from windlass.apiserver.verbs.write import now
from windlass.apiserver.webhook_client import Unreachable, service_endpoint
from windlass.kube.errors import ServiceUnavailable
from windlass.kube.json import Object, dig, dig_list, dig_object, parse
from windlass.kube.schema import ANY

log = logging.getLogger("windlass.aggregation")

APISERVICES = "apiregistration.k8s.io/apiservices"
_REFRESH_SECONDS = 30.0
_REQUEST_TIMEOUT_SECONDS = 5.0
_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def local_services(registry: Registry) -> Iterable[Object]:
    """Return the APIServices of this server's own group-versions."""
    for group, version in sorted({(r.group, r.version) for r in registry if not r.proxied}):
        spec: Object = {"version": version, "groupPriorityMinimum": 17000 if group else 18000, "versionPriority": 15}
        yield {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {
                "name": f"{version}.{group}",
                "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"},
            },
            "spec": {**spec, "group": group} if group else spec,
        }


async def publish_local(api: Api) -> None:
    """Create missing APIServices of this server's group-versions, and mark them available."""
    for service in local_services(api.registry):
        if await ensure(api, service):
            reason, message = "Local", "Local APIServices are always available"
            await _set_available(api, service["metadata"]["name"], True, reason, message)


async def serve_remote_services(api: Api) -> None:
    """Serve the resources of available remote APIServices; checks them on every change and periodically."""
    served: dict[str, list[Resource]] = {}
    while True:
        watcher = api.store.watch(APISERVICES, since=api.store.revision)
        try:
            await _refresh_remote(api, served)
            async with asyncio.timeout(_REFRESH_SECONDS if served else None):
                await anext(watcher, None)
        except TimeoutError:
            continue
        finally:
            watcher.close()


async def _refresh_remote(api: Api, served: dict[str, list[Resource]]) -> None:
    remote = {s["metadata"]["name"]: s for s in api.read_all(APISERVICES) if dig(s, "spec", "service")}
    for name in set(served) - set(remote):
        _withdraw(api, served.pop(name))
    for name, service in remote.items():
        try:
            resources = await offered(api, service)
        except Unreachable as error:
            _withdraw(api, served.get(name, []))
            served[name] = []
            await _set_available(api, name, False, "FailedDiscoveryCheck", str(error))
            continue
        if [r.plural for r in resources] != [r.plural for r in served.get(name, [])]:
            _withdraw(api, served.get(name, []))
            for resource in resources:
                api.registry.add(resource)
            served[name] = resources
        await _set_available(api, name, True, "Passed", "all checks passed")


def _withdraw(api: Api, resources: list[Resource]) -> None:
    for resource in resources:
        api.registry.remove_version(resource.group, resource.version, resource.plural)


async def offered(api: Api, service: Object) -> list[Resource]:
    """Fetch the resources of the server behind an APIService. Raises `Unreachable`."""
    group, version = str(dig(service, "spec", "group")), str(dig(service, "spec", "version"))
    host, port = _endpoint(api, service)
    path = f"/apis/{group}/{version}"
    url = f"https://{host}:{port}{path}"
    headers = _identity(User("system:kube-aggregator", groups=("system:masters",)))
    try:
        tls, name = _trust(api, service), _server_name(service)
        status, body = await get(host, port, path, tls, _REQUEST_TIMEOUT_SECONDS, headers=headers, server_name=name)
        if status != 200:
            raise Unreachable(f"bad status from {url}: {status}")
        listed = parse(body)
    except (OSError, TimeoutError, ValueError) as error:
        raise Unreachable(f"failing or missing response from {url}: {error or 'timed out'}") from error
    return proxied_resources(group, version, listed)


def proxied_resources(group: str, version: str, listed: Object) -> list[Resource]:
    """Build registry resources from a remote APIResourceList."""
    entries = [entry for entry in dig_list(listed, "resources") if isinstance(dig(entry, "name"), str)]
    below: dict[str, set[str]] = {}
    for entry in entries:
        plural, _, subresource = entry["name"].partition("/")
        if subresource:
            below.setdefault(plural, set()).add(subresource)
    return [
        Resource(
            group=group,
            version=version,
            kind=str(entry.get("kind", "")),
            plural=entry["name"],
            singular=str(entry.get("singularName") or ""),
            namespaced=entry.get("namespaced") is True,
            verbs=tuple(str(verb) for verb in dig_list(entry, "verbs")),
            short_names=tuple(str(name) for name in dig_list(entry, "shortNames")),
            categories=tuple(str(name) for name in dig_list(entry, "categories")),
            subresources=frozenset(below.get(entry["name"], ())),
            proxied=True,
            load_schema=lambda: ANY,
            openapi=lambda: _ANYTHING,
        )
        for entry in entries
        if "/" not in entry["name"]
    ]


async def forward(api: Api, request: Request, user: User, group: str, version: str) -> Answer:
    """Forward a request to the server behind its APIService."""
    service = api.read(APISERVICES, "", f"{version}.{group}")
    if service is None:
        raise ServiceUnavailable(f"the API {group}/{version} is no longer served")
    try:
        host, port = _endpoint(api, service)
    except Unreachable as error:
        raise ServiceUnavailable(f"error trying to reach service: {error}") from error
    target = request.path if not request.query_string else f"{request.path}?{request.query_string.decode('latin-1')}"
    return await open_tunnel(request, host, port, target, _trust(api, service), _identity(user), _server_name(service))


def _identity(user: User) -> list[tuple[bytes, bytes]]:
    """Headers with the identity of the user, for a server that trusts this one's client certificate."""
    headers = [(b"X-Remote-User", user.name.encode())]
    headers += [(b"X-Remote-Group", group.encode()) for group in user.groups]
    headers += [(f"X-Remote-Extra-{key}".encode(), value.encode()) for key, values in user.extra for value in values]
    return headers


def _endpoint(api: Api, service: Object) -> tuple[str, int]:
    reference = dig_object(service, "spec", "service")
    return service_endpoint(
        api, str(reference.get("namespace")), str(reference.get("name")), int(reference.get("port") or 443)
    )


def _server_name(service: Object) -> str:
    reference = dig_object(service, "spec", "service")
    return f"{reference.get('name')}.{reference.get('namespace')}.svc"


def _trust(api: Api, service: Object) -> ssl.SSLContext:
    bundle = base64.b64decode(str(dig(service, "spec", "caBundle") or "")).decode()
    is_verified = dig(service, "spec", "insecureSkipTLSVerify") is not True
    return _tls(bundle, is_verified, *api.pki.client_files(FRONT_PROXY_CLIENT))


@lru_cache(maxsize=64)
def _tls(bundle: str, is_verified: bool, certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=bundle or None)
    if not is_verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.load_cert_chain(certificate, key)
    return context


async def _set_available(api: Api, name: str, available: bool, reason: str, message: str) -> None:
    status = "True" if available else "False"

    def change(service: Object) -> Object:
        conditions = dig_list(service, "status", "conditions")
        before = next((c for c in conditions if c.get("type") == "Available"), None)
        others = [c for c in conditions if c.get("type") != "Available"]
        since = before["lastTransitionTime"] if before and before.get("status") == status else now()
        condition = {"type": "Available", "status": status, "reason": reason, "message": message}
        service["status"] = {"conditions": [*others, {**condition, "lastTransitionTime": since}]}
        return service

    await modify(api, resource_of(api, "apiregistration.k8s.io/v1", "APIService"), "", name, change, "status")
