"""What Kubernetes refuses of an openAPIV3Schema in a CustomResourceDefinition, rule by rule and in its words."""

from typing import Any

import pytest

from tests.apiserver.crds.crd_builders import a_crd, a_version, an_object_schema, causes_of
from windlass.kube.json import Object

AT = "spec.validation.openAPIV3Schema"
FIELD = f"{AT}.properties[spec].properties[f]"
TEXT: Object = {"type": "string"}
NUMBER: Object = {"type": "integer"}
EITHER: list[Any] = [{"type": "integer"}, {"type": "string"}]
KEYS, LIST, MAP = "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type"
EMBEDDED, PRESERVE = "x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
NOT_IN_METADATA = "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly"
NAMED: Object = {"type": "object", "properties": {"n": TEXT}, "required": ["n"]}


def of_field(schema: Object) -> list[str]:
    """What is wrong with `schema` as that of spec.f."""
    return causes_of(a_crd(a_version(schema=an_object_schema(f=schema))))


def of_root(schema: Object, **version: Any) -> list[str]:
    return causes_of(a_crd(a_version(schema=schema, **version)))


def keyed(items: Object, *keys: str) -> Object:
    return {"type": "array", "items": items, LIST: "map", KEYS: list(keys)}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({}, ".type: Required value: must not be empty for specified object fields"),
        ({"type": "array", "items": {}}, ".items.type: Required value: must not be empty for specified array items"),
        ({"type": "array"}, ".items: Required value: must be specified"),
        (
            {"type": "text"},
            '.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", '
            '"string"',
        ),
        (
            {"type": "array", "items": TEXT, "uniqueItems": True},
            ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
            ".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
            ".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        ({**TEXT, "id": "x"}, ".id: Forbidden: id is not supported"),
        ({**TEXT, "$ref": "#/x"}, ".$ref: Forbidden: $ref is not supported"),
        ({**TEXT, "$schema": "x"}, ": Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"),
        ({**TEXT, "definitions": {"a": TEXT}}, ".definitions: Forbidden: definitions is not supported"),
        ({**TEXT, "dependencies": {}}, ".dependencies: Forbidden: dependencies is not supported"),
        ({**TEXT, "additionalItems": True}, ".additionalItems: Forbidden: additionalItems is not supported"),
        (
            {**TEXT, "patternProperties": {"a": TEXT}},
            ".patternProperties: Forbidden: patternProperties is not supported",
        ),
        (
            {"type": "array", "items": [TEXT]},
            ".items: Forbidden: items must be a schema object and not an array",
        ),
        (
            {"type": "object", PRESERVE: False},
            f".{PRESERVE}: Invalid value: false: must be true or undefined",
        ),
        (
            {INT_OR_STRING: True, PRESERVE: True},
            f".{PRESERVE}: Invalid value: true: must be false if {INT_OR_STRING} is true",
        ),
    ],
)
def test_a_word_that_kubernetes_does_not_take_is_refused(schema: Object, message: str) -> None:
    assert of_field(schema) == [f"{FIELD}{message}"]


def test_type_null_is_refused() -> None:
    assert of_field({"type": "null"})[1:] == [
        f"{FIELD}.type: Forbidden: type cannot be set to null, use nullable as an alternative"
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": True},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": False},
        {"type": "object", PRESERVE: True},
        {PRESERVE: True},
        {"type": "integer", INT_OR_STRING: True},
        {INT_OR_STRING: True, "anyOf": EITHER, "pattern": "^[0-9]+$"},
        {INT_OR_STRING: True, "allOf": [{"anyOf": EITHER}, {"maximum": 5}]},
        {PRESERVE: True, "anyOf": EITHER},
        {"type": "object", "anyOf": [{"properties": {"a": {"minLength": 1}}}]},
        {"type": "object", "properties": {"metadata": {"type": "object", "description": "not that of the object"}}},
        {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {**NUMBER, "default": "x"}}}},
    ],
)
def test_what_kubernetes_takes_is_accepted(schema: Object) -> None:
    assert of_field(schema) == []


