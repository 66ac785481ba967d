import copy
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.crds.crd_builders import an_object_schema
from windlass.apiserver.crds.structural import Structural
from windlass.kube.json import Object

TEXT: Object = {"type": "string"}
ONE_OF = '<nil>: Invalid value: "": "spec.field" must validate one and only one schema (oneOf)'


def wrong(schema: Object, value: Any) -> list[str]:
    """What is wrong with `value` as spec.field."""
    found = Structural(an_object_schema(field=schema)).validate({"spec": {"field": value}})
    return [f"{cause.field}: {cause.message}" for cause in found]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "x", 'Invalid value: "string": spec.field in body must be of type integer: "string"'),
        ({"type": "integer"}, 1.5, 'Invalid value: "number": spec.field in body must be of type integer: "number"'),
        ({"type": "string"}, None, 'Invalid value: "null": spec.field in body must be of type string: "null"'),
        ({"type": "object"}, [], 'Invalid value: "array": spec.field in body must be of type object: "array"'),
        (
            {"x-kubernetes-int-or-string": True},
            True,
            'Invalid value: "boolean": spec.field in body must be of type integer,string: "boolean"',
        ),
        (
            {"type": "integer", "minimum": 1},
            0,
            "Invalid value: 0: spec.field in body should be greater than or equal to 1",
        ),
        (
            {"type": "integer", "maximum": 9},
            10,
            "Invalid value: 10: spec.field in body should be less than or equal to 9",
        ),
        (
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            1,
            "Invalid value: 1: spec.field in body should be greater than 1",
        ),
        (
            {"type": "number", "maximum": 1.5},
            1.75,
            "Invalid value: 1.75: spec.field in body should be less than or equal to 1.5",
        ),
        ({"type": "integer", "multipleOf": 5}, 7, "Invalid value: 7: spec.field in body should be a multiple of 5"),
        ({"type": "string", "pattern": "^a$"}, "b", "Invalid value: \"b\": spec.field in body should match '^a$'"),
        (
            {"type": "string", "minLength": 2},
            "b",
            'Invalid value: "b": spec.field in body should be at least 2 chars long',
        ),
        ({"type": "string", "maxLength": 2}, "abc", "Too long: may not be more than 2 bytes"),
        ({"type": "string", "enum": ["b", "a"]}, "c", 'Unsupported value: "c": supported values: "b", "a"'),
        (
            {"type": "string", "format": "ipv4"},
            "1.2",
            'Invalid value: "1.2": spec.field in body must be of type ipv4: "1.2"',
        ),
        (
            {"type": "array", "items": TEXT, "minItems": 1},
            [],
            "Invalid value: 0: spec.field in body should have at least 1 items",
        ),
        ({"type": "array", "items": TEXT, "maxItems": 1}, ["a", "b"], "Too many: 2: must have at most 1 item"),
        (
            {"type": "object", "minProperties": 1},
            {},
            "Invalid value: 0: spec.field in body should have at least 1 properties",
        ),
        (
            {"type": "object", "additionalProperties": TEXT, "maxProperties": 1},
            {"a": "", "b": ""},
            "Too many: 2: must have at most 1 item",
        ),
    ],
)
def test_a_wrong_value_is_told_in_kubernetes_words(schema: Object, value: Any, message: str) -> None:
    assert wrong(schema, value) == [f"spec.field: {message}"]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 2.0),
        ({"type": "number"}, 2),
        ({"type": "string", "nullable": True}, None),
        ({"x-kubernetes-int-or-string": True}, "80%"),
        ({"x-kubernetes-int-or-string": True}, 80),
        ({"type": "integer", "x-kubernetes-int-or-string": True}, "80%"),
        ({"type": "string", "format": "int-unknown"}, "x"),
        ({"type": "integer", "format": "int32"}, 2**40),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"x": [1]}),
    ],
)
def test_a_right_value_is_left_in_peace(schema: Object, value: Any) -> None:
    assert wrong(schema, value) == []


