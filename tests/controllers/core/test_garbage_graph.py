from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.controllers.core.garbage_graph import (
    FOREGROUND,
    ORPHAN,
    Delete,
    DropOwners,
    Graph,
    Identity,
    Keep,
    Node,
    OwnerState,
    decide,
)
from windlass.kube.meta import OwnerReference

SOLID, ABSENT, WAITING = OwnerState


def an_identity(name: str, namespace: str = "n", kind: str = "ConfigMap") -> Identity:
    return Identity("v1", kind, namespace, name, f"uid-{name}")


def a_reference(name: str, *, blocks: bool = True, kind: str = "ConfigMap") -> OwnerReference:
    return OwnerReference(api_version="v1", kind=kind, name=name, uid=f"uid-{name}", block_owner_deletion=blocks)


def see(graph: Graph, name: str, *owners: str, finalizers: Any = (), deleting: bool = False, **more: Any) -> list[str]:
    """Uids to look at after the object was seen, without their prefix."""
    references = [a_reference(owner) for owner in owners]
    work = graph.observe(an_identity(name, **more), references, deleting=deleting, finalizers=finalizers)
    return [uid.removeprefix("uid-") for uid in work.delete]


def go(graph: Graph, name: str) -> list[str]:
    return [uid.removeprefix("uid-") for uid in graph.forget(f"uid-{name}").delete]


def test_an_object_whose_owner_is_known_needs_no_look() -> None:
    graph = Graph()

    assert see(graph, "owner") == []
    assert see(graph, "child", "owner") == []


def test_an_owner_that_was_never_seen_is_looked_up() -> None:
    graph = Graph()

    assert see(graph, "child", "owner") == ["owner"]
    assert see(graph, "other", "owner") == []


def test_when_the_unseen_owner_appears_all_is_well() -> None:
    graph = Graph()
    see(graph, "child", "owner")

    assert see(graph, "owner") == []
    assert go(graph, "owner") == ["child"]


def test_an_unseen_owner_that_nobody_names_any_more_is_forgotten() -> None:
    graph = Graph()
    see(graph, "child", "owner")

    go(graph, "child")

    assert len(graph) == 0


def test_a_reference_to_an_owner_elsewhere_is_looked_at() -> None:
    graph = Graph()
    see(graph, "owner", namespace="other")

    assert see(graph, "child", "owner") == ["child"]


def test_the_same_holds_when_the_owner_is_seen_second() -> None:
    graph = Graph()
    see(graph, "child", "owner")

    assert see(graph, "owner", namespace="other") == ["child"]


def test_a_cluster_scoped_owner_may_have_dependents_anywhere() -> None:
    graph = Graph()
    see(graph, "owner", namespace="")

    assert see(graph, "child", "owner") == []


def test_a_foreground_deletion_looks_at_dependents_first_and_goes_on_as_they_go() -> None:
    graph = Graph()
    see(graph, "owner")
    see(graph, "child", "owner")

    assert see(graph, "owner", deleting=True, finalizers=[FOREGROUND]) == ["child", "owner"]
    assert go(graph, "child") == ["owner"]


def test_a_dependent_that_comes_late_to_a_foreground_deletion_is_looked_at() -> None:
    graph = Graph()
    see(graph, "owner", deleting=True, finalizers=[FOREGROUND])

    assert see(graph, "child", "owner") == ["child"]


def test_dropping_a_blocking_reference_lets_the_owner_go_on() -> None:
    graph = Graph()
    see(graph, "owner")
    see(graph, "child", "owner")
    see(graph, "owner", deleting=True, finalizers=[FOREGROUND])

    assert see(graph, "child") == ["owner"]


def test_orphaning_is_asked_for_once() -> None:
    graph = Graph()
    see(graph, "owner")

    first = graph.observe(an_identity("owner"), [], deleting=True, finalizers=[ORPHAN])
    second = graph.observe(an_identity("owner"), [], deleting=True, finalizers=[ORPHAN])

    assert list(first.orphan) == ["uid-owner"]
    assert list(second.orphan) == []


@pytest.mark.parametrize(
    ("states", "finalizers", "dependents", "decision"),
    [
        ({"a": SOLID}, [], 0, Keep()),
        ({"a": ABSENT}, [], 0, Delete("Background")),
        ({"a": ABSENT}, [FOREGROUND], 0, Delete("Foreground")),
        ({"a": ABSENT}, [ORPHAN], 2, Delete("Orphan")),
        ({"a": ABSENT, "b": SOLID}, [], 0, DropOwners(frozenset({"uid-a"}))),
        ({"a": WAITING, "b": SOLID}, [], 3, DropOwners(frozenset({"uid-a"}))),
        ({"a": WAITING}, [], 0, Delete("Background")),
        ({"a": WAITING}, [], 2, Delete("Foreground")),
        ({"a": WAITING, "b": ABSENT}, [], 2, Delete("Foreground")),
    ],
)
def test_what_becomes_of_an_object(states: Any, finalizers: Any, dependents: int, decision: Any) -> None:
    owners = [a_reference(name) for name in states]
    by_uid = {f"uid-{name}": state for name, state in states.items()}
    nodes = [Node(an_identity(f"d{n}")) for n in range(dependents)]

    assert decide(owners, by_uid, finalizers, nodes) == decision


def test_two_that_wait_for_each_other_are_unblocked() -> None:
    dependent = Node(an_identity("d"), foreground=True)

    assert decide([a_reference("a")], {"uid-a": WAITING}, [], [dependent]) == Delete("Foreground", unblock=True)


NAMES = st.sampled_from("abcd")


@given(st.lists(st.one_of(st.tuples(st.just("see"), NAMES, st.lists(NAMES, unique=True, max_size=2)), st.tuples(
    st.just("go"), NAMES, st.just([])
))))  # fmt: skip
def test_whatever_happens_the_graph_says_who_names_whom(steps: list[tuple[str, str, list[str]]]) -> None:
    graph, live = Graph(), dict[str, list[str]]()
    looked_at: set[str] = set()
    for what, name, owners in steps:
        if what == "see":
            live[name] = [owner for owner in owners if owner != name]
            looked_at |= set(see(graph, name, *live[name]))
        elif name in live:
            del live[name]
            looked_at |= set(go(graph, name))

    for name in live:
        node = graph.get(f"uid-{name}")
        assert node is not None
        found = {d.identity.name for d in graph.dependents(node)}
        expected = {child for child, owners in live.items() if name in owners}
        assert found <= expected
    for child, owners in live.items():  # nobody is left behind by an owner that is gone
        gone = [owner for owner in owners if owner not in live]
        assert all(graph.get(f"uid-{owner}") is not None or child in looked_at for owner in gone)
