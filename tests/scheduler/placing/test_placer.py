"""The quick way finds what a look at each node would, for one pod and for many."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.builders import a_cluster, a_node, a_pod
from windlass.scheduler.cycle.pod_cycle import Placed, schedule
from windlass.scheduler.model import columns
from windlass.scheduler.model.columns import BEYOND, column, name_of, named, vector
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.placing.placer import Placer
from windlass.scheduler.placing.shapes import Shapes
from windlass.scheduler.scores import best

SIZES = st.tuples(st.integers(1, 8), st.integers(1, 8))
PODS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


def cluster_of(sizes: list[tuple[int, int]]) -> Snapshot:
    return a_cluster(*(a_node(f"n{n}", cpu=str(cpu), memory=f"{gi}Gi") for n, (cpu, gi) in enumerate(sizes)))


def pod_of(name: str, cpu: int, gi: int) -> PodInfo:
    return a_pod(name, cpu=str(cpu) if cpu else "", memory=f"{gi}Gi" if gi else "")


@settings(max_examples=80, deadline=None)
@given(nodes=st.lists(SIZES, min_size=1, max_size=6), pods=PODS, leaves=st.lists(st.integers(0, 11), max_size=6))
def test_a_pod_goes_where_a_look_at_each_node_would_put_it(
    nodes: list[tuple[int, int]], pods: list[tuple[int, int]], leaves: list[int]
) -> None:
    """With pods that come and go between, so that a ranking that is kept must follow."""
    snapshot = cluster_of(nodes)
    placer = Placer(snapshot)
    for number, (cpu, gi) in enumerate(pods):
        pod = pod_of(f"p{number}", cpu, gi)
        found = schedule(pod, snapshot, placer)
        possible = [node for node in snapshot.nodes if _fits(pod, node.name, snapshot)]
        if not possible:
            assert not isinstance(found, Placed)
            continue
        assert isinstance(found, Placed)
        assert found.node == best(pod, snapshot, possible).name
        snapshot.add_pod(pod, found.node)
        if number < len(leaves):
            snapshot.remove_pod(f"uid-p{leaves[number]}")


def _fits(pod: PodInfo, name: str, snapshot: Snapshot) -> bool:
    node = snapshot.node(name)
    assert node is not None
    used = {resource: node.requested[resource] for resource in pod.requests}
    return all(amount + used[resource] <= node.allocatable[resource] for resource, amount in pod.requests.items())


@settings(max_examples=60, deadline=None)
@given(nodes=st.lists(SIZES, min_size=1, max_size=6), size=st.tuples(st.integers(1, 3), st.integers(1, 3)))
def test_pods_that_are_alike_go_together_where_they_would_go_one_by_one(
    nodes: list[tuple[int, int]], size: tuple[int, int]
) -> None:
    together, one_by_one = cluster_of(nodes), cluster_of(nodes)
    pods = [pod_of(f"p{number}", *size) for number in range(20)]

    placed = Placer(together).fill(pods)
    for pod in pods:
        found = schedule(pod, one_by_one)
        if not isinstance(found, Placed):
            break
        one_by_one.add_pod(pod, found.node)

    where = [[node.name if node else None for node in map(cluster.node_of, (p.uid for p in pods))] for cluster in
             (together, one_by_one)]  # fmt: skip
    assert where[0] == where[1]
    assert placed == [name for name in where[1] if name is not None]


def test_pods_that_differ_in_what_decides_are_of_different_shapes() -> None:
    shapes = Shapes()
    plain = shapes.of(a_pod("a", cpu="1"))

    assert shapes.of(a_pod("b", cpu="1", labels={"index": "1"})) is plain
    assert shapes.of(a_pod("c", cpu="2")) is not plain
    assert shapes.of(a_pod("d", cpu="1", nodeSelector={"disk": "fast"})) is not plain
    assert not shapes.of(a_pod("e", cpu="1", ports=[{"containerPort": 80, "hostPort": 80}])).plain


def test_resources_beyond_those_that_can_be_told_apart_are_never_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_NAMES", [*columns._NAMES])
    monkeypatch.setattr(columns, "_COLUMNS", {**columns._COLUMNS})
    known = [column(f"example.com/r{number}") for number in range(80)]

    assert BEYOND in known
    assert name_of(BEYOND) == "other resources"
    assert named(vector({"cpu": 2000, "nvidia.com/gpu": 1})) == {"cpu": 2000.0, "nvidia.com/gpu": 1.0}
