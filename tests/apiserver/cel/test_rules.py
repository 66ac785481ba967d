import subprocess
import sys
from typing import Any

import pytest

from windlass.apiserver.cel.rules import compile_rules
from windlass.apiserver.cel.values import escape
from windlass.kube.json import Object, encode

INT: Object = {"type": "integer"}
TEXT: Object = {"type": "string"}


def ruled(*rules: Object | str, **properties: Object) -> Object:
    """An object schema with rules; a plain string is a rule without a message."""
    made = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    return {"type": "object", "properties": properties, "x-kubernetes-validations": made}


def lines(schema: Object, spec: Any, old: Any = None) -> list[str]:
    rules = compile_rules({"type": "object", "properties": {"spec": schema}})
    causes = rules.check({"spec": spec}) if old is None else rules.check_update({"spec": spec}, {"spec": old})
    return [f"{cause.field}: {cause.message}" for cause in causes]


def test_a_false_rule_shows_its_message_or_itself() -> None:
    schema = ruled(
        "self.min <= self.max", {"rule": "self.min > 0", "message": "min must be positive"}, min=INT, max=INT
    )

    assert lines(schema, {"min": 0, "max": 1}) == ["spec: Invalid value: min must be positive"]
    assert lines(schema, {"min": 3, "max": 1}) == ["spec: Invalid value: failed rule: self.min <= self.max"]
    assert lines(schema, {"min": 1, "max": 1}) == []


def test_simple_values_are_shown_and_collections_are_not() -> None:
    rule = [{"rule": "size(self) < 3", "message": "too big"}]
    schema: Object = {
        "type": "object",
        "properties": {
            "text": {**TEXT, "x-kubernetes-validations": rule},
            "list": {"type": "array", "items": TEXT, "x-kubernetes-validations": rule},
            "map": {"type": "object", "additionalProperties": {**TEXT, "x-kubernetes-validations": rule}},
            "items": {"type": "array", "items": {**TEXT, "x-kubernetes-validations": rule}},
        },
    }

    assert lines(schema, {"text": "abc", "list": ["", "", ""], "map": {"k": "abc"}, "items": ["", "abc"]}) == [
        'spec.text: Invalid value: "abc": too big',
        "spec.list: Invalid value: too big",
        'spec.map[k]: Invalid value: "abc": too big',
        'spec.items[1]: Invalid value: "abc": too big',
    ]


def test_a_message_may_be_computed() -> None:
    rule = {"rule": "self.n < 3", "messageExpression": "'n is ' + string(self.n)", "message": "static"}
    broken = {"rule": "self.n < 3", "messageExpression": "self.absent", "message": "static"}

    assert lines(ruled(rule, broken, n=INT), {"n": 5}) == ["spec: Invalid value: n is 5", "spec: Invalid value: static"]


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("FieldValueForbidden", "spec.n: Forbidden: no"),
        ("FieldValueRequired", "spec.n: Required value: no"),
        ("FieldValueInvalid", "spec.n: Invalid value: no"),
    ],
)
def test_reason_and_field_path_shape_the_cause(reason: str, message: str) -> None:
    rule = {"rule": "false", "message": "no", "reason": reason, "fieldPath": ".n"}

    assert lines(ruled(rule, n=INT), {"n": 1}) == [message]


def test_a_rule_that_cannot_be_evaluated_is_a_failure() -> None:
    assert lines(ruled("self.n > 0", n=INT), {}) == [
        'spec: Invalid value: "object": no such key: n evaluating rule: self.n > 0'
    ]
    assert lines(ruled("self.n > 0", n={"x-kubernetes-int-or-string": True}), {"n": "x"}) == [
        "spec: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, "
        "function or macro signature for rule: self.n > 0"
    ]


def test_a_rule_that_would_run_for_ever_is_stopped() -> None:
    schema = ruled(
        "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))", "false", l={"type": "array", "items": INT}
    )

    (found,) = lines(schema, {"l": list(range(1000))})

    assert "no further validation rules will be run due to call cost exceeds limit for rule" in found


def test_transition_rules_run_only_on_updates() -> None:
    schema = ruled({"rule": "self.n == oldSelf.n", "message": "n is immutable"}, n=INT)

    assert lines(schema, {"n": 1}) == []
    assert lines(schema, {"n": 1}, {"n": 1}) == []
    assert lines(schema, {"n": 2}, {"n": 1}) == ["spec: Invalid value: n is immutable"]


def test_optional_old_self_runs_always() -> None:
    rule = {
        "rule": "oldSelf.hasValue() ? self == oldSelf.value() : self == 1",
        "message": "start at one",
        "optionalOldSelf": True,
    }
    schema: Object = {"type": "object", "properties": {"n": {**INT, "x-kubernetes-validations": [rule]}}}

    assert lines(schema, {"n": 1}) == []
    assert lines(schema, {"n": 2}) == ["spec.n: Invalid value: 2: start at one"]
    assert lines(schema, {"n": 2}, {}) == ["spec.n: Invalid value: 2: start at one"]
    assert lines(schema, {"n": 2}, {"n": 2}) == []


def test_items_are_found_again_by_their_keys_and_not_by_their_place() -> None:
    item = ruled({"rule": "self.n >= oldSelf.n", "message": "may only grow"}, name=TEXT, n=INT)
    schema: Object = {
        "type": "object",
        "properties": {
            "l": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": item,
            }
        },
    }
    old = {"l": [{"name": "a", "n": 1}, {"name": "b", "n": 5}]}

    assert lines(schema, {"l": [{"name": "b", "n": 6}, {"name": "a", "n": 1}, {"name": "c", "n": 0}]}, old) == []
    assert lines(schema, {"l": [{"name": "b", "n": 4}]}, old) == ["spec.l[0]: Invalid value: may only grow"]