# lists and maps


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            {"type": "array", "items": TEXT, LIST: "bag"},
            f'.{LIST}: Unsupported value: "bag": supported values: "atomic", "set", "map"',
        ),
        ({**TEXT, LIST: "atomic"}, f'.type: Invalid value: "string": must be array if {LIST} is specified'),
        ({**TEXT, MAP: "atomic"}, f'.type: Invalid value: "string": must be object if {MAP} is specified'),
        (
            {"type": "object", MAP: "round"},
            f'.{MAP}: Unsupported value: "round": supported values: "atomic", "granular"',
        ),
        (
            {"type": "array", "items": TEXT, KEYS: ["n"]},
            f".{LIST}: Required value: must be map if {KEYS} is non-empty",
        ),
        (
            {"type": "array", "items": TEXT, KEYS: ["n"], LIST: "set"},
            f'.{LIST}: Invalid value: "set": must be map if {KEYS} is non-empty',
        ),
        (
            {"type": "array", "items": NAMED, LIST: "set"},
            f'.items.{MAP}: Invalid value: "null": must be atomic as item of a list with {LIST}=set',
        ),
        (
            {"type": "array", "items": {"type": "array", "items": TEXT, LIST: "set"}, LIST: "set"},
            f'.items.{LIST}: Invalid value: "set": must be atomic as item of a list with {LIST}=set',
        ),
        (
            {"type": "array", "items": {**TEXT, "nullable": True}, LIST: "set"},
            f".items.nullable: Forbidden: cannot be nullable when {LIST} is set",
        ),
        (keyed(NAMED), f".{KEYS}: Required value: must not be empty if {LIST} is map"),
        (
            keyed(TEXT, "n"),
            f'.items.type: Invalid value: "string": must be object if parent array\'s {LIST} is map',
        ),
        (keyed(NAMED, "m"), f'.{KEYS}: Invalid value: ["m"]: entries must all be names of item properties'),
        (keyed(NAMED, "n", "n"), f'.{KEYS}: Invalid value: ["n","n"]: must not contain duplicate entries'),
        (
            keyed({**NAMED, "properties": {"n": {"type": "object"}}}, "n"),
            '.items.properties[n].type: Invalid value: "object": must be a scalar type if parent array\'s '
            f"{LIST} is map",
        ),
        (
            keyed({**NAMED, "required": []}, "n"),
            f".items.properties[n].default: Required value: this property is in {KEYS}, so it must have a default or "
            "be a required property",
        ),
        (
            keyed({**NAMED, "properties": {"n": {**TEXT, "nullable": True}}}, "n"),
            f".items.properties[n].nullable: Forbidden: this property is in {KEYS}, so it cannot be nullable",
        ),
        (
            keyed({**NAMED, "nullable": True}, "n"),
            f".items.nullable: Forbidden: cannot be nullable when {LIST} is map",
        ),
    ],
)
def test_a_list_or_map_must_say_how_it_merges_rightly(schema: Object, message: str) -> None:
    assert of_field(schema) == [f"{FIELD}{message}"]


# branches


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        ({"type": "string"}, ".type: Forbidden: must be empty to be structural"),
        ({"title": "x"}, ".title: Forbidden: must be empty to be structural"),
        ({"description": "x"}, ".description: Forbidden: must be empty to be structural"),
        ({"default": 1}, ".default: Forbidden: must be undefined to be structural"),
        ({"nullable": True}, ".nullable: Forbidden: must be false to be structural"),
        ({"externalDocs": {"url": "x"}}, ".externalDocs: Forbidden: must be undefined to be structural"),
        (
            {"additionalProperties": {"minLength": 1}},
            ".additionalProperties: Forbidden: must be undefined to be structural",
        ),
        ({PRESERVE: True}, f".{PRESERVE}: Forbidden: must be false to be structural"),
        ({EMBEDDED: True}, f".{EMBEDDED}: Forbidden: must be false to be structural"),
        ({INT_OR_STRING: True}, f".{INT_OR_STRING}: Forbidden: must be false to be structural"),
        (
            {"x-kubernetes-validations": [{"rule": "true"}]},
            ".x-kubernetes-validations: Forbidden: must be empty to be structural",
        ),
        (
            {"properties": {"metadata": {"maxProperties": 1}}},
            ".properties[metadata]: Forbidden: must not be specified in a nested context",
        ),
        ({"properties": {"a": {"$ref": "#/a"}}}, ".properties[a].$ref: Forbidden: $ref is not supported"),
        (
            {"items": {"oneOf": [{"uniqueItems": True}]}},
            ".items.oneOf[0].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
            "becomes quadratic",
        ),
    ],
)
@pytest.mark.parametrize("word", ["anyOf", "allOf", "oneOf", "not"])
def test_structure_belongs_outside_of_branches(word: str, branch: Object, message: str) -> None:
    schema = {"type": "object", word: branch if word == "not" else [branch]}

    assert of_field(schema) == [f"{FIELD}.{word}{message}" if word == "not" else f"{FIELD}.{word}[0]{message}"]


def test_only_the_types_of_int_or_string_may_stand_in_a_branch() -> None:
    described = {"anyOf": EITHER, "description": "x"}

    assert of_field({INT_OR_STRING: True, "allOf": [described]}) == [
        f"{FIELD}.allOf[0].description: Forbidden: must be empty to be structural"
    ]


