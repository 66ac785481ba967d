"""The operations at each path of a group-version, independent of the version of OpenAPI.

kubectl reads from the patch operations whether a server supports `fieldValidation` and `dryRun`, and finds the kind of
a resource by its path, so both must be there for every served kind.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from windlass.apiserver.discovery import SUBRESOURCES, response_kind
from windlass.apiserver.openapi.components import KIND, KIND_LIST
from windlass.apiserver.resources import Resource
from windlass.kube.definitions import kind_names
from windlass.kube.json import Object

ANSWER_TYPES = ("application/json", "application/yaml")
_STRATEGIC = "application/strategic-merge-patch+json"
_PATCH_TYPES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    _STRATEGIC,
    "application/apply-patch+yaml",
)

# name: (type, description)
QUERY: dict[str, tuple[str, str]] = {
    "allowWatchBookmarks": ("boolean", "Ask for bookmark events in a watch, which say how far it has come."),
    "continue": ("string", "The token of the page before, to continue a list that was cut short by limit."),
    "dryRun": ("string", "With All, the request is processed and answered, but nothing is persisted."),
    "fieldManager": ("string", "The name of the actor that makes these changes, for managedFields."),
    "fieldSelector": ("string", "A selector to restrict the list of returned objects by their fields."),
    "fieldValidation": ("string", "How unknown and duplicate fields are handled: Ignore, Warn or Strict."),
    "force": ("boolean", "Acquire conflicting fields that other managers own; only for apply."),
    "gracePeriodSeconds": ("integer", "The seconds before the object is deleted; zero deletes it at once."),
    "labelSelector": ("string", "A selector to restrict the list of returned objects by their labels."),
    "limit": ("integer", "The maximum number of objects in the answer; continue then fetches the rest."),
    "orphanDependents": ("boolean", "Deprecated: use propagationPolicy."),
    "pretty": ("string", "If 'true', the output is indented; browsers, curl and wget get that by default."),
    "propagationPolicy": ("string", "How dependents are deleted: Orphan, Background or Foreground."),
    "resourceVersion": ("string", "The version to list objects at, or to start a watch from."),
    "resourceVersionMatch": ("string", "How resourceVersion applies to a list: Exact or NotOlderThan."),
    "sendInitialEvents": ("boolean", "Begin a watch with synthetic events for the objects that exist."),
    "timeoutSeconds": ("integer", "Limits the duration of the call, whatever there is to answer."),
    "watch": (
        "boolean",
        "Watch for changes to the described resources, and get them as a stream of notifications instead of a list.",
    ),
}
_LIST = (
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
)
_WRITE = ("dryRun", "fieldManager", "fieldValidation")
_PATCH = (*_WRITE, "force")
_DELETE = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")
_DELETE_MANY = (*_DELETE, *_LIST[1:8])

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_STATUS, _PATCH_BODY, _DELETE_OPTIONS = f"{_META}.Status", f"{_META}.Patch", f"{_META}.DeleteOptions"


class Operation(NamedTuple):
    """A method at a path. `body` and `answer` are KIND, KIND_LIST or a definition's name, or None."""

    method: str
    action: str
    query: tuple[str, ...]
    body: str | None
    answer: str | None
    resource: Resource
    subresource: str
    kind: tuple[str, str, str]


def patch_types(operation: Operation) -> tuple[str, ...]:
    """The supported patch types: kubectl apply reads here that custom resources have no strategic merge."""
    custom = operation.resource.custom
    return tuple(media for media in _PATCH_TYPES if not (custom and media == _STRATEGIC))


class Path(NamedTuple):
    path: str
    variables: tuple[str, ...]
    operations: tuple[Operation, ...]


_Row: TypeAlias = tuple[str, str, tuple[str, ...], str | None, str | None]
"""Method, action, query parameters, body and response of a verb."""

