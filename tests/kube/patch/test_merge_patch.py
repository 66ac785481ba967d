"""JSON merge patch: the table of RFC 7386, and the laws between patch and difference."""

from typing import Any

import pytest
from hypothesis import given

from tests.kube.words_builders import json_objects, json_values, without_nulls
from windlass.kube.patch.merge_patch import apply, diff, same


@pytest.mark.parametrize(
    ("doc", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(doc: Any, patch: Any, result: Any) -> None:
    assert apply(doc, patch) == result


@given(json_objects, json_values)
def test_applying_twice_is_applying_once(doc: Any, patch: Any) -> None:
    once = apply(doc, patch)

    assert same(apply(once, patch), once)


@given(json_objects, json_objects)
def test_the_difference_of_two_documents_leads_from_one_to_the_other(old: Any, new: Any) -> None:
    old, new = without_nulls(old), without_nulls(new)

    assert same(apply(old, diff(old, new)), new)


@given(json_objects)
def test_equal_documents_have_an_empty_difference(doc: Any) -> None:
    assert diff(doc, doc) == {}


@given(json_objects, json_objects)
def test_neither_argument_is_changed_or_shared(doc: Any, patch: Any) -> None:
    shown = repr(doc), repr(patch)
    result = apply(doc, patch)
    _spoil(result)

    assert (repr(doc), repr(patch)) == shown


def _spoil(value: Any) -> None:
    for inner in list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()):
        _spoil(inner)
    if isinstance(value, dict | list):
        value.clear()
