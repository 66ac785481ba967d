import pytest

from windlass.apiserver.cel.compiling import rule_causes
from windlass.kube.json import Object

TEXT: Object = {"type": "string"}
SCHEMA: Object = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "a-b": TEXT,
        "inner": {"type": "object", "properties": {"x": TEXT}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"k": TEXT}}},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"v": TEXT}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "pod": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    },
}


def problems(rule: str) -> list[str]:
    schema = {**SCHEMA, "x-kubernetes-validations": [{"rule": rule, "message": "m"}]}
    return [cause.message.partition("compilation failed: ")[2] for cause in rule_causes(schema, "schema")]


def test_an_undefined_field_is_shown_where_it_stands() -> None:
    assert problems("self.n > 0 && self.nn > 1") == [
        "ERROR: <input>:1:19: undefined field 'nn'\n | self.n > 0 && self.nn > 1\n | ..................^"
    ]


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("has(self.inner.y)", "y"),
        ("self.list.all(i, i.k == 'x' && i.z == 'y')", "z"),
        ("self.list[0].j == ''", "j"),
        ("self.list.filter(i, i.odd == '').size() > 0", "odd"),
        ("self.map.all(k, self.map[k].w == '')", "w"),
        ("self.map.all(k, v, v.q == '')", "q"),
        ("cel.bind(it, self.inner, it.zz == '')", "zz"),
        ("self.n == 1 ? true : self.inner.u == ''", "u"),
        ("oldSelf.gone == 1", "gone"),
        ("self.metadata.labels.size() > 0", "labels"),
        ("self.?odd.hasValue()", "odd"),
    ],
)
def test_fields_are_followed_through_lists_maps_and_loops(rule: str, name: str) -> None:
    (problem,) = problems(rule)

    assert f"undefined field '{name}'" in problem


@pytest.mark.parametrize(
    "rule",
    [
        "self.a__dash__b == ''",
        "self.map.anything.v == ''",
        "self.free.anything == 1",
        "self.metadata.name == '' && self.kind == ''",
        "self.pod.metadata.name == '' && self.pod.kind == ''",
        "self.list.map(i, i.k).exists(k, k == 'a')",
        "[self.inner].all(i, i.x == '')",
        "self.inner == oldSelf.inner",
        "{'x': {'y': 1}}.x.y == 1",
    ],
)
def test_fields_that_are_there_are_found(rule: str) -> None:
    assert problems(rule) == []
