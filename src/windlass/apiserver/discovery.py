"""API discovery: `/api`, `/apis` and below, in the legacy and the aggregated format.

`answer` returns the document at a path, encoded once per change of the registry. The functions above it are pure: each
builds one kind of document from a registry.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple
from weakref import WeakKeyDictionary

from windlass.apis.wellknown import NETWORKING_GROUP, RBAC_GROUP, VOLCANO_SCHEDULING_GROUP
from windlass.apiserver.resources import Registry, Resource
from windlass.kube.json import Object, encode

JSON = "application/json"
AGGREGATED_VERSIONS = ("v2", "v2beta1")

# Kubernetes' own groups come first and in the order of its API services' priorities, then others by name.
_GROUP_ORDER = {
    group: position
    for position, group in enumerate(
        (
            "",
            "apiregistration.k8s.io",
            "apps",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            NETWORKING_GROUP,
            "policy",
            RBAC_GROUP,
            "storage.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "scheduling.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "discovery.k8s.io",
            "resource.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            VOLCANO_SCHEDULING_GROUP,  # `kubectl get podgroups` and `queues` mean Volcano's
        )
    )
}
_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STABILITY = {None: 0, "beta": 1, "alpha": 2}


class Document(NamedTuple):
    """A response whose bytes all clients share."""

    body: bytes
    content_type: bytes
    etag: bytes
    """The ETag header, in quotes."""


@dataclass(frozen=True, slots=True)
class Subresource:
    """A subresource: its verbs, and its kind if that differs from the object's own."""

    verbs: tuple[str, ...]
    kind: str = ""
    group_version: tuple[str, str] | None = None


_READ_WRITE = ("get", "patch", "update")
_CONNECT = ("create", "get")
_PROXY = ("create", "delete", "get", "patch", "update")
SUBRESOURCES = {
    "approval": Subresource(_READ_WRITE),
    "attach": Subresource(_CONNECT, "PodAttachOptions"),
    "binding": Subresource(("create",), "Binding"),
    "ephemeralcontainers": Subresource(_READ_WRITE),
    "eviction": Subresource(("create",), "Eviction", ("policy", "v1")),
    "exec": Subresource(_CONNECT, "PodExecOptions"),
    "finalize": Subresource(("update",)),
    "log": Subresource(("get",)),
    "portforward": Subresource(_CONNECT, "PodPortForwardOptions"),
    "proxy": Subresource(_PROXY, "{}ProxyOptions"),
    "resize": Subresource(_READ_WRITE),
    "scale": Subresource(_READ_WRITE, "Scale", ("autoscaling", "v1")),
    "status": Subresource(_READ_WRITE),
    "token": Subresource(("create",), "TokenRequest", ("authentication.k8s.io", "v1")),
}


def version_priority(version: str) -> tuple[int, int, int, int, str]:
    """A sort key that orders versions by preference: v2, v1, v1beta1, v1alpha1, then other forms."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return 1, 0, 0, 0, version
    return 0, _STABILITY[match[2]], -int(match[1]), -int(match[3] or 0), ""


def groups(registry: Registry) -> dict[str, list[str]]:
    """Return every group with its versions, both in order of preference."""
    found: dict[str, set[str]] = {}
    for resource in registry:
        found.setdefault(resource.group, set()).add(resource.version)
    ordered = sorted(found, key=lambda group: (_GROUP_ORDER.get(group, len(_GROUP_ORDER)), group))
    return {group: sorted(found[group], key=version_priority) for group in ordered}


def resources_of(registry: Registry, group: str, version: str) -> list[Resource]:
    found = (resource for resource in registry if resource.group == group and resource.version == version)
    return sorted(found, key=lambda resource: resource.plural)


def response_kind(resource: Resource, subresource: str) -> tuple[str, str, str]:
    """The group, version and kind of a subresource."""
    served = SUBRESOURCES[subresource]
    group, version = served.group_version or (resource.group, resource.version)
    return group, version, served.kind.format(resource.kind) or resource.kind


def _subresources(resource: Resource) -> Iterator[str]:
    return (name for name in sorted(resource.subresources) if name in SUBRESOURCES)


def api_versions(registry: Registry) -> Object:
    """Build the legacy document at /api."""
    return {
        "kind": "APIVersions",
        "versions": groups(registry).get("", []),
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    }


def _group(name: str, versions: Iterable[str]) -> Object:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def api_group_list(registry: Registry) -> Object:
    """Build the legacy document at /apis."""
    listed = [_group(name, versions) for name, versions in groups(registry).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}


def api_group(registry: Registry, group: str) -> Object | None:
    """Build the document at /apis/{group}."""
    versions = groups(registry).get(group)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)} if versions and group else None


def api_resource_list(registry: Registry, group: str, version: str) -> Object | None:
    """Build the document at /api/v1 and /apis/{group}/{version}."""
    listed = [entry for resource in resources_of(registry, group, version) for entry in _legacy_entries(resource)]
    if not listed:
        return None
    group_version = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": listed}


def _storage_version_hash(resource: Resource) -> str:
    """A hash by which migrating clients detect a change of the storage version."""
    group = resource.group if resource.storage_group is None else resource.storage_group
    kept_as = f"{group}/{resource.storage_version or resource.version}/{resource.kind}"
    return b64encode(sha256(kept_as.encode()).digest()[:8]).decode()


def _legacy_entries(resource: Resource) -> Iterator[Object]:
    main: Object = {
        "name": resource.plural,
        "singularName": resource.singular_name,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        main["shortNames"] = list(resource.short_names)
    if resource.categories:
        main["categories"] = list(resource.categories)
    if "watch" in resource.verbs and not resource.proxied:
        main["storageVersionHash"] = _storage_version_hash(resource)
    yield main
    for name in _subresources(resource):
        group, version, kind = response_kind(resource, name)
        entry: Object = {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": kind,
            "verbs": list(SUBRESOURCES[name].verbs),
        }
        if (group, version) != (resource.group, resource.version):
            entry |= {"group": group, "version": version}
        yield entry


def aggregated(registry: Registry, *, core: bool, version: str = "v2") -> Object:
    """Build the aggregated document: the core group for /api, all others for /apis."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": group, "creationTimestamp": None} if group else {"creationTimestamp": None},
                "versions": [_aggregated_version(registry, group, version) for version in versions],
            }
            for group, versions in groups(registry).items()
            if (not group) is core
        ],
    }


