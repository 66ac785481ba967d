"""What Kubernetes' conformance tests ask of CustomResourceDefinitions and of the objects they define."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.conformance.builders import ANYTHING, TEXT, a_definition, an_object
from tests.conformance.client import Caller
from tests.support import eventually

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def group(administrator: Caller) -> Iterator[str]:
    """An API group of the test's own, whose definitions go with it."""
    name = f"g{uuid4().hex[:8]}.example.com"
    yield name
    administrator.delete(DEFINITIONS, labelSelector=f"group={name}")


Define = Callable[..., str]


@pytest.fixture
def define(administrator: Caller, namespace: str, group: str) -> Define:
    """Make a definition and wait until it is established; the path of its objects."""

    def make(kind: str, schema: dict[str, Any] | None = None, **version: Any) -> str:
        made = administrator.create(DEFINITIONS, a_definition(group, kind, schema, **version))
        path = f"{DEFINITIONS}/{made['metadata']['name']}"
        eventually(lambda: "Established" in conditions(administrator.get(path)))
        return f"/apis/{group}/v1/namespaces/{namespace}/{kind.lower()}s"

    return make


def conditions(obj: dict[str, Any]) -> list[str]:
    return [c["type"] for c in obj.get("status", {}).get("conditions", []) if c["status"] == "True"]


def an_instance(group: str, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, **fields}


def test_the_status_of_a_definition_can_be_read_written_and_patched(
    administrator: Caller, group: str, define: Define
) -> None:
    define("Thing")
    path = f"{DEFINITIONS}/things.{group}/status"
    told = {"type": "Told", "status": "True", "reason": "Test", "message": "by a test"}
    written = administrator.replace(path, lambda read: read["status"]["conditions"].append(told))
    patched = administrator.patch(
        path, [{"op": "add", "path": "/status/conditions/-", "value": {**told, "type": "More"}}], "json"
    )
    assert conditions(written) == ["NamesAccepted", "Established", "Told"]
    assert conditions(patched) == ["NamesAccepted", "Established", "Told", "More"]


def test_defaults_and_pruning_follow_the_schema_for_what_was_stored_before_it(
    administrator: Caller, group: str, define: Define
) -> None:
    objects = define("Thing", an_object(spec=an_object(old=TEXT, gone=TEXT)))
    administrator.create(objects, an_instance(group, "Thing", "a", spec={"old": "x", "gone": "y"}))
    schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"
    administrator.patch(
        f"{DEFINITIONS}/things.{group}",
        [
            {"op": "add", "path": f"{schema}/new", "value": {"type": "string", "default": "filled in"}},
            {"op": "remove", "path": f"{schema}/gone"},
        ],
        "json",
    )

    got = eventually(lambda: (found := administrator.get(f"{objects}/a"))["spec"].get("new") and found)
    assert got["spec"] == {"old": "x", "new": "filled in"}
    assert [item["spec"] for item in administrator.get(objects)["items"]] == [got["spec"]]
    watched = administrator.ask("GET", objects, watch="true", timeoutSeconds=1)
    assert b'"spec":{"old":"x","new":"filled in"}' in watched.body
    kept = administrator.patch(f"{objects}/a", {"spec": {"old": "z"}})
    assert kept["spec"] == {"old": "z", "new": "filled in"}


def test_unknown_and_repeated_fields_are_refused_where_that_is_asked_for(
    administrator: Caller, group: str, define: Define
) -> None:
    template = {**ANYTHING, "x-kubernetes-embedded-resource": True}
    objects = define("Thing", an_object(spec=an_object(known=TEXT, template=template)))
    inner = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "odd": "y"}}
    odd = an_instance(group, "Thing", "a", spec={"known": "k", "other": 1, "template": inner})
    odd["metadata"]["odd"] = "z"
    unknown = [
        'unknown field "metadata.odd"',
        'unknown field "spec.other"',
        'unknown field "spec.template.metadata.odd"',
    ]

    created = administrator.ask("POST", objects, odd, fieldValidation="Strict")
    applied = administrator.ask(
        "PATCH", f"{objects}/a", odd, "application/apply-patch+yaml", fieldManager="m", fieldValidation="Strict"
    )
    warned = administrator.ask("POST", objects, odd, fieldValidation="Warn")
    patched = administrator.ask(
        "PATCH", f"{objects}/a", {"spec": {"other": 2}}, "application/merge-patch+json", fieldValidation="Strict"
    )

    for refused in (created, applied):
        assert refused.status == 400
        assert f"strict decoding error: {', '.join(unknown)}" in refused.json()["message"]
    assert [text.split('"', 1)[1][:-1].replace('\\"', '"') for text in warned.warnings] == unknown
    assert warned.json()["spec"] == {
        "known": "k",
        "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
    }
    assert patched.status == 422
    assert 'strict decoding error: unknown field "spec.other"' in patched.json()["message"]


