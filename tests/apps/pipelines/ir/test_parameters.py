"""The parameters of a run: names, kinds and literals."""

from typing import Any

import pytest

from tests.apps.pipelines.specs import PLAIN, dag, pipeline, task
from windlass.apps.pipelines.ir.errors import InvalidParameters
from windlass.apps.pipelines.ir.parameters import check_parameters

SPEC = pipeline(
    dag(
        {"a": task("plain")},
        inputs={
            "text": "STRING",
            "count": {"parameterType": "NUMBER_INTEGER", "defaultValue": 3.0},
            "rate": {"parameterType": "NUMBER_DOUBLE", "isOptional": True},
            "flag": {"parameterType": "BOOLEAN", "isOptional": True},
            "names": {"parameterType": "LIST", "isOptional": True},
            "options": {"parameterType": "STRUCT", "isOptional": True},
            "mode": {"parameterType": "STRING", "isOptional": True, "literals": ["fast", "slow"]},
            "level": {"parameterType": "NUMBER_INTEGER", "isOptional": True, "literals": [1.0, 2.0]},
        },
    ),
    plain=PLAIN,
)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"text": "x"}, {"text": "x"}),
        ({"text": ""}, {"text": ""}),
        ({"text": "x", "count": 4.0}, {"text": "x", "count": 4}),
        ({"text": "x", "rate": 2}, {"text": "x", "rate": 2}),
        ({"text": "x", "rate": 2.0}, {"text": "x", "rate": 2.0}),
        ({"text": "x", "flag": False}, {"text": "x", "flag": False}),
        ({"text": "x", "names": [1.0, {"a": 2.0}, 0.5]}, {"text": "x", "names": [1, {"a": 2}, 0.5]}),
        ({"text": "x", "options": {}}, {"text": "x", "options": {}}),
        ({"text": "x", "names": nested(99)}, {"text": "x", "names": nested(99)}),
        ({"text": "x", "rate": None}, {"text": "x", "rate": None}),
        ({"text": "x", "mode": "fast", "level": 2}, {"text": "x", "mode": "fast", "level": 2}),
    ],
)
def test_values_of_the_declared_kinds_are_taken_as_they_are(given: Any, values: Any) -> None:
    checked = check_parameters(SPEC, given)

    assert repr(checked) == repr(values)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "parameter 'text' is required"),
        ({"text": None}, "parameter 'text' is required"),
        ({"text": "x", "other": 1}, "parameter 'other' is not an input of the pipeline"),
        ({"text": 3}, r"parameter 'text' must be a string \(STRING\), not a number"),
        ({"text": "x", "count": "3"}, "'count' must be an integer"),
        ({"text": "x", "count": 1.5}, r"parameter 'count' must be an integer \(NUMBER_INTEGER\), not 1.5"),
        ({"text": "x", "count": 1e300}, r"'count' must be an integer \(NUMBER_INTEGER\), not 1e\+300"),
        ({"text": "x", "count": True}, "'count' must be an integer"),
        ({"text": "x", "flag": 1}, "'flag' must be a boolean"),
        ({"text": "x", "flag": "true"}, "'flag' must be a boolean"),
        ({"text": "x", "names": "[1]"}, "'names' must be a list"),
        ({"text": "x", "options": []}, "'options' must be an object"),
        ({"text": "x", "mode": "other"}, r"'mode' must be one of \[\"fast\",\"slow\"\]"),
        ({"text": "x", "level": 3}, "'level' must be one of"),
        ({"text": 1, "flag": 1}, "'text' .*; .*'flag'"),
        ({"text": "x", "names": nested(101)}, "'names' has more than 100 lists"),
    ],
)
def test_other_values_are_refused_by_name(given: Any, message: str) -> None:
    with pytest.raises(InvalidParameters, match=message):
        check_parameters(SPEC, given)
