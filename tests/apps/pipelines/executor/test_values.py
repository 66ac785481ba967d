"""Parameters keep their declared types, and integers stay integers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.pipelines.executor.builders import a_context, inputs
from windlass.apps.pipelines.executor.values import input_values, json_text, normalized, parsed, text, typed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
TYPES = ("STRING", "NUMBER_INTEGER", "NUMBER_DOUBLE", "BOOLEAN", "LIST", "STRUCT")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a b", "a b"),
        (3, "3"),
        (3.0, "3"),
        (0.1, "0.1"),
        (1e-7, "0.0000001"),
        (True, "true"),
        ([1.0, "x", None], '[1,"x",null]'),
        ({"b": 2.0, "a": {"c": 0.5}}, '{"b":2,"a":{"c":0.5}}'),
        ("ü{{$}}", "ü{{$}}"),
    ],
)
def test_a_value_has_the_text_that_upstream_writes(value: Any, expected: str) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        ("a\n", "STRING", "a\n"),
        ("3", "NUMBER_INTEGER", 3),
        ("3.0", "NUMBER_INTEGER", 3),
        ("0.5", "NUMBER_DOUBLE", 0.5),
        (".5", "NUMBER_DOUBLE", 0.5),
        ("true", "BOOLEAN", True),
        ("1", "BOOLEAN", True),
        ("f", "BOOLEAN", False),
        ("False\n", "BOOLEAN", False),
        ("[1, 2.0]", "LIST", [1, 2]),
        ('{"a": 1}', "STRUCT", {"a": 1}),
    ],
)
def test_a_parameter_file_is_read_by_its_type(content: str, kind: str, expected: Any) -> None:
    value = parsed("x", content, kind)

    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("content", "kind"),
    [("a", "NUMBER_INTEGER"), ("1.5", "NUMBER_INTEGER"), ("nan", "NUMBER_DOUBLE"), ("yes", "BOOLEAN"), ("{}", "LIST"),
     ("[", "LIST"), ("[]", "STRUCT"), ("", "STRUCT"), ("NaN", "NUMBER_DOUBLE"), ("x", "NOBODY")],
)  # fmt: skip
def test_a_parameter_file_of_another_type_is_refused_by_name(content: str, kind: str) -> None:
    with pytest.raises(ValueError, match=r"parameter x|not a JSON number"):
        parsed("x", content, kind)


def test_a_string_input_takes_the_json_text_of_another_value() -> None:
    assert typed("x", [1.0, {"a": True}], "STRING") == '[1,{"a":true}]'
    assert typed("x", 3.0, "STRING") == "3"


@given(JSON, st.sampled_from(TYPES))
def test_a_typed_value_stays_the_same_when_typed_again(value: Any, kind: str) -> None:
    try:
        once = typed("x", value, kind)
    except ValueError:
        return
    assert typed("x", once, kind) == once


def test_values_nested_too_deeply_are_refused() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    with pytest.raises(ValueError, match="in each other"):
        normalized(value)
    with pytest.raises(ValueError, match="parameter x"):
        parsed("x", "[" * 100_000, "LIST")


def test_defaults_apply_and_missing_optional_inputs_are_left_out() -> None:
    declared = {
        "given": {"parameterType": "NUMBER_INTEGER"},
        "defaulted": {"parameterType": "NUMBER_INTEGER", "defaultValue": 3.0, "isOptional": True},
        "null": {"parameterType": "STRING", "isOptional": True, "defaultValue": "d"},
        "absent": {"parameterType": "STRING", "isOptional": True},
    }
    context = a_context(
        component={"inputDefinitions": {"parameters": declared}}, parameters={"given": 2.0, "null": None}
    )

    assert json_text(input_values(context)) == '{"given":2,"defaulted":3,"null":"d"}'


def test_a_required_input_without_a_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="parameter x is required"):
        input_values(a_context(component=inputs(x="STRING")))


def test_literals_are_checked_exactly() -> None:
    component = {"inputDefinitions": {"parameters": {"x": {"parameterType": "NUMBER_INTEGER", "literals": [1.0, 2.0]}}}}

    assert input_values(a_context(component=component, parameters={"x": 2})) == {"x": 2}
    with pytest.raises(ValueError, match=r"parameter x must be one of \[1,2\]"):
        input_values(a_context(component=component, parameters={"x": 3}))
