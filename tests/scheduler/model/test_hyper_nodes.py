from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.scheduler.model.hyper_nodes import resolve

NODES = {"n1": {"rack": "a"}, "n2": {"rack": "a"}, "n3": {"rack": "b"}, "gpu-4": {"rack": "b", "gpu": "yes"}}


def a_hyper_node(name: str, tier: int, *members: dict[str, Any], tier_name: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"tier": tier, "tierName": tier_name, "members": list(members)}}


def nodes(**selector: Any) -> dict[str, Any]:
    return {"type": "Node", "selector": selector}


def inner(**selector: Any) -> dict[str, Any]:
    return {"type": "HyperNode", "selector": selector}


def exact(name: str) -> dict[str, Any]:
    return {"exactMatch": {"name": name}}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([nodes(exactMatch={"name": "n1"})], {"n1"}),
        ([nodes(exactMatch={"name": "gone"})], set()),
        ([nodes(regexMatch={"pattern": "^n[12]$"})], {"n1", "n2"}),
        ([nodes(regexMatch={"pattern": "gpu"})], {"gpu-4"}),
        ([nodes(regexMatch={"pattern": "["})], set()),
        ([nodes(regexMatch={"pattern": "(.|.){40}!!"})], set()),
        ([nodes(labelMatch={"matchLabels": {"rack": "a"}})], {"n1", "n2"}),
        ([nodes(labelMatch={"matchExpressions": [{"key": "gpu", "operator": "Exists"}]})], {"gpu-4"}),
        ([nodes(labelMatch={"matchExpressions": [{"key": "gpu", "operator": "Loves"}]})], set()),
        ([nodes(exactMatch={"name": "n1"}), nodes(exactMatch={"name": "n3"})], {"n1", "n3"}),
        ([], set()),
    ],
)
def test_which_nodes_are_members(members: list[dict[str, Any]], expected: set[str]) -> None:
    (found,) = resolve([a_hyper_node("h", 1, *members)], NODES)

    assert found.nodes == expected


def test_a_hyper_node_has_the_nodes_of_those_in_it_and_lower_tiers_come_first() -> None:
    found = resolve(
        [
            a_hyper_node("spine", 2, inner(regexMatch={"pattern": "^rack-"}), tier_name="spine"),
            a_hyper_node("rack-b", 1, nodes(exactMatch={"name": "n3"})),
            a_hyper_node("rack-a", 1, nodes(labelMatch={"matchLabels": {"rack": "a"}})),
            a_hyper_node("zone", 3, inner(**exact("spine")), inner(**exact("nowhere"))),
        ],
        NODES,
    )

    assert [(one.name, one.tier, one.tier_name, sorted(one.nodes)) for one in found] == [
        ("rack-a", 1, "", ["n1", "n2"]),
        ("rack-b", 1, "", ["n3"]),
        ("spine", 2, "spine", ["n1", "n2", "n3"]),
        ("zone", 3, "", ["n1", "n2", "n3"]),
    ]


def test_hyper_nodes_that_contain_each_other_have_what_both_have() -> None:
    found = resolve(
        [
            a_hyper_node("a", 1, nodes(**exact("n1")), inner(**exact("b"))),
            a_hyper_node("b", 2, nodes(**exact("n2")), inner(**exact("a")), inner(**exact("b"))),
        ],
        NODES,
    )

    assert [one.nodes for one in found] == [{"n1", "n2"}, {"n1", "n2"}]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), st.lists(st.sampled_from(["n1", "n2", "n3", *"abcde"]), max_size=4)))
def test_whatever_contains_what_there_is_an_end_and_a_parent_has_all_of_its_children(
    told: dict[str, list[str]],
) -> None:
    objects = [
        a_hyper_node(name, 1, *[nodes(**exact(one)) if one in NODES else inner(**exact(one)) for one in members])
        for name, members in told.items()
    ]

    found = {one.name: one.nodes for one in resolve(objects, NODES)}

    for name, members in told.items():
        for member in members:
            assert ({member} if member in NODES else found.get(member, frozenset())) <= found[name]
