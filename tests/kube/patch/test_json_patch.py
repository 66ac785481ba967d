"""JSON patch: the examples of RFC 6902, Kubernetes' habits, and a naive model to compare with."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.words_builders import json_objects, scalars
from windlass.kube.patch import PatchError
from windlass.kube.patch.json_patch import MAX_OPERATIONS, apply
from windlass.kube.patch.merge_patch import same


def _op(op: str, path: str, **rest: Any) -> dict[str, Any]:
    return {"op": op, "path": path, **{key.rstrip("_"): value for key, value in rest.items()}}


@pytest.mark.parametrize(
    ("doc", "operation", "result"),
    [
        ({"foo": "bar"}, _op("add", "/baz", value="qux"), {"baz": "qux", "foo": "bar"}),
        ({"foo": ["a", "c"]}, _op("add", "/foo/1", value="b"), {"foo": ["a", "b", "c"]}),
        ({"foo": ["a"]}, _op("add", "/foo/-", value=["b"]), {"foo": ["a", ["b"]]}),
        ({"foo": ["a"]}, _op("add", "/foo/1", value="b"), {"foo": ["a", "b"]}),
        ({"foo": 1}, _op("add", "/foo", value=2), {"foo": 2}),
        ({"foo": 1}, _op("add", "", value=[]), []),
        ({"foo": 1, "bar": 2}, _op("remove", "/foo"), {"bar": 2}),
        ({"foo": ["a", "b", "c"]}, _op("remove", "/foo/1"), {"foo": ["a", "c"]}),
        ({"foo": ["a", "b", "c"]}, _op("remove", "/foo/-1"), {"foo": ["a", "b"]}),
        ({"foo": 1}, _op("replace", "/foo", value=None), {"foo": None}),
        ({"foo": ["a"]}, _op("replace", "/foo/0", value="b"), {"foo": ["b"]}),
        ({"a": {"b": 1}, "c": {}}, _op("move", "/c/d", from_="/a/b"), {"a": {}, "c": {"d": 1}}),
        ({"foo": ["a", "b", "c"]}, _op("move", "/foo/2", from_="/foo/0"), {"foo": ["b", "c", "a"]}),
        ({"a": {"b": []}}, _op("copy", "/c", from_="/a"), {"a": {"b": []}, "c": {"b": []}}),
        ({"a/b": 1, "m~n": 2}, _op("replace", "/a~1b", value=3), {"a/b": 3, "m~n": 2}),
        ({"a/b": 1, "m~n": 2}, _op("remove", "/m~0n"), {"a/b": 1}),
        ({"": 1}, _op("replace", "/", value=2), {"": 2}),
        ({"a": [1, {"b": 2}]}, _op("test", "/a", value=[1, {"b": 2}]), {"a": [1, {"b": 2}]}),
        ({"a": 1}, _op("test", "/a", value=1.0), {"a": 1}),
        ({"a": 1}, _op("test", "/b", value=None), {"a": 1}),
    ],
)
def test_an_operation_does_what_the_rfc_says(doc: Any, operation: Any, result: Any) -> None:
    assert same(apply(doc, [operation]), result)


_APPLY = "operation does not apply"


@pytest.mark.parametrize(
    ("doc", "operation", "message"),
    [
        ({"a": 1}, _op("test", "/a", value=2), "testing value /a failed: test failed"),
        ({"a": 1}, _op("test", "/a", value=True), "testing value /a failed: test failed"),
        ({"a": 1}, _op("test", "/b", value=1), "testing value /b failed: test failed"),
        (
            {},
            _op("remove", "/a"),
            "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
        ),
        (
            {},
            _op("replace", "/a", value=1),
            'replace operation does not apply: doc is missing key: "/a": missing value',
        ),
        ({}, _op("add", "/a/b", value=1), f'add {_APPLY}: doc is missing path: "/a/b": missing value'),
        (
            {"a": 1},
            _op("add", "/a/b", value=1),
            'add operation does not apply: doc is missing path: "/a/b": missing value',
        ),
        ({"a": []}, _op("add", "/a/1", value=1), "error in add for path: '/a/1': invalid index referenced"),
        ({"a": []}, _op("add", "/a/x", value=1), "error in add for path: '/a/x': invalid index referenced"),
        ({"a": [1]}, _op("add", "/a/00", value=1), "error in add for path: '/a/00': invalid index referenced"),
        (
            {},
            _op("move", "/b", from_="/a"),
            'move operation does not apply: doc is missing from path: "/a": missing value',
        ),
        (
            {"a": {}},
            _op("move", "/a/b", from_="/a"),
            "error in move for path: '/a/b': cannot move a value into itself",
        ),
        ({}, _op("add", "/a"), "add operation does not apply: missing value"),
        ({}, _op("increase", "/a"), "Unexpected kind: increase"),
        ({}, {"op": "add", "value": 1}, "add operation does not apply: unable to decode path"),
    ],
)
def test_an_operation_that_does_not_fit_is_refused_and_the_client_told_422(
    doc: Any, operation: Any, message: str
) -> None:
    with pytest.raises(PatchError) as refused:
        apply(doc, [operation])

    assert (refused.value.message, refused.value.code) == (message, 422)
    answer = refused.value.api_error().status()
    assert (answer["code"], answer["reason"]) == (422, "Invalid")
    assert answer["message"] == "the server rejected our request due to an error in our request"


@pytest.mark.parametrize("patch", [{}, "x", None, [1]])
def test_what_is_no_patch_is_a_bad_request(patch: Any) -> None:
    with pytest.raises(PatchError) as refused:
        apply({}, patch)
    assert refused.value.api_error().status()["code"] == 400


def test_a_patch_of_too_many_operations_is_too_large() -> None:
    with pytest.raises(PatchError) as refused:
        apply({}, [_op("add", "/a", value=1)] * (MAX_OPERATIONS + 1))
    assert refused.value.message == "The allowed maximum operations in a JSON patch is 10000, got 10001"
    assert refused.value.api_error().status()["code"] == 413


def test_a_failing_operation_leaves_the_document_as_it_was() -> None:
    doc = {"a": [1]}

    with pytest.raises(PatchError):
        apply(doc, [_op("add", "/a/-", value=2), _op("test", "/a", value="no")])

    assert doc == {"a": [1]}


_paths = st.lists(st.sampled_from(["a", "b", "0", "1", "-"]), min_size=1, max_size=2).map(
    lambda steps: "/" + "/".join(steps)
)
_operations = st.one_of(
    st.builds(lambda path, value: _op("add", path, value=value), _paths, scalars | st.just({}) | st.just([])),
    st.builds(lambda path: _op("remove", path), _paths),
    st.builds(lambda path, value: _op("replace", path, value=value), _paths, scalars),
    st.builds(lambda path, source: _op("copy", path, from_=source), _paths, _paths),
)


@given(json_objects, st.lists(_operations, max_size=6))
def test_a_naive_model_gives_the_same_document_or_also_refuses(doc: Any, operations: list[Any]) -> None:
    try:
        expected = _modelled(doc, operations)
    except (KeyError, IndexError, TypeError, ValueError):
        with pytest.raises(PatchError):
            apply(doc, operations)
    else:
        assert same(apply(doc, operations), expected)


def _modelled(doc: Any, operations: list[Any]) -> Any:
    doc = copy.deepcopy(doc)
    for operation in operations:
        *parents, last = operation["path"][1:].split("/")
        holder = doc
        for step in parents:
            holder = _looked_up(holder, step)
        if not isinstance(holder, dict | list):
            raise TypeError
        value = operation.get("value")
        if operation["op"] == "copy":
            value = doc
            for step in operation["from"][1:].split("/"):
                value = _looked_up(value, step)
            value = copy.deepcopy(value)
        _change(holder, last, operation["op"], value)
    return doc


def _looked_up(holder: Any, step: str) -> Any:
    return holder[int(step)] if isinstance(holder, list) else {**holder}[step]


def _change(holder: Any, last: str, op: str, value: Any) -> None:
    if isinstance(holder, dict):
        if op in ("add", "copy"):
            holder[last] = value
        elif op == "remove":
            del holder[last]
        else:
            holder[last]
            holder[last] = value
    elif op in ("add", "copy"):
        index = len(holder) if last == "-" else int(last)
        if index > len(holder):
            raise IndexError
        holder.insert(index, value)
    elif op == "remove":
        del holder[int(last)]
    else:
        holder[int(last)] = value
