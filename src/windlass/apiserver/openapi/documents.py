"""The OpenAPI documents of the served resources: `/openapi/v3`, one document per group-version below it, `/openapi/v2`.

`answer` builds a document on first use and keeps its bytes until its resources change. The index of version 3 lists
each document's URL with a hash by which clients detect changes.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256
from weakref import WeakKeyDictionary

from windlass import __version__
from windlass.apiserver.discovery import JSON, Document, document, etag_of, groups, resources_of
from windlass.apiserver.openapi import protobuf, v2, v3
from windlass.apiserver.openapi.components import kind_name
from windlass.apiserver.resources import Registry, Resource
from windlass.kube.errors import NotAcceptable
from windlass.kube.json import Object, encode

_ANY_JSON = frozenset((JSON, "application/*", "*/*", ""))


def index(registry: Registry) -> Object:
    """Return the URL of each group-version's document."""
    found: Object = {}
    for group, versions in groups(registry).items():
        for version in versions:
            path = f"apis/{group}/{version}" if group else f"api/{version}"
            digest = _hash(resources_of(registry, group, version))
            found[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": found}


def _hash(resources: Iterable[Resource]) -> str:
    """A hash that changes whenever the document of these resources would, much cheaper than building it."""
    digest = sha256(__version__.encode())
    for resource in resources:
        told = kind_name(resource), resource.plural, resource.list_kind_name, resource.namespaced, resource.verbs
        digest.update(repr((told, sorted(resource.subresources))).encode())
        if resource.openapi is not None:
            digest.update(encode(resource.openapi()))
    return digest.hexdigest().upper()


class OpenApi:
    """The documents of a registry. When a group-version changes, the others' documents are kept."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._generation = -1
        self._of_all: dict[str, Document] = {}
        self._of_group_version: dict[tuple[str, str], tuple[str, Document]] = {}

    def answer(self, path: str, media_type: str) -> Document | None:
        if self._generation != self._registry.generation:
            self._of_all.clear()
            self._generation = self._registry.generation
        match path.strip("/").split("/"):
            case ["openapi", "v2"]:
                return self._all(media_type, self._version_2)
            case ["openapi", "v3"]:
                return self._all("index", lambda media_type: document(index(self._registry)))
            case ["openapi", "v3", "api", version]:
                return self._group_version("", version)
            case ["openapi", "v3", "apis", group, version]:
                return self._group_version(group, version)
            case _:
                return None

    def _all(self, name: str, make: Callable[[str], Document]) -> Document:
        found = self._of_all.get(name)
        if found is None:
            found = self._of_all[name] = make(name)
        return found

    def _version_2(self, media_type: str) -> Document:
        content = v2.document(self._registry)
        if media_type != protobuf.MEDIA_TYPE:
            return document(content)
        body = protobuf.document(content)
        return Document(body, media_type.encode(), etag_of(body))

    def _group_version(self, group: str, version: str) -> Document | None:
        resources = resources_of(self._registry, group, version)
        if not resources:
            return None
        digest = _hash(resources)
        known = self._of_group_version.get((group, version))
        if known is None or known[0] != digest:
            known = self._of_group_version[group, version] = digest, document(v3.document(resources))
        return known[1]


_by_registry: WeakKeyDictionary[Registry, OpenApi] = WeakKeyDictionary()


def answer(registry: Registry, path: str, accept: str = JSON) -> Document | None:
    """The document at `path` in JSON, version 2 also in protocol buffers; None if there is no such document."""
    media_type = _negotiate(path, accept)
    openapi = _by_registry.get(registry)
    if openapi is None:
        openapi = _by_registry[registry] = OpenApi(registry)
    return openapi.answer(path, media_type)


def _negotiate(path: str, accept: str) -> str:
    """The first acceptable media type that is supported."""
    can_be_protobuf = path.rstrip("/") == "/openapi/v2"
    for offer in accept.split(","):
        media_type = offer.partition(";")[0].strip()
        if media_type in _ANY_JSON:
            return JSON
        if media_type in protobuf.ASKED_FOR and can_be_protobuf:
            return protobuf.MEDIA_TYPE
    known = f"{JSON}, {protobuf.MEDIA_TYPE}" if can_be_protobuf else JSON
    raise NotAcceptable(f"only the following media types are accepted: {known}")