def test_a_field_that_a_branch_of_the_root_restricts_must_be_declared() -> None:
    restricted: Object = {"properties": {"spec": {"properties": {"a": {"minLength": 1}}}}}
    root: Object = {"type": "object", "properties": {"spec": {"type": "object"}}, "anyOf": [restricted]}

    assert of_root(root) == [
        f"{AT}.properties[spec].properties[a]: Required value: because it is defined in "
        f"{AT}.anyOf[0].properties[spec].properties[a]"
    ]


@pytest.mark.parametrize("schema", [{**TEXT, "pattern": "("}, {**TEXT, "not": {"pattern": "("}}])
def test_a_bad_pattern_is_named(schema: Object) -> None:
    (found,) = of_field(schema)

    assert '.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: ' in found


# the root, and objects inside of objects


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({}, ".type: Required value: must not be empty at the root"),
        ({"type": "string"}, '.type: Invalid value: "string": must be object at the root'),
        ({"type": "object", "nullable": True}, ".nullable: Forbidden: nullable cannot be true at the root"),
        (
            {"type": "object", "additionalProperties": True},
            ".additionalProperties: Forbidden: must not be used at the root",
        ),
        (
            {"type": "object", "properties": {"kind": NUMBER}},
            '.properties[kind].type: Invalid value: "integer": must be string',
        ),
        (
            {"type": "object", "properties": {"apiVersion": {PRESERVE: True}}},
            '.properties[apiVersion].type: Invalid value: "": must be string',
        ),
    ],
)
def test_the_root_is_an_object_of_kubernetes(schema: Object, message: str) -> None:
    # a name of its own keeps the builder from taking the empty schema for none
    assert of_root({**schema, "title": "t"}) == [f"{AT}{message}"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"description": "Name, labels and annotations."},
        {"title": "x"},
        {"nullable": True},
        {"required": ["name"]},
        {"maxProperties": 2},
        {"additionalProperties": TEXT},
        {"x-kubernetes-validations": [{"rule": "true"}]},
        {"properties": {"labels": {"type": "object"}}},
        {"properties": {"name": TEXT, "labels": {"type": "object"}}},
    ],
)
def test_nothing_may_be_said_of_metadata_but_what_names_are_like(metadata: Object) -> None:
    found = of_root({"type": "object", "properties": {"metadata": {"type": "object", **metadata}}})

    assert found == [f"{AT}.properties[metadata]: {NOT_IN_METADATA} specified"]


@pytest.mark.parametrize(
    "metadata", [{}, {"properties": {}}, {"properties": {"name": {**TEXT, "maxLength": 9, "description": "Short."}}}]
)
def test_names_may_be_restricted(metadata: Object) -> None:
    assert of_root({"type": "object", "properties": {"metadata": {"type": "object", **metadata}}}) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({PRESERVE: True}, f".type: Required value: must be object if {EMBEDDED} is true"),
        ({"type": "string"}, f'.type: Invalid value: "string": must be object if {EMBEDDED} is true'),
        (
            {"type": "object", PRESERVE: True, "additionalProperties": TEXT},
            f".additionalProperties: Forbidden: must not be used if {EMBEDDED} is set",
        ),
        (
            {"type": "object", PRESERVE: True, "properties": {"metadata": TEXT}},
            '.properties[metadata].type: Invalid value: "string": must be object',
        ),
        (
            {"type": "object", "properties": {"metadata": {"type": "object", EMBEDDED: True, PRESERVE: True}}},
            f".properties[metadata].{EMBEDDED}: Forbidden: must not be used inside of resource meta",
        ),
    ],
)
def test_an_embedded_object_is_one_of_kubernetes_too(schema: Object, message: str) -> None:
    assert of_field({EMBEDDED: True, **schema})[:1] == [f"{FIELD}{message}"]


def test_an_embedded_object_needs_fields_unless_it_keeps_all() -> None:
    assert of_field({EMBEDDED: True, "type": "object"}) == [
        f"{FIELD}.properties: Required value: must not be empty if {EMBEDDED} is true without {PRESERVE}"
    ]


