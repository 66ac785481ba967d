import re
from typing import Any

import pytest

from tests.apiserver.openapi.builders import SCHEMA, a_thing
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.discovery import Document
from windlass.apiserver.openapi import protobuf
from windlass.apiserver.openapi.documents import answer
from windlass.apiserver.resources import Registry, Resource
from windlass.kube.errors import NotAcceptable
from windlass.kube.json import Object, decode
from windlass.kube.structural import POD_TEMPLATE, structural


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry([*RESOURCES, a_thing()])


def found(document: Document | None) -> Object:
    assert document is not None
    return decode(document.body)


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set[str]()
        return own.union(*(references(inner) for inner in value.values()))
    if isinstance(value, list):
        return set[str]().union(*(references(inner) for inner in value))
    return set()


def group_versions(registry: Registry) -> list[str]:
    return list(found(answer(registry, "/openapi/v3"))["paths"])


def test_the_index_leads_to_a_document_of_each_group_version(registry: Registry) -> None:
    for path, entry in found(answer(registry, "/openapi/v3"))["paths"].items():
        address, _, digest = entry["serverRelativeURL"].partition("?hash=")

        assert address == f"/openapi/v3/{path}"
        assert re.fullmatch("[0-9A-F]{64}", digest)
        assert found(answer(registry, address))["openapi"] == "3.0.0"


def test_every_reference_in_a_document_leads_somewhere(registry: Registry) -> None:
    for path in group_versions(registry):
        document = found(answer(registry, f"/openapi/v3/{path}"))
        known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
        assert references(document) <= known
    swagger = found(answer(registry, "/openapi/v2"))
    assert references(swagger) <= {f"#/definitions/{name}" for name in swagger["definitions"]}


def tagged_kinds(schemas: Object) -> set[tuple[str, str, str]]:
    tags = (tag for schema in schemas.values() for tag in schema.get("x-kubernetes-group-version-kind", ()))
    return {(tag["group"], tag["version"], tag["kind"]) for tag in tags}


def test_every_served_kind_and_its_list_is_described_and_tagged(registry: Registry) -> None:
    swagger = tagged_kinds(found(answer(registry, "/openapi/v2"))["definitions"])
    for resource in registry:
        path = f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
        schemas = found(answer(registry, f"/openapi/v3/{path}"))["components"]["schemas"]
        kinds = [resource.kind, resource.list_kind_name] if "list" in resource.verbs else [resource.kind]
        for kind in kinds:
            assert (resource.group, resource.version, kind) in tagged_kinds(schemas)
            assert (resource.group, resource.version, kind) in swagger


def parameters(operation: Object) -> set[str]:
    return {parameter["name"] for parameter in operation.get("parameters", ())}


@pytest.mark.parametrize("version", [2, 3])
def test_patch_and_create_of_every_kind_take_field_validation_and_dry_run(registry: Registry, version: int) -> None:
    paths: dict[str, Object] = {}
    for path in ["/openapi/v2"] if version == 2 else [f"/openapi/v3/{gv}" for gv in group_versions(registry)]:
        paths |= found(answer(registry, path))["paths"]
    patched: set[tuple[str, str]] = set()
    for item in paths.values():
        for method in {"patch", "post"} & item.keys():
            operation = item[method]
            if operation["x-kubernetes-action"] != "connect":
                assert {"dryRun", "fieldValidation", "fieldManager"} <= parameters(operation)
        if "patch" in item:
            tag = item["patch"]["x-kubernetes-group-version-kind"]
            patched.add((tag["group"], tag["kind"]))

    assert patched >= {(resource.group, resource.kind) for resource in registry if "patch" in resource.verbs}


def test_the_operations_of_a_resource_are_at_its_paths(registry: Registry) -> None:
    paths = found(answer(registry, "/openapi/v3/apis/apps/v1"))["paths"]
    collection = "/apis/apps/v1/namespaces/{namespace}/deployments"

    actions = {
        (path, method): operation["x-kubernetes-action"]
        for path, item in paths.items()
        for method, operation in item.items()
        if "deployments" in path and method != "parameters"
    }
    assert actions == {
        ("/apis/apps/v1/deployments", "get"): "list",
        (collection, "get"): "list",
        (collection, "post"): "post",
        (collection, "delete"): "deletecollection",
        **{
            (collection + "/{name}", method): action
            for method, action in {"get": "get", "put": "put", "patch": "patch", "delete": "delete"}.items()
        },
        **{
            (f"{collection}/{{name}}/{subresource}", method): method
            for subresource in ("status", "scale")
            for method in ("get", "put", "patch")
        },
    }
    scale = paths[collection + "/{name}/scale"]["get"]
    assert scale["x-kubernetes-group-version-kind"] == {"group": "autoscaling", "kind": "Scale", "version": "v1"}
    assert scale["operationId"] == "readAppsV1NamespacedDeploymentScale"
    assert paths[collection]["parameters"][0]["name"] == "namespace"


