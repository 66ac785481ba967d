from typing import Any

import pytest

from tests.apiserver.crds.crd_builders import a_crd, a_version, an_object_schema, causes_of
from windlass.apiserver.crds.definition import CrdStrategy
from windlass.kube.json import Object

AT = "spec.versions[0].schema.openAPIV3Schema"
FIELD = f"{AT}.properties[spec].properties[f]"
TEXT: Object = {"type": "string"}


def test_names_and_conversion_are_filled_in() -> None:
    crd = a_crd()

    assert crd["spec"]["names"] == {
        "plural": "widgets",
        "kind": "Widget",
        "singular": "widget",
        "listKind": "WidgetList",
    }
    assert crd["spec"]["conversion"] == {"strategy": "None"}
    assert crd["status"]["storedVersions"] == ["v1"]
    assert causes_of(crd) == []


def test_the_name_must_be_plural_and_group() -> None:
    crd = a_crd()
    crd["metadata"]["name"] = "gadgets.example.com"

    assert causes_of(crd) == [
        'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group'
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"scope": "World"}, 'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'),
        ({"scope": ""}, "spec.scope: Required value"),
        (
            {"preserveUnknownFields": True},
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
            "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
        (
            {"conversion": {"strategy": "Magic"}},
            'spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
        ),
        (
            {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}},
            "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        ),
    ],
)
def test_a_bad_spec_is_refused_by_field(spec: Object, message: str) -> None:
    assert causes_of(a_crd(**spec)) == [message]


def test_exactly_one_version_is_stored_and_names_are_unique() -> None:
    found = causes_of(a_crd(a_version("v1"), a_version("v1")))

    assert any(line.endswith("must contain unique version names") for line in found)
    assert any(line.endswith("must have exactly one version marked as storage version") for line in found)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({}, f"{FIELD}.type: Required value: must not be empty for specified object fields"),
        (
            {"type": "array", "items": {}},
            f"{FIELD}.items.type: Required value: must not be empty for specified array items",
        ),
        ({"type": "array"}, f"{FIELD}.items: Required value: must be specified"),
        (
            {"type": "array", "items": TEXT, "uniqueItems": True},
            f"{FIELD}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes "
            "quadratic",
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
            f"{FIELD}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            {"type": "object", "additionalProperties": False},
            f"{FIELD}.additionalProperties: Forbidden: additionalProperties cannot be set to false",
        ),
        (
            {"type": "string", "anyOf": [{"type": "string"}]},
            f"{FIELD}.anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        (
            {"type": "object", "anyOf": [{"properties": {"a": {"minLength": 1}}}]},
            f"{FIELD}.properties[a]: Required value: because it is defined in {FIELD}.anyOf[0].properties[a]",
        ),
        (
            {"type": "integer", "x-kubernetes-int-or-string": True},
            f'{FIELD}.type: Invalid value: "integer": must be empty if x-kubernetes-int-or-string is true',
        ),
        (
            {"type": "array", "items": TEXT, "x-kubernetes-list-type": "bag"},
            f'{FIELD}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "map", "set"',
        ),
        (
            {"type": "array", "items": {"type": "object", "properties": {"n": TEXT}}, "x-kubernetes-list-type": "map"},
            f"{FIELD}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
        ),
        (
            {
                "type": "array",
                "items": {"type": "object", "properties": {"n": TEXT}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["n"],
            },
            f"{FIELD}.items.properties[n].default: Required value: this property is in x-kubernetes-list-map-keys, so "
            "it must have a default or be a required property",
        ),
        (
            {"type": "integer", "default": "x"},
            f'{FIELD}.default: Invalid value: "string":  in body must be of type integer: "string"',
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "default": {"b": 1}},
            f'{FIELD}.default: Invalid value: {{"b":1}}: must not have unknown fields',
        ),
        (
            {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
            f"{FIELD}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
        ),
        (
            {"type": "text"},
            f'{FIELD}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", '
            '"number", "object", "string"',
        ),
    ],
)
def test_a_schema_that_is_not_structural_is_refused(schema: Object, message: str) -> None:
    assert causes_of(a_crd(a_version(schema=an_object_schema(f=schema)))) == [message]


def test_both_spellings_of_int_or_string_are_structural() -> None:
    either: list[Any] = [{"type": "integer"}, {"type": "string"}]
    schema = an_object_schema(
        a={"x-kubernetes-int-or-string": True, "anyOf": either, "pattern": "^[0-9]+$"},
        b={"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": either}, {"maximum": 5}]},
    )

    assert causes_of(a_crd(a_version(schema=schema))) == []


