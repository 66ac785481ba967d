"""An OpenAPI 3 document: the paths and types of one group-version."""

from collections.abc import Iterable

from windlass.apiserver.openapi.components import Components
from windlass.apiserver.openapi.operations import ANSWER_TYPES, QUERY, Operation, Path, common, patch_types, paths
from windlass.apiserver.resources import Resource
from windlass.kube.json import Object
from windlass.kube.kubernetes_version import KUBERNETES_VERSION


def document(resources: Iterable[Resource]) -> Object:
    components = Components(3)
    described = {path.path: _path(path, components) for resource in resources for path in paths(resource)}
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": KUBERNETES_VERSION},
        "paths": dict(sorted(described.items())),
        "components": {
            "schemas": components.schemas(),
            "securitySchemes": {"BearerToken": {"type": "apiKey", "name": "authorization", "in": "header"}},
        },
    }


def _parameter(name: str) -> Object:
    type_, description = QUERY[name]
    return {"name": name, "in": "query", "description": description, "schema": {"type": type_, "uniqueItems": True}}


_PARAMETERS = {name: _parameter(name) for name in QUERY}


def _variable(name: str) -> Object:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": f"The {name} of the object.",
        "schema": {"type": "string", "uniqueItems": True},
    }


def _path(path: Path, components: Components) -> Object:
    item: Object = {operation.method: _operation(operation, path.path, components) for operation in path.operations}
    item["parameters"] = [*(_variable(name) for name in path.variables), _PARAMETERS["pretty"]]
    return item


def _operation(operation: Operation, path: str, components: Components) -> Object:
    made = common(operation, path)
    if operation.query:
        made["parameters"] = [_PARAMETERS[name] for name in operation.query]
    if operation.body is not None:
        schema = components.of(operation.resource, operation.body)
        types = patch_types(operation) if operation.method == "patch" else ("*/*",)
        body: Object = {"content": {type_: {"schema": schema} for type_ in types}}
        made["requestBody"] = body if operation.method == "delete" else {**body, "required": True}
    ok: Object = {"description": "OK"}
    if operation.answer is not None:
        schema = components.of(operation.resource, operation.answer)
        ok["content"] = {type_: {"schema": schema} for type_ in ANSWER_TYPES}
    made["responses"] = {"200": ok, "401": {"description": "Unauthorized"}}
    return made