def test_operations_have_names_of_their_own(registry: Registry) -> None:
    paths = found(answer(registry, "/openapi/v2"))["paths"]
    names = [op["operationId"] for item in paths.values() for method, op in item.items() if method != "parameters"]

    assert len(names) == len(set(names))


def test_a_built_in_type_is_in_the_form_of_version_3(registry: Registry) -> None:
    schemas = found(answer(registry, "/openapi/v3/api/v1"))["components"]["schemas"]
    pod = schemas["io.k8s.api.core.v1.Pod"]

    assert pod["type"] == "object"
    assert pod["properties"]["kind"].keys() == {"description", "type"}
    assert pod["properties"]["spec"]["allOf"] == [{"$ref": "#/components/schemas/io.k8s.api.core.v1.PodSpec"}]
    assert schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]["x-kubernetes-patch-merge-key"] == "name"
    int_or_string = schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]
    assert int_or_string["oneOf"] == [{"type": "integer"}, {"type": "string"}]
    assert int_or_string["format"] == "int-or-string"
    assert schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"]["oneOf"] == [{"type": "string"}, {"type": "number"}]


def test_a_built_in_type_is_in_the_form_of_version_2(registry: Registry) -> None:
    definitions = found(answer(registry, "/openapi/v2"))["definitions"]
    spec = definitions["io.k8s.api.core.v1.Pod"]["properties"]["spec"]

    assert spec["$ref"] == "#/definitions/io.k8s.api.core.v1.PodSpec"
    assert definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]["type"] == "string"
    assert definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"]["type"] == "string"


def test_a_custom_kind_has_its_schema_and_the_fields_of_every_object(registry: Registry) -> None:
    schemas = found(answer(registry, "/openapi/v3/apis/example.org/v1"))["components"]["schemas"]
    thing = schemas["org.example.v1.Thing"]

    assert thing["properties"]["spec"] == SCHEMA["properties"]["spec"]
    assert thing["required"] == ["spec"]
    assert thing["properties"]["apiVersion"]["type"] == thing["properties"]["kind"]["type"] == "string"
    reference = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    assert thing["properties"]["metadata"]["allOf"] == [{"$ref": reference}]
    assert schemas["org.example.v1.ThingList"]["properties"]["items"]["items"] == {
        "$ref": "#/components/schemas/org.example.v1.Thing"
    }


def test_version_2_leaves_out_what_it_cannot_say_of_a_custom_kind(registry: Registry) -> None:
    thing = found(answer(registry, "/openapi/v2"))["definitions"]["org.example.v1.Thing"]

    assert thing["properties"]["spec"]["properties"] == {
        "size": {"type": "integer", "minimum": 1},
        "port": {"x-kubernetes-int-or-string": True},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "maybe": {},
        "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    }


@pytest.mark.parametrize("schema", [{}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}])
def test_a_custom_kind_that_takes_anything_can_be_described(schema: Object) -> None:
    registry = Registry([a_thing(schema)])
    third = found(answer(registry, "/openapi/v3/apis/example.org/v1"))["components"]["schemas"]["org.example.v1.Thing"]
    second = found(answer(registry, "/openapi/v2"))["definitions"]["org.example.v1.Thing"]

    assert third["type"] == second["type"] == "object"
    assert set(third["properties"]) == {"apiVersion", "kind", "metadata"}


def test_a_pod_template_in_a_custom_kind_refers_to_kubernetes_own() -> None:
    spec: Object = {"type": "object", "properties": {"template": structural(POD_TEMPLATE)}}
    registry = Registry([a_thing({"type": "object", "properties": {"spec": spec}})])
    third = found(answer(registry, "/openapi/v3/apis/example.org/v1"))["components"]["schemas"]
    second = found(answer(registry, "/openapi/v2"))["definitions"]

    for schemas, prefix in ((third, "#/components/schemas/"), (second, "#/definitions/")):
        assert schemas["org.example.v1.Thing"]["properties"]["spec"]["properties"] == {
            "template": {"$ref": f"{prefix}{POD_TEMPLATE}"}
        }
        assert schemas["io.k8s.api.core.v1.Container"]["properties"]["image"]["description"]