def test_the_metadata_of_an_embedded_object_may_be_described() -> None:
    metadata: Object = {"type": "object", "description": "x", "properties": {"labels": {"type": "object"}}}

    assert of_field({EMBEDDED: True, "type": "object", "properties": {"metadata": metadata}}) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"maxProperties": 3}, f"{AT}: Invalid value: "),
        ({"anyOf": [{"required": ["spec"]}]}, f"{AT}: Invalid value: "),
        ({"default": {"spec": {}}}, f"{AT}: Invalid value: "),
        ({MAP: "atomic"}, f"{AT}: Invalid value: "),
        (
            {"type": "string"},
            f'{AT}.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if '
            "the status subresource is enabled",
        ),
    ],
)
def test_with_a_status_the_root_says_little(more: Object, message: str) -> None:
    schema: Object = {**an_object_schema(), **more}

    assert of_root(schema, subresources={"status": {}})[0].startswith(message)
    assert "status subresource" not in str(of_root(schema))


# defaults


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            {**NUMBER, "default": "x"},
            '.default: Invalid value: "string":  in body must be of type integer: "string"',
        ),
        (
            {**TEXT, "maxLength": 1, "default": "xy"},
            ".default: Too long: may not be more than 1 byte",
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "default": {"b": 1}},
            '.default: Invalid value: {"b":1}: must not have unknown fields',
        ),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": NUMBER}}, "default": {"a": ["x"]}},
            '.default.a[0]: Invalid value: "string": a[0] in body must be of type integer: "string"',
        ),
        (
            {**NUMBER, "default": 1, "x-kubernetes-validations": [{"rule": "self > 1", "message": "too small"}]},
            ".default: Invalid value: 1: too small",
        ),
    ],
)
def test_a_default_must_be_valid_itself(schema: Object, message: str) -> None:
    assert of_field(schema) == [f"{FIELD}{message}"]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"kind": {**TEXT, "default": "A"}}, ".properties[kind].default: Forbidden: must not be set in top-level kind"),
        (
            {"metadata": {"type": "object", "properties": {"name": {**TEXT, "default": "a"}}}},
            ".properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
        ),
    ],
)
def test_what_names_an_object_has_no_default(properties: Object, message: str) -> None:
    assert of_root({"type": "object", "properties": properties}) == [f"{AT}{message}"]


def test_a_default_of_embedded_metadata_must_make_good_metadata() -> None:
    def embedded(metadata: Object) -> Object:
        return {EMBEDDED: True, "type": "object", "properties": {"metadata": metadata}}

    named: Object = {"type": "object", "properties": {"name": {**TEXT, "default": "a/b"}}}
    labelled: Object = {
        "type": "object",
        "properties": {"labels": {"type": "object", "additionalProperties": {**TEXT, "default": "x"}}},
    }

    (wrong,) = of_field(embedded(named))
    assert wrong.startswith(
        f'{FIELD}.properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: '
        'metadata.name: Invalid value: "a/b": '
    )
    assert of_field(embedded(labelled)) == [
        f"{FIELD}.properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set "
        "inside additionalProperties applying to object metadata"
    ]


# rules


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"rule": ""}, ".rule: Required value: rule is not specified"),
        ({"rule": "true", "message": " "}, '.message: Invalid value: " ": message must be non-empty if specified'),
        ({"rule": "true", "message": "a\nb"}, '.message: Invalid value: "a\\nb": message must not contain line breaks'),
        (
            {"rule": "true ||\nfalse"},
            ".message: Required value: message must be specified if rule contains line breaks",
        ),
        (
            {"rule": "true", "messageExpression": " "},
            ".messageExpression: Required value: messageExpression must be non-empty if specified",
        ),
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
        ({"rule": "true", "fieldPath": ".odd"}, '.fieldPath: Invalid value: ".odd": fieldPath must be a valid path'),
        ({"rule": "true", "fieldPath": "x"}, '.fieldPath: Invalid value: "x": fieldPath must be a valid path'),
        (
            {"rule": "true", "optionalOldSelf": True},
            ".optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
        (
            {"rule": "true", "messageExpression": "1"},
            '.messageExpression: Invalid value: {"rule":"true","messageExpression":"1"}: messageExpression must '
            "evaluate to a string",
        ),
    ],
)
def test_a_bad_rule_is_named(rule: Object, message: str) -> None:
    schema = {"type": "object", "properties": {"x": TEXT}, "x-kubernetes-validations": [rule]}

    assert of_field(schema) == [f"{FIELD}.x-kubernetes-validations[0]{message}"]


@pytest.mark.parametrize(
    "within",
    [
        lambda rule: {"type": "array", "items": {**TEXT, **rule}},
        lambda rule: {"type": "object", MAP: "atomic", "properties": {"x": {**TEXT, **rule}}},
    ],
)
def test_a_transition_rule_needs_values_that_can_be_told_apart(within: Any) -> None:
    (found,) = of_field(within({"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}))

    assert found.endswith(f"oldSelf cannot be used on the uncorrelatable portion of the schema within {FIELD}")
