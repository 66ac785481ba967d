"""Kubernetes' own types as a CustomResourceDefinition may say them."""

import copy
from typing import Any

from windlass.apiserver.crds.schema_rules import schema_causes
from windlass.kube.schema import shared
from windlass.kube.structural import POD_TEMPLATE, sharing, structural

TEMPLATE: Any = structural(POD_TEMPLATE)


def at(path: str, schema: Any = TEMPLATE) -> Any:
    for step in path.split("."):
        schema = (
            schema["items"]
            if step == "[]"
            else schema["additionalProperties"]
            if step == "*"
            else schema["properties"][step]
        )
    return schema


def every_part(schema: Any) -> Any:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from every_part(inner)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield from every_part(schema[word])


def test_a_pod_template_is_what_a_definition_may_hold() -> None:
    assert schema_causes({"type": "object", "properties": {"template": copy.deepcopy(TEMPLATE)}}, "schema") == []


def test_nothing_refers_nothing_is_described_and_everything_has_a_type() -> None:
    for part in every_part(TEMPLATE):
        assert not {"$ref", "description", "oneOf"} & set(part)
        assert isinstance(part.get("type"), str) or part.get("x-kubernetes-int-or-string")


def test_lists_are_merged_as_kubernetes_merges_them() -> None:
    containers = at("spec.containers")
    ports = at("spec.containers.[].ports")

    assert (containers["x-kubernetes-list-type"], containers["x-kubernetes-list-map-keys"]) == ("map", ["name"])
    assert ports["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert at("spec.containers.[].ports.[].protocol")["default"] == "TCP"
    assert at("spec.imagePullSecrets.[].name")["default"] == ""
    assert at("spec.nodeSelector")["x-kubernetes-map-type"] == "atomic"
    assert at("spec.tolerations")["x-kubernetes-list-type"] == "atomic"


def test_amounts_and_ports_may_be_numbers_or_text() -> None:
    amount = at("spec.containers.[].resources.limits.*")
    port = at("spec.containers.[].readinessProbe.httpGet.port")

    assert amount["x-kubernetes-int-or-string"] is True
    assert amount["pattern"].startswith("^")
    assert port == {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}


def test_what_is_required_stays_so() -> None:
    assert at("spec")["required"] == ["containers"]
    assert at("spec.containers.[]")["required"] == ["name"]


def test_all_who_ask_get_the_same_object() -> None:
    assert structural(POD_TEMPLATE) is TEMPLATE
    assert at("spec.containers.[].resources") is at("spec.initContainers.[].resources")


def test_an_equal_part_of_another_schema_becomes_the_shared_one() -> None:
    schema: Any = {
        "type": "object",
        "properties": {
            "one": {"type": "object", "additionalProperties": copy.deepcopy(TEMPLATE)},
            "many": {"type": "array", "items": copy.deepcopy(TEMPLATE)},
            "other": copy.deepcopy(TEMPLATE) | {"description": "almost the same"},
        },
    }
    before = copy.deepcopy(schema)

    shares = sharing(schema)

    assert shares == before
    assert shares["properties"]["one"]["additionalProperties"] is TEMPLATE
    assert shares["properties"]["many"]["items"] is TEMPLATE
    assert shares["properties"]["other"] is not TEMPLATE
    assert shares["properties"]["other"]["properties"]["spec"] is TEMPLATE["properties"]["spec"]
    assert shared.name_of(TEMPLATE) == POD_TEMPLATE
    assert shared.name_of(shares) == ""


def test_what_is_made_of_a_shared_part_is_made_once() -> None:
    made: list[Any] = []

    @shared.once
    def make(part: Any) -> int:
        made.append(part)
        return len(made)

    assert [make(TEMPLATE), make(TEMPLATE), make({}), make({})] == [1, 1, 2, 3]