_COLLECTION: dict[str, _Row] = {
    "list": ("get", "list", _LIST, None, KIND_LIST),
    "create": ("post", "post", _WRITE, KIND, KIND),
    "deletecollection": ("delete", "deletecollection", _DELETE_MANY, _DELETE_OPTIONS, _STATUS),
}
_ITEM: dict[str, _Row] = {
    "get": ("get", "get", (), None, KIND),
    "update": ("put", "put", _WRITE, KIND, KIND),
    "patch": ("patch", "patch", _PATCH, _PATCH_BODY, KIND),
    "delete": ("delete", "delete", _DELETE, _DELETE_OPTIONS, _STATUS),
}
_CREATE: dict[str, _Row] = {"create": ("post", "post", _WRITE, KIND, KIND)}
_STREAMS = frozenset(("attach", "exec", "portforward", "proxy"))
_STREAM_METHODS = {"create": "post", "delete": "delete", "get": "get", "patch": "patch", "update": "put"}


def paths(resource: Resource) -> Iterator[Path]:
    """Return every path of a resource."""
    base = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    scope = f"{base}/namespaces/{{namespace}}" if resource.namespaced else base
    variables = ("namespace",) if resource.namespaced else ()
    collection = f"{scope}/{resource.plural}"
    yield Path(collection, variables, _operations(resource, _COLLECTION))
    yield Path(f"{collection}/{{name}}", ("name", *variables), _operations(resource, _ITEM))
    if resource.namespaced and "list" in resource.verbs:
        listed = _operations(resource, {"list": _COLLECTION["list"]})
        yield Path(f"{base}/{resource.plural}", (), listed)
    for name in sorted(resource.subresources & SUBRESOURCES.keys()):
        yield Path(f"{collection}/{{name}}/{name}", ("name", *variables), _subresource_operations(resource, name))


def _operations(resource: Resource, verbs: dict[str, _Row]) -> tuple[Operation, ...]:
    kind = resource.group, resource.version, resource.kind
    if resource.strategy.returns_deleted and "delete" in verbs:
        verbs = {**verbs, "delete": (*verbs["delete"][:-1], KIND)}
    return tuple(Operation(*row, resource, "", kind) for verb, row in verbs.items() if verb in resource.verbs)


def _subresource_operations(resource: Resource, name: str) -> tuple[Operation, ...]:
    verbs = SUBRESOURCES[name].verbs
    kind = response_kind(resource, name)
    if name in _STREAMS or name == "log":
        action = "get" if name == "log" else "connect"
        return tuple(Operation(_STREAM_METHODS[verb], action, (), None, None, resource, name, kind) for verb in verbs)
    own = KIND if kind[2] == resource.kind else kind_names()[kind]
    made: list[Operation] = []
    for verb, (method, action, query, body, answer) in {**_ITEM, **_CREATE}.items():
        if verb in verbs:
            body, answer = (own if type_ == KIND else type_ for type_ in (body, answer))
            made.append(Operation(method, action, query, body, answer, resource, name, kind))
    return tuple(made)


def operation_id(operation: Operation, path: str) -> str:
    """A name of the operation for generated clients, such as `patchAppsV1NamespacedDeploymentStatus`."""
    resource = operation.resource
    group = "".join(part.capitalize() for part in resource.group.removesuffix(".k8s.io").split(".")) or "Core"
    namespaced = "Namespaced" if "{namespace}" in path else ""
    verb = {"post": "create", "get": "read", "put": "replace", "deletecollection": "deleteCollection"}.get(
        operation.action, operation.action
    )
    if operation.action == "connect":
        verb = f"connect{operation.method.capitalize()}"
    everywhere = "ForAllNamespaces" if resource.namespaced and not namespaced else ""
    return (
        f"{verb}{group}{resource.version.capitalize()}{namespaced}{resource.kind}"
        f"{operation.subresource.capitalize()}{everywhere}"
    )


def common(operation: Operation, path: str) -> Object:
    """The fields of an operation that are the same in both versions of OpenAPI."""
    resource, (group, version, kind) = operation.resource, operation.kind
    what = f"{resource.plural}/{operation.subresource}" if operation.subresource else resource.plural
    return {
        "description": f"{operation.action} {what}",
        "operationId": operation_id(operation, path),
        "tags": [f"{resource.group.removesuffix('.k8s.io').replace('.', '') or 'core'}_{resource.version}"],
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": {"group": group, "kind": kind, "version": version},
    }