def test_the_schema_that_was_declared_is_not_changed() -> None:
    before = repr(SCHEMA)
    registry = Registry([a_thing()])
    answer(registry, "/openapi/v2")
    answer(registry, "/openapi/v3/apis/example.org/v1")

    assert repr(SCHEMA) == before


@pytest.mark.parametrize(
    "path", ["/openapi/v3/apis/nobody.org/v1", "/openapi/v3/api/v7", "/openapi/v4", "/openapi/v3/apis/apps"]
)
def test_what_is_not_served_has_no_document(registry: Registry, path: str) -> None:
    assert answer(registry, path) is None


def address(registry: Registry, path: str) -> str:
    return found(answer(registry, "/openapi/v3"))["paths"][path]["serverRelativeURL"]


def test_a_change_of_one_kind_changes_its_own_document_only() -> None:
    registry = Registry([*RESOURCES, a_thing()])
    apps, thing = answer(registry, "/openapi/v3/apis/apps/v1"), address(registry, "apis/example.org/v1")
    apps_address = address(registry, "apis/apps/v1")
    changed: Resource = a_thing({"type": "object", "properties": {"spec": {"type": "string"}}})
    registry.add(changed)

    assert answer(registry, "/openapi/v3/apis/apps/v1") is apps
    assert address(registry, "apis/apps/v1") == apps_address
    assert address(registry, "apis/example.org/v1") != thing
    document = found(answer(registry, "/openapi/v3/apis/example.org/v1"))
    spec = document["components"]["schemas"]["org.example.v1.Thing"]["properties"]["spec"]
    assert spec == {"type": "string"}


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("application/json", b"application/json"),
        ("application/json, */*", b"application/json"),
        ("", b"application/json"),
        ("text/html, */*;q=0.1", b"application/json"),
        ("application/com.github.proto-openapi.spec.v2@v1.0+protobuf", protobuf.MEDIA_TYPE.encode()),
        ("application/com.github.proto-openapi.spec.v2.v1.0+protobuf,application/json", protobuf.MEDIA_TYPE.encode()),
    ],
)
def test_version_2_comes_in_the_form_that_is_asked_for(registry: Registry, accept: str, content_type: bytes) -> None:
    document = answer(registry, "/openapi/v2", accept)

    assert document is not None
    assert document.content_type == content_type


def test_a_form_that_is_not_known_is_not_acceptable(registry: Registry) -> None:
    with pytest.raises(NotAcceptable, match="application/json"):
        answer(registry, "/openapi/v2", "text/html")
    with pytest.raises(NotAcceptable):
        answer(registry, "/openapi/v3", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")


@pytest.mark.parametrize("version", [2, 3])
def test_strategic_merge_patches_are_offered_for_built_in_kinds_only(registry: Registry, version: int) -> None:
    strategic = "application/strategic-merge-patch+json"

    assert strategic in patch_forms(registry, version, "/api/v1/namespaces/{namespace}/pods/{name}")
    assert strategic not in patch_forms(registry, version, "/apis/example.org/v1/namespaces/{namespace}/things/{name}")


def patch_forms(registry: Registry, version: int, path: str) -> list[str]:
    if version == 2:
        return found(answer(registry, "/openapi/v2"))["paths"][path]["patch"]["consumes"]
    group_version = path.removeprefix("/").split("/namespaces/")[0]
    document = found(answer(registry, f"/openapi/v3/{group_version}"))
    return list(document["paths"][path]["patch"]["requestBody"]["content"])


def test_version_2_has_the_descriptions_that_kubectls_own_tests_look_for(registry: Registry) -> None:
    document = answer(registry, "/openapi/v2")
    assert document is not None

    for words in ("list of returned", "List of services", "Watch for changes to the described resources"):
        assert words.encode() in document.body


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/api/v1", "/openapi/v3/apis/example.org/v1"])
def test_every_parameter_and_every_list_is_described(registry: Registry, path: str) -> None:
    document = found(answer(registry, path))

    methods = [operation for item in document["paths"].values() for operation in item.values()]
    listed = [(one if isinstance(one, list) else one.get("parameters", ())) for one in methods]
    parameters = [parameter for some in listed for parameter in some if parameter["in"] != "body"]
    assert {parameter["name"] for parameter in parameters if not parameter.get("description")} == set()
    schemas: Object = document.get("definitions") or document["components"]["schemas"]
    assert [name for name, schema in schemas.items() if name.endswith("List") and not schema.get("description")] == []
