"""The algebra of field sets: it must agree with plain sets of paths."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.patch.fieldset import (
    LEAF,
    FieldSet,
    difference,
    intersection,
    is_valid,
    members,
    path_text,
    union,
)

_paths = st.lists(st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'v:"y"']), min_size=1, max_size=3).map(tuple)
_path_sets = st.frozensets(_paths, max_size=6)


def _built(paths: frozenset[tuple[str, ...]]) -> FieldSet:
    built: FieldSet = {}
    for path in paths:
        inner: Any = LEAF
        for step in reversed(path):
            inner = {step: inner}
        built = union(built, inner)
    return built


@given(_path_sets)
def test_a_set_holds_the_paths_that_were_put_in(paths: frozenset[Any]) -> None:
    built = _built(paths)

    assert frozenset(members(built)) == paths
    assert is_valid(built)


@given(_path_sets, _path_sets)
def test_union_difference_and_intersection_are_those_of_the_paths(one: frozenset[Any], other: frozenset[Any]) -> None:
    left, right = _built(one), _built(other)
    shown = repr(left), repr(right)

    assert frozenset(members(union(left, right))) == one | other
    assert frozenset(members(difference(left, right))) == one - other
    assert frozenset(members(intersection(left, right))) == one & other
    assert (repr(left), repr(right)) == shown


@given(_path_sets, _path_sets)
def test_equal_sets_have_one_form(one: frozenset[Any], other: frozenset[Any]) -> None:
    assert difference(union(_built(one), _built(other)), _built(other)) == _built(one - other)


def test_paths_print_as_kubernetes_prints_them() -> None:
    path = ("f:spec", "f:ports", 'k:{"containerPort":80,"protocol":"TCP"}', "f:name")
    assert path_text(path) == '.spec.ports[containerPort=80,protocol="TCP"].name'
    assert path_text(("f:metadata", "f:finalizers", 'v:"a"')) == '.metadata.finalizers[="a"]'
    assert path_text(("f:list", "i:3")) == ".list[3]"


def test_what_a_client_sends_may_be_no_set() -> None:
    assert not is_valid([])
    assert not is_valid({"spec": {}})
    assert not is_valid({"f:a": {".": {"f:b": {}}}})
    assert not is_valid({"f:a": 1})