def test_a_key_that_an_applied_file_repeats_is_told_with_its_line(
    administrator: Caller, group: str, define: Define
) -> None:
    objects = define("Thing", an_object(spec=an_object(known=TEXT)))
    text = f"apiVersion: {group}/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  known: x\n  known: y\n"
    media, query = "application/apply-patch+yaml", "?fieldManager=m&fieldValidation="

    def send(mode: str) -> Any:
        return administrator.server.request("PATCH", f"{objects}/a{query}{mode}", text.encode(), content_type=media)

    strict, warned = send("Strict"), send("Warn")
    assert (strict.status, strict.json()["message"]) == (
        400,
        "error decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
        '  line 7: key "known" already set in map',
    )
    assert warned.status == 201
    assert warned.warnings == ['299 - "line 7: key \\"known\\" already set in map"']


@pytest.mark.parametrize(
    ("instance", "code", "why"),
    [
        ({"metadata": {"name": "a", "labels": {"a": 5}}}, 400, "cannot unmarshal number into Go struct field"),
        ({"spec": {"template": {"metadata": {"name": "x"}}}}, 422, "spec.template.apiVersion: Required value"),
        ({"spec": {"template": {"apiVersion": "v1", "kind": "a b"}}}, 422, "spec.template.kind: Invalid value"),
        (
            {"spec": {"template": {"apiVersion": "v1", "kind": "A", "metadata": {"labels": {"a": "-"}}}}},
            422,
            "spec.template.metadata.labels: Invalid value",
        ),
    ],
)
def test_metadata_is_checked_at_the_root_and_inside(
    administrator: Caller, group: str, define: Define, instance: dict[str, Any], code: int, why: str
) -> None:
    template = {**ANYTHING, "x-kubernetes-embedded-resource": True}
    objects = define("Thing", an_object(spec=an_object(template=template)))

    answer = administrator.ask("POST", objects, {**an_instance(group, "Thing", "a"), **instance})

    assert answer.status == code
    assert why in answer.json()["message"]


def test_what_is_applied_to_the_status_touches_nothing_else(administrator: Caller, group: str, define: Define) -> None:
    schema = an_object(spec=ANYTHING, status=an_object(a=TEXT, b=TEXT))
    objects = define("Thing", schema, subresources={"status": {}})
    administrator.create(objects, an_instance(group, "Thing", "a", spec={"x": 1}, status={"a": "ignored"}))
    path = f"{objects}/a/status"

    def apply(status: dict[str, Any], manager: str = "m") -> Any:
        config = an_instance(group, "Thing", "a", spec={"x": 2}, status=status)
        return administrator.ask("PATCH", path, config, "application/apply-patch+yaml", fieldManager=manager)

    first, second, third = apply({"a": "1", "b": "2"}), apply({"a": "1"}), apply({"a": "9"}, "another")
    assert (first.json()["spec"], first.json()["status"]) == ({"x": 1}, {"a": "1", "b": "2"})
    assert second.json()["status"] == {"a": "1"}
    assert third.status == 409
    assert [cause["field"] for cause in third.json()["details"]["causes"]] == [".status.a"]


def test_versions_come_into_discovery_and_openapi_and_leave_them(
    administrator: Caller, group: str, define: Define
) -> None:
    define("Thing", an_object(spec=an_object(known={**TEXT, "description": "What is known."})))
    definition = f"{DEFINITIONS}/things.{group}"
    prefix = ".".join(reversed(group.split(".")))

    def published() -> tuple[list[str], list[str]]:
        entry = next((g for g in administrator.get("/apis")["groups"] if g["name"] == group), {"versions": []})
        kinds = [name for name in administrator.get("/openapi/v2")["definitions"] if name.startswith(prefix)]
        return [version["version"] for version in entry["versions"]], [
            name.removeprefix(f"{prefix}.") for name in kinds if not name.endswith("List")
        ]

    assert published() == (["v1"], ["v1.Thing"])
    first = administrator.get(definition)["spec"]["versions"][0]
    second = {**first, "name": "v2", "storage": False}
    administrator.patch(definition, {"spec": {"versions": [first, second]}})
    eventually(lambda: published() == (["v2", "v1"], ["v1.Thing", "v2.Thing"]))
    administrator.patch(definition, {"spec": {"versions": [first, {**second, "served": False}]}})
    eventually(lambda: published() == (["v1"], ["v1.Thing"]))
    document = administrator.get(f"/openapi/v3/apis/{group}/v1")
    shape = document["components"]["schemas"][f"{prefix}.v1.Thing"]
    assert shape["properties"]["spec"]["properties"]["known"]["description"] == "What is known."
