"""Conditions and selectors in CEL."""

from typing import Any

import pytest

from windlass.apps.pipelines.ir.expressions import ExpressionError, check_condition, check_selector, is_met, select

VALUES: dict[str, Any] = {
    "s": "heads", "i": 3, "d": 2.5, "b": True, "l": [1, 2], "o": {"k": "v"}, "n": None, "j": '{"a": {"b": 1}}',
}  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("inputs.parameter_values['s'] == 'heads'", True),
        ("inputs.parameter_values['s'] != 'heads'", False),
        ("!(inputs.parameter_values['s'] == 'heads')", False),
        ("int(inputs.parameter_values['i']) >= 3", True),
        ("int(inputs.parameter_values['i']) < 3", False),
        ("double(inputs.parameter_values['d']) > 2.0", True),
        ("inputs.parameter_values['b'] == true", True),
        ("inputs.parameter_values['s'] == 'heads' && !(int(inputs.parameter_values['i']) == 3)", False),
        ("inputs.parameter_values['s'] == 'x' || (inputs.parameter_values['i'] == 3)", True),
        ("inputs.parameter_values['i'] * 2.0 == 6.0", True),
        ("size(inputs.parameter_values['l']) == 2", True),
        ("inputs.parameter_values['o']['k'] == 'v'", True),
        ("inputs.parameter_values['n'] == 'x'", False),
        ("parseJson(inputs.parameter_values['j'])['a']['b'] == 1", True),
        ("inputs.parameters['s'].string_value == 'heads'", True),
        ("inputs.parameters['i'].int_value == 3", True),
        ("inputs.parameters['d'].double_value == 2.5", True),
        ("true", True),
    ],
)
def test_a_condition_is_evaluated_over_the_inputs(condition: str, expected: bool) -> None:
    check_condition(condition)

    assert is_met(condition, VALUES) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "inputs.parameter_values['missing'] == 'x'",
        "inputs.parameter_values['s']",
        "int(inputs.parameter_values['s']) == 1",
        "parseJson('{')['a'] == 1",
        "1 / 0 == 1",
        f"parseJson('{'[' * 100_000}') == 1",
    ],
)
def test_a_condition_that_fails_says_so(condition: str) -> None:
    with pytest.raises(ExpressionError):
        is_met(condition, VALUES)


@pytest.mark.parametrize(
    "condition", ["1 +", "unknown == 1", "'text'", "1 + 1", "__import__('os')", "inputs.x(", "'a' == 1 &&"]
)
def test_a_condition_that_is_no_boolean_expression_is_refused(condition: str) -> None:
    with pytest.raises(ExpressionError):
        check_condition(condition)


def test_nested_loops_in_an_expression_end_with_an_error() -> None:
    numbers = "[" + ",".join(["1"] * 100) + "]"

    with pytest.raises(ExpressionError):
        is_met(f"{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, a == b && b == c)))", {})


@pytest.mark.parametrize(
    ("value", "selected"),
    [
        ({"a": 1}, 1),
        ({"a": [1, 2.5]}, [1, 2.5]),
        ({"a": {"b": None}}, {"b": None}),
        ({"a": "x"}, "x"),
        ('{"a": true}', True),
    ],
)
def test_a_selector_takes_a_field_out_of_a_value(value: Any, selected: Any) -> None:
    result = select('parseJson(string_value)["a"]', value)

    assert result == selected
    assert type(result) is type(selected)


@pytest.mark.parametrize("value", [{}, "text", [1], 3])
def test_a_selector_that_finds_nothing_fails(value: Any) -> None:
    with pytest.raises(ExpressionError):
        select('parseJson(string_value)["a"]', value)


def test_a_selector_is_compiled_when_it_is_checked() -> None:
    with pytest.raises(ExpressionError):
        check_selector("parseJson(")


@pytest.mark.parametrize("value", [10**400, "\ud800", {"\ud800": 1}, [10**400]])
def test_values_that_cel_does_not_have_are_an_error(value: Any) -> None:
    with pytest.raises(ExpressionError):
        is_met("inputs.parameter_values['a'] == 1", {"a": value})