def _aggregated_version(registry: Registry, group: str, version: str) -> Object:
    listed = [_aggregated_resource(resource) for resource in resources_of(registry, group, version)]
    return {"version": version, "resources": listed, "freshness": "Current"}


def _aggregated_resource(resource: Resource) -> Object:
    entry: Object = {
        "resource": resource.plural,
        "responseKind": {"group": resource.group, "version": resource.version, "kind": resource.kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular_name,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if resource.subresources:
        entry["subresources"] = [_aggregated_subresource(resource, name) for name in _subresources(resource)]
    return entry


def _aggregated_subresource(resource: Resource, name: str) -> Object:
    group, version, kind = response_kind(resource, name)
    return {
        "subresource": name,
        "responseKind": {"group": group, "version": version, "kind": kind},
        "verbs": list(SUBRESOURCES[name].verbs),
    }


def wanted_aggregated(accept: str) -> str | None:
    """The aggregated version that a client prefers to the legacy format, by its Accept header."""
    for offer in accept.split(","):
        media_type, *parameters = (part.strip() for part in offer.split(";"))
        if media_type not in (JSON, "*/*", "application/*"):
            continue
        asked = dict(parameter.split("=", 1) for parameter in parameters if "=" in parameter)
        if "as" not in asked:
            return None
        version = asked.get("v", "")
        is_aggregated = asked["as"] == "APIGroupDiscoveryList" and asked.get("g") == "apidiscovery.k8s.io"
        if is_aggregated and version in AGGREGATED_VERSIONS:
            return version
    return None


class Discovery:
    """The documents of a registry, each built on first use and again after the registry has changed."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._generation = -1
        self._documents: dict[tuple[str, str | None], Document] = {}

    def answer(self, path: str, accept: str = JSON) -> Document | None:
        if self._generation != self._registry.generation:
            self._documents.clear()
            self._generation = self._registry.generation
        path = path.rstrip("/")
        key = path, wanted_aggregated(accept) if path in ("/api", "/apis") else None
        found = self._documents.get(key)
        if found is None:
            found = self._make(*key)
            if found is not None:
                self._documents[key] = found
        return found

    def _make(self, path: str, aggregated_version: str | None) -> Document | None:
        if aggregated_version:
            content = aggregated(self._registry, core=path == "/api", version=aggregated_version)
            content_type = f"{JSON};g=apidiscovery.k8s.io;v={aggregated_version};as=APIGroupDiscoveryList"
            return document(content, content_type)
        content = self._legacy(path)
        return document(content) if content else None

    def _legacy(self, path: str) -> Object | None:
        registry = self._registry
        match path.split("/")[1:]:
            case ["api"]:
                return api_versions(registry)
            case ["api", version]:
                return api_resource_list(registry, "", version)
            case ["apis"]:
                return api_group_list(registry)
            case ["apis", group]:
                return api_group(registry, group)
            case ["apis", group, version]:
                return api_resource_list(registry, group, version)
            case _:
                return None


def document(content: Object, content_type: str = JSON) -> Document:
    body = encode(content)
    return Document(body, content_type.encode(), etag_of(body))


def etag_of(body: bytes) -> bytes:
    return b'"%s"' % sha256(body).hexdigest().upper().encode()


_by_registry: WeakKeyDictionary[Registry, Discovery] = WeakKeyDictionary()


def answer(registry: Registry, path: str, accept: str = JSON) -> Document | None:
    """The document at `path` in the format that `accept` prefers; None if there is no such document."""
    discovery = _by_registry.get(registry)
    if discovery is None:
        discovery = _by_registry[registry] = Discovery(registry)
    return discovery.answer(path, accept)