def test_a_missing_field_and_an_item_deep_down_are_named_by_their_paths() -> None:
    item: Object = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "port": {"type": "integer"}}}

    found = wrong({"type": "array", "items": item}, [{"name": "a"}, {"port": "x"}])

    assert found == [
        'spec.field[1].port: Invalid value: "string": spec.field[1].port in body must be of type integer: "string"',
        "spec.field[1].name: Required value",
    ]


def test_reasons_follow_kubernetes() -> None:
    schema = Structural(an_object_schema(a={"type": "integer"}, b={"type": "string", "enum": ["x"]}, c=TEXT))
    schema.raw["properties"]["spec"]["required"] = ["d"]

    found = schema.validate({"spec": {"a": "1", "b": "y"}})

    assert [cause.reason for cause in found] == [
        "FieldValueTypeInvalid",
        "FieldValueNotSupported",
        "FieldValueRequired",
    ]


@pytest.mark.parametrize(
    ("schema", "value", "messages"),
    [
        (
            {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {},
            [
                f"{ONE_OF}. Found none valid",
                "spec.field.a: Required value",
            ],
        ),
        (
            {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": 1, "b": 1},
            [f"{ONE_OF}. Found 2 valid alternatives"],
        ),
        (
            {"type": "integer", "anyOf": [{"maximum": 1}, {"minimum": 5}]},
            3,
            [
                '<nil>: Invalid value: "": "spec.field" must validate at least one schema (anyOf)',
                "spec.field: Invalid value: 3: spec.field in body should be less than or equal to 1",
            ],
        ),
        (
            {"type": "integer", "not": {"enum": [3]}},
            3,
            ['<nil>: Invalid value: "": "spec.field" must not validate the schema (not)'],
        ),
        (
            {"type": "integer", "allOf": [{"minimum": 1}, {"maximum": 2}]},
            3,
            [
                "spec.field: Invalid value: 3: spec.field in body should be less than or equal to 2",
                '<nil>: Invalid value: "": "spec.field" must validate all the schemas (allOf)',
            ],
        ),
    ],
)
def test_composites_read_as_in_kubernetes(schema: Object, value: Any, messages: list[str]) -> None:
    assert wrong(schema, value) == messages


def test_sets_and_keyed_lists_refuse_duplicates() -> None:
    ports: Object = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {
            "type": "object",
            "properties": {"port": {"type": "integer"}, "protocol": {**TEXT, "default": "TCP"}},
        },
    }

    assert wrong({"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}, ["a", "b", "a"]) == [
        'spec.field[2]: Duplicate value: "a"'
    ]
    assert wrong(ports, [{"port": 1}, {"port": 1, "protocol": "UDP"}, {"port": 1, "protocol": "TCP"}]) == [
        'spec.field[2]: Duplicate value: {"port":1,"protocol":"TCP"}'
    ]


@pytest.mark.parametrize(
    ("format_", "good", "bad"),
    [
        ("date-time", "2024-02-29T12:00:00.5+01:00", "2023-02-29T12:00:00Z"),
        ("date", "2024-02-29", "2024-2-29"),
        ("duration", "1h30m", "1 fortnight"),
        ("byte", "YWJj", "YWJ"),
        ("uri", "https://example.com/x", "example"),
        ("email", "a@example.com", "a"),
        ("hostname", "a.example.com", "-a"),
        ("ipv6", "::1", "1.2.3.4"),
        ("cidr", "10.0.0.0/8", "10.0.0.0"),
        ("mac", "00:00:5e:00:53:01", "00:00"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
        ("uuid4", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
        ("isbn13", "978-3-16-148410-0", "978-3-16-148410-1"),
        ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
        ("rgbcolor", "rgb(1, 2, 255)", "rgb(1, 2, 256)"),
    ],
)
def test_formats_that_kubernetes_checks_are_checked(format_: str, good: str, bad: str) -> None:
    schema: Object = {"type": "string", "format": format_}

    assert wrong(schema, good) == []
    assert len(wrong(schema, bad)) == 1


DNS_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("^a$", "a", "a\n"),
        ("[[:digit:]]+x", "12x", "x"),
        (r"^\p{Lu}$", "Ä", "a"),
        ("^(a+)+$", "a" * 40, "a" * 40 + "!"),
        (r"^\d$", "1", "१"),
        ("(?i)^abc$", "ABC", "abd"),
        (r"^[a-z]+\z", "abc", "abc\n"),
        ("^(a?){60}a{60}$", "a" * 60, "a" * 59),
        ("^(.|.){40}!!$", "a" * 40 + "!!", "a" * 42),
        (DNS_NAME, "a" * 63 + ".b-c" * 10_000, "a-" * 20_000),
        (DNS_NAME, "a", "a" * 50_000 + "-"),
        (DNS_NAME, "a.b", "a." * 20_000),
    ],
)
def test_patterns_follow_re2_and_never_hang(pattern: str, good: str, bad: str) -> None:
    schema: Object = {"type": "string", "pattern": pattern}

    assert wrong(schema, good) == []
    assert len(wrong(schema, bad)) == 1


# defaulting and pruning


def test_defaults_reach_only_as_deep_as_the_object_does() -> None:
    schema = Structural(
        an_object_schema(
            replicas={"type": "integer", "default": 1},
            inner={"type": "object", "properties": {"x": {**TEXT, "default": "deep"}}},
            whole={"type": "object", "default": {}, "properties": {"x": {**TEXT, "default": "deep"}}},
            items={"type": "array", "items": {"type": "object", "properties": {"p": {**TEXT, "default": "TCP"}}}},
        )
    )
    obj: Object = {"spec": {"items": [{}, {"p": "UDP"}]}}

    schema.default(obj)

    assert obj["spec"] == {"items": [{"p": "TCP"}, {"p": "UDP"}], "replicas": 1, "whole": {"x": "deep"}}


def test_a_null_becomes_the_default_unless_null_is_allowed() -> None:
    schema = Structural(
        an_object_schema(
            a={**TEXT, "default": "x"},
            b={**TEXT, "nullable": True, "default": "x"},
            c=TEXT,
            d={"type": "object", "additionalProperties": TEXT},
        )
    )
    obj: Object = {"spec": {"a": None, "b": None, "c": None, "d": {"k": None, "l": "v"}}}

    schema.default(obj)

    assert obj["spec"] == {"a": "x", "b": None, "d": {"l": "v"}}


def test_a_default_is_never_shared_between_objects() -> None:
    schema = Structural(an_object_schema(tags={"type": "array", "items": TEXT, "default": ["a"]}))
    one: Object = {"spec": {}}
    two: Object = {"spec": {}}
    schema.default(one)
    one["spec"]["tags"].append("b")

    schema.default(two)

    assert two["spec"]["tags"] == ["a"]


def test_pruning_drops_what_the_schema_does_not_name() -> None:
    schema = Structural(
        an_object_schema(
            known=TEXT,
            free={
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"n": {"type": "object"}},
            },
            embedded={
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "properties": {"spec": {"type": "object"}},
            },
            labels={"type": "object", "additionalProperties": {"type": "object", "properties": {"a": TEXT}}},
        )
    )
    resource: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": 1}, "odd": 1}
    obj: Object = {
        "apiVersion": "e/v1",
        "kind": "K",
        "metadata": {"name": "n"},
        "odd": 1,
        "spec": {
            "known": "x",
            "odd": 1,
            "free": {"any": {"x": 1}, "n": {"odd": 1}},
            "embedded": resource,
            "labels": {"k": {"a": "", "b": ""}},
        },
    }

    schema.prune(obj)

    assert set(obj) == {"apiVersion", "kind", "metadata", "spec"}
    assert obj["spec"] == {
        "known": "x",
        "free": {"any": {"x": 1}, "n": {}},
        "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}},
        "labels": {"k": {"a": ""}},
    }


@pytest.mark.parametrize("properties", [{}, {"known": {"type": "object", "properties": {"a": TEXT}}}])
def test_fields_that_only_a_true_allows_are_kept_but_not_what_is_inside(properties: Object) -> None:
    schema = Structural(
        an_object_schema(free={"type": "object", "properties": properties, "additionalProperties": True})
    )
    obj: Object = {"spec": {"free": {"any": 1, "inside": {"x": 1}, "many": [{"x": 1}, 2]}}}

    schema.prune(obj)

    assert obj["spec"]["free"] == {"any": 1, "inside": {}, "many": [{}, 2]}
    assert schema.validate(obj) == []


def test_additional_properties_of_false_forbid_all() -> None:
    assert wrong({"type": "object", "additionalProperties": False}, {"x": 1}) == [
        'spec.field: Invalid value: "x": spec.field.x in body is a forbidden property'
    ]


# updates


def test_an_update_tolerates_what_was_wrong_before_and_stayed() -> None:
    schema = Structural(an_object_schema(a={"type": "integer", "minimum": 5}, b=TEXT))

    assert schema.validate_update({"spec": {"a": 1, "b": "new"}}, {"spec": {"a": 1, "b": "old"}}) == []
    assert len(schema.validate_update({"spec": {"a": 2}}, {"spec": {"a": 1}})) == 1


# properties


def schemas() -> st.SearchStrategy[Object]:
    leaves: st.SearchStrategy[Object] = st.sampled_from(
        [
            {"type": "string"},
            {"type": "string", "default": "d"},
            {"type": "string", "nullable": True, "default": "d"},
            {"type": "integer", "default": 3},
            {"type": "boolean"},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        ]
    )

    def bigger(inner: st.SearchStrategy[Object]) -> st.SearchStrategy[Object]:
        names = st.sampled_from(["a", "b", "c"])
        objects = st.dictionaries(names, inner, min_size=1).map(lambda p: {"type": "object", "properties": p})
        return st.one_of(
            objects,
            objects.map(lambda schema: {**schema, "default": {}}),
            inner.map(lambda schema: {"type": "array", "items": schema}),
            inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
        )

    return st.recursive(leaves, bigger, max_leaves=8)


def values() -> st.SearchStrategy[Any]:
    scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x"])
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", "z"]), inner, max_size=4)
        ),
        max_leaves=10,
    )


