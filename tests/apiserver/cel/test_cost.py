"""Rules that could loop for ever are refused when they are written, and no others."""

from typing import Any

import pytest

from windlass.apiserver.cel.compiling import rule_causes


def array(items: Any, **more: Any) -> Any:
    return {"type": "array", "items": items, **more}


def spec(rule: str, **properties: Any) -> Any:
    return {"type": "object", "properties": properties, "x-kubernetes-validations": [{"rule": rule, "message": "m"}]}


TEXTS = array({"type": "string"})
MAP = {"type": "object", "additionalProperties": {"type": "string"}}


def causes(schema: Any) -> list[str]:
    return [cause.message for cause in rule_causes(schema, "schema")]


@pytest.mark.parametrize(
    "schema",
    [
        spec("self.x.all(i, i != 'a')", x=TEXTS),
        spec("self.x.all(i, i in self.y)", x=TEXTS, y=TEXTS),
        spec("self.x.all(i, self.x.all(j, i == j))", x={**TEXTS, "maxItems": 1000}),
        spec("self.x.all(i, self.y.all(j, i == j))", x={**TEXTS, "maxItems": 8}, y=TEXTS),
        spec("self.x.all(k, self.x[k] != '')", x=MAP),
        spec("true", x=array(spec("self.y > 1", y={"type": "integer"}))),
        spec("true", x=array(spec("self.y.all(i, i != '')", y={**TEXTS, "maxItems": 20}), maxItems=50)),
    ],
)
def test_a_rule_that_ends_soon_is_let_through(schema: Any) -> None:
    assert causes(schema) == []


@pytest.mark.parametrize(
    ("schema", "factor"),
    [
        (spec("self.x.all(i, self.x.all(j, i == j))", x=TEXTS), "more than 100x"),
        (spec("self.x.all(i, i.all(j, j != ''))", x=array(TEXTS)), "more than 100x"),
        (spec("self.x.all(k, self.x.exists(l, l == k))", x=MAP), "more than 100x"),
        (spec("true", x=array(spec("self.y.all(i, i != '')", y=TEXTS))), "more than 100x"),
        (spec("self.x.all(i, self.x.all(j, i == j))", x={**TEXTS, "maxItems": 10_000}), "10.0x"),
    ],
)
def test_a_rule_that_may_not_end_is_refused(schema: Any, factor: str) -> None:
    assert causes(schema)[0] == (
        f"Forbidden: estimated rule cost exceeds budget by factor of {factor} (try simplifying the rule, or adding "
        "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )


def test_many_rules_may_cost_too_much_together() -> None:
    rules = [{"rule": f"self.x.all(i, self.x.all(j, i + j != {n}))", "message": "m"} for n in range(12)]
    numbers = array({"type": "integer"}, maxItems=6_000)
    schema = {"type": "object", "properties": {"x": numbers}, "x-kubernetes-validations": rules}
    contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"

    found = [(cause.field, cause.message.partition(" by factor")[0]) for cause in rule_causes(schema, "schema")]

    total = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget"
    assert found[-1] == ("schema", f"Forbidden: {total}")
    assert [message for _, message in found[:-1]] == [f"Forbidden: {contributed}"] * 4