def test_metadata_may_only_restrict_names() -> None:
    schema: Object = {
        "type": "object",
        "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}},
    }

    assert causes_of(a_crd(a_version(schema=schema))) == [
        f"{AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but "
        "metadata is implicitly specified"
    ]


def test_a_bad_pattern_is_named() -> None:
    (found,) = causes_of(a_crd(a_version(schema=an_object_schema(f={"type": "string", "pattern": "("}))))

    assert found.startswith(f'{FIELD}.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: ')


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"rule": ""}, ".rule: Required value: rule is not specified"),
        ({"rule": "true", "message": "a\nb"}, '.message: Invalid value: "a\\nb": message must not contain line breaks'),
        (
            {"rule": "true", "reason": "Odd"},
            '.reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", '
            '"FieldValueInvalid", "FieldValueRequired"',
        ),
        ({"rule": "1"}, '.rule: Invalid value: {"rule":"1"}: cel expression must evaluate to a bool'),
        (
            {"rule": "nope"},
            '.rule: Invalid value: {"rule":"nope"}: compilation failed: ERROR: <input>:1:1: undeclared reference to '
            "'nope' (in container '')\n | nope\n | ^",
        ),
        (
            {"rule": "true", "fieldPath": ".odd"},
            '.fieldPath: Invalid value: ".odd": fieldPath must be a valid path: does not refer to a valid field',
        ),
        (
            {"rule": "true", "messageExpression": "1"},
            '.messageExpression: Invalid value: {"rule":"true","messageExpression":"1"}: messageExpression must '
            "evaluate to a string",
        ),
    ],
)
def test_a_bad_rule_is_named(rule: Object, message: str) -> None:
    schema = an_object_schema(f={"type": "object", "properties": {"x": TEXT}, "x-kubernetes-validations": [rule]})

    assert causes_of(a_crd(a_version(schema=schema))) == [f"{FIELD}.x-kubernetes-validations[0]{message}"]


def test_a_transition_rule_needs_items_that_can_be_told_apart() -> None:
    rules = [{"rule": "self == oldSelf"}]
    (found,) = causes_of(
        a_crd(
            a_version(
                schema=an_object_schema(f={"type": "array", "items": {**TEXT, "x-kubernetes-validations": rules}})
            )
        )
    )

    assert found.endswith(f"oldSelf cannot be used on the uncorrelatable portion of the schema within {FIELD}")


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            {"subresources": {"scale": {"specReplicasPath": ".status.n", "statusReplicasPath": ".status.n"}}},
            'subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": ".spec.n"}}},
            "subresources.scale.statusReplicasPath: Required value",
        ),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".spec.a"}]},
            'additionalPrinterColumns[0].type: Invalid value: "text": must be one of '
            "boolean,date,integer,number,string",
        ),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "string"}]},
            "additionalPrinterColumns[0].jsonPath: Required value",
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec"}]},
            'selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or '
            "integer. Enum string fields and strings with formats are allowed.",
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec.size"}, {"jsonPath": ".spec.size"}]},
            'selectableFields[1].jsonPath: Duplicate value: ".spec.size"',
        ),
    ],
)
def test_a_bad_version_is_refused_by_field(version: Object, message: str) -> None:
    assert causes_of(a_crd(a_version(**version))) == [f"spec.versions[0].{message}"]


def test_a_version_that_still_holds_objects_may_not_be_removed() -> None:
    old = a_crd(a_version("v1"), a_version("v2", storage=False))
    new = a_crd(a_version("v2"))
    CrdStrategy().prepare_update(new, old)

    assert new["status"]["storedVersions"] == ["v1", "v2"]
    (found,) = causes_of(new)
    assert found.startswith(
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously'
    )


def test_what_names_an_established_definition_is_immutable() -> None:
    old = a_crd()
    new = a_crd(scope="Cluster", names={"kind": "Gadget"})
    established: Object = {"conditions": [{"type": "Established", "status": "True"}]}

    assert CrdStrategy().validate_update(new, old) == []
    fields = [cause.field for cause in CrdStrategy().validate_update(new, {**old, "status": established})]
    assert fields == ["spec.scope", "spec.names.kind"]


def test_groups_of_kubernetes_need_its_approval() -> None:
    crd = a_crd(group="batch.k8s.io")
    crd["metadata"]["name"] = "widgets.batch.k8s.io"
    assert len(causes_of(crd)) == 1

    crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, experimental-only"}
    assert causes_of(crd) == []