@given(schemas(), values())
def test_defaulting_twice_is_defaulting_once(schema: Object, value: Any) -> None:
    structural = Structural(an_object_schema(a=schema))
    once: Object = {"spec": {"a": copy.deepcopy(value)}}
    structural.default(once)
    twice = copy.deepcopy(once)

    structural.default(twice)

    assert twice == once


@given(schemas(), values())
def test_pruning_twice_is_pruning_once_and_hides_no_fault(schema: Object, value: Any) -> None:
    structural = Structural(an_object_schema(a=schema))
    whole: Object = {"spec": {"a": copy.deepcopy(value)}}
    pruned = copy.deepcopy(whole)
    structural.prune(pruned)
    twice = copy.deepcopy(pruned)

    structural.prune(twice)

    assert twice == pruned
    assert structural.validate(pruned) == structural.validate(whole)


def test_many_errors_below_a_long_key_take_little_memory() -> None:
    lists = {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}
    tracemalloc.start()
    try:
        causes = Structural(an_object_schema(field=lists)).validate({"spec": {"field": {"k" * 100_000: [1] * 20_000}}})
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
    assert (len(causes), max(len(cause.field) for cause in causes)) == (1_000, 1_000)


@pytest.mark.parametrize("added", [[], [1]])
def test_an_update_with_more_errors_than_are_looked_for_is_refused(added: list[int]) -> None:
    old = {"spec": {"field": [1] * 2_000}}
    schema = Structural(an_object_schema(field={"type": "array", "items": TEXT}))

    assert schema.validate_update({"spec": {"field": [*old["spec"]["field"], *added]}}, old)
