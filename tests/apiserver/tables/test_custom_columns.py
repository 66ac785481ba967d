from typing import Any

import pytest

from tests.apiserver.tables.builders import NOW, an_object
from windlass.apiserver.tables.custom import crd_columns
from windlass.kube.json import Object
from windlass.kube.jsonpath import compile_path

OBJECT: Object = {
    "metadata": {"name": "x", "annotations": {"example.org/who": "me"}},
    "spec": {"a": 1, "empty": "", "list": [{"n": 1}, {"n": 2}, {"n": 3}], "a.b": "dotted", "none": None},
    "status": {
        "conditions": [{"type": "Ready", "status": "True", "age": 4}, {"type": "Old", "status": "False", "age": 9}]
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.a", [1]),
        ("{.spec.a}", [1]),
        ("$.spec.a", [1]),
        ("spec.a", [1]),
        (".spec.missing.deeper", []),
        (".spec.empty", [""]),
        (".spec.list[0].n", [1]),
        (".spec.list[-1].n", [3]),
        (".spec.list[7]", []),
        (".spec.list[*].n", [1, 2, 3]),
        (".spec.list[1:].n", [2, 3]),
        (".spec['a']", [1]),
        ('.spec["a.b"]', ["dotted"]),
        (r".spec.a\.b", ["dotted"]),
        (r".metadata.annotations.example\.org/who", ["me"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type == 'Ready')].status", ["True"]),
        (".status.conditions[?(@.type!='Ready')].status", ["False"]),
        (".status.conditions[?(@.age>5)].type", ["Old"]),
        (".status.conditions[?(@.age<=4)].type", ["Ready"]),
        (".status.conditions[?(@.nothing)].type", []),
        ("..type", ["Ready", "Old"]),
        (".spec.a.b.c", []),
    ],
)
def test_a_json_path_finds_what_it_names_and_nothing_is_no_error(path: str, found: list[Any]) -> None:
    assert compile_path(path)(OBJECT) == found


@pytest.mark.parametrize("path", [".spec[", ".spec[?(@.a==]", ".spec[a]"])
def test_a_json_path_that_makes_no_sense_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="unrecognized JSONPath"):
        compile_path(path)


def cells(*columns: Object, obj: Object) -> list[Any]:
    return [column.cell(obj, NOW) for column in crd_columns(columns)]


@pytest.mark.parametrize(
    ("type_", "value", "shown"),
    [
        ("string", "text", "text"),
        ("string", 3, "3"),
        ("string", True, "true"),
        ("string", ["a", "b"], '["a","b"]'),
        ("string", {"k": 1}, '{"k":1}'),
        ("integer", 3, 3),
        ("integer", 3.7, 3),
        ("integer", "3", None),
        ("integer", True, None),
        ("number", 3.5, 3.5),
        ("boolean", False, False),
        ("boolean", "true", None),
        ("date", "2026-03-01T11:59:00Z", "60s"),
        ("date", "soon", "<invalid>"),
        ("date", 5, None),
        ("string", None, None),
    ],
)
def test_a_value_is_shown_by_the_type_of_its_column(type_: str, value: Any, shown: Any) -> None:
    column = {"name": "V", "type": type_, "jsonPath": ".spec.value"}

    assert cells(column, obj=an_object(spec={"value": value})) == ["thing", shown]


def test_of_many_values_the_first_is_shown() -> None:
    column = {"name": "V", "type": "integer", "jsonPath": ".spec.list[*].n"}

    assert cells(column, obj=OBJECT) == ["x", 1]


@pytest.mark.parametrize("none_given", [None, []])
def test_a_kind_that_declares_no_columns_shows_name_and_age(none_given: Any) -> None:
    columns = crd_columns(none_given)

    assert [(column.name, column.type) for column in columns] == [("Name", "string"), ("Age", "date")]
    assert [column.cell(an_object(), NOW) for column in columns] == ["thing", "5s"]


def test_a_declared_column_keeps_its_priority_format_and_description() -> None:
    plain, told = crd_columns(
        [
            {"name": "A", "type": "string", "jsonPath": ".a"},
            {"name": "B", "type": "integer", "format": "int32", "priority": 1, "description": "b", "jsonPath": ".b"},
        ]
    )[1:]

    assert plain.description == "Custom resource definition column (in JSONPath format): .a"
    assert (told.format, told.priority, told.description) == ("int32", 1, "b")