def test_an_old_fault_that_did_not_change_is_tolerated() -> None:
    schema = ruled(a=INT, b={**INT, "x-kubernetes-validations": [{"rule": "self > 0"}]})

    assert lines(schema, {"a": 2, "b": 0}, {"a": 1, "b": 0}) == []
    assert lines(schema, {"a": 1, "b": -1}, {"a": 1, "b": 0}) == ["spec.b: Invalid value: -1: failed rule: self > 0"]


def test_awkward_property_names_are_escaped() -> None:
    names = {
        "namespace": "__namespace__",
        "a-b": "a__dash__b",
        "a.b/c": "a__dot__b__slash__c",
        "a__b": "a__underscores__b",
    }
    assert {name: escape(name) for name in names} == names
    assert escape("3d") is None
    assert escape("plain") == "plain"

    schema = ruled("self.__namespace__ == 'x' && self.a__dash__b == 1", **{"namespace": TEXT, "a-b": INT})
    assert lines(schema, {"namespace": "x", "a-b": 1}) == []


@pytest.mark.parametrize("word", ["namespace", "package", "return"])
def test_a_reserved_word_may_be_a_field_as_it_is(word: str) -> None:
    schema = ruled(f"has(self.{word}) && self.{word} == 'x' && self.{word} == self.__{word}__", **{word: TEXT})

    assert lines(schema, {word: "x"}) == []
    assert len(lines(schema, {word: "y"})) == 1


def test_numbers_are_doubles_and_dates_are_dates() -> None:
    date: Object = {
        "type": "string",
        "format": "date-time",
        "x-kubernetes-validations": [{"rule": "self.getFullYear() > 2000"}],
    }
    span: Object = {
        "type": "string",
        "format": "duration",
        "x-kubernetes-validations": [{"rule": "self >= duration('90m')"}],
    }
    schema = ruled("self.n + 0.5 > 1.0", n={"type": "number"}, d=date, s=span)

    assert lines(schema, {"n": 1, "d": "2024-01-01T00:00:00Z", "s": "1h30m"}) == []
    assert len(lines(schema, {"n": 0, "d": "1999-01-01T00:00:00Z", "s": "1h"})) == 3


def test_a_root_rule_sees_the_name() -> None:
    rules = compile_rules(
        {"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name == 'only'", "message": "one"}]}
    )

    assert rules.check({"metadata": {"name": "only"}}) == []
    assert [(c.field, c.message) for c in rules.check({"metadata": {"name": "x"}})] == [("<nil>", "Invalid value: one")]


DATE: Object = {"type": "string", "format": "date-time"}
SCHEDULE: Object = {
    "type": "object",
    "properties": {
        "start": DATE,
        "end": DATE,
        "every": {"type": "string", "format": "duration"},
        "times": {"type": "array", "items": DATE},
        "steps": {"type": "array", "items": {"type": "object", "properties": {"at": DATE}}},
        "named": {"type": "object", "additionalProperties": DATE},
    },
}


@pytest.mark.parametrize(
    "rule",
    [
        "self.start < self.end && self.end - self.start == duration('1h')",
        "self.every > duration('1h') && duration(self.every) == self.every",
        "has(self.start) && self.start.getFullYear() == 2020",
        "self.times.all(t, t < self.end) && self.times[0] == self.start",
        "self.steps.all(step, step.at == self.start) && self.steps[0].at == self.start",
        "self.named.all(k, self.named[k] == self.start) && self.named['k'] == self.named.k",
        "cel.bind(it, self.end, it > self.start)",
        "self.named.exists(k, v, v == self.start)",
        "self.start == oldSelf.start",
        "timestamp(self.start) == self.start",
    ],
)
def test_dates_and_durations_inside_objects_are_real_ones(rule: str) -> None:
    start = "2020-01-01T00:00:00Z"
    value: Object = {
        "start": start,
        "end": "2020-01-01T02:00:00+01:00",
        "every": "90m",
        "times": [start],
        "steps": [{"at": start}],
        "named": {"k": start},
    }

    assert lines({**SCHEDULE, "x-kubernetes-validations": [{"rule": rule}]}, value, {**value, "every": "1h"}) == []


@pytest.mark.parametrize("rule", ["self == oldSelf", " oldSelf == self "])
@pytest.mark.parametrize(
    ("schema", "before", "after"), [(TEXT, "a", "b"), (INT, 1, 2), ({"type": "boolean"}, True, False)]
)
def test_a_plain_value_that_must_not_change_needs_no_cel(rule: str, schema: Object, before: Any, after: Any) -> None:
    field = {**schema, "x-kubernetes-validations": [{"rule": rule, "message": "stays"}]}
    spec: Object = {"type": "object", "properties": {"f": field}}
    told = encode(after).decode()

    assert lines(spec, {"f": after}, {"f": before}) == [f"spec.f: Invalid value: {told}: stays"]
    assert lines(spec, {"f": before}, {"f": before}) == []
    assert lines(spec, {"f": after}, {}) == []
    assert lines(spec, {"f": after}) == []


def test_cel_is_not_loaded_for_it() -> None:
    code = (
        "import sys; from windlass.apiserver.cel.rules import compile_rules; "
        "field = {'type': 'string', 'x-kubernetes-validations': [{'rule': 'self == oldSelf'}]}; "
        "rules = compile_rules({'type': 'object', 'properties': {'f': field}}); "
        "assert rules.check_update({'f': 'a'}, {'f': 'b'}); "
        "print([name for name in sys.modules if name.startswith('cel')])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "[]"
