"""Properties of the pure core, preemption and the queue."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis.strategies import builds, integers, lists, sampled_from

from tests.scheduler.builders import a_cluster, a_node, a_pod
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.apis.reason_text import preemption_message
from windlass.apis.reasons import NodeCause, PreemptionDisabled
from windlass.kube.meta import Key
from windlass.scheduler.cycle.pod_cycle import Placed, Unplaced, schedule
from windlass.scheduler.cycle.pod_preemption import NoPreemption, Preemption, preempt
from windlass.scheduler.live.core.resting_pods import ANY_POD, Change
from windlass.scheduler.live.core.scheduling_queue import SchedulingQueue
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import Snapshot
from windlass.scheduler.predicates import fits
from windlass.scheduler.predicates.pod_affinity import pods_about
from windlass.scheduler.predicates.spread import constraints, matching
from windlass.scheduler.predicates.verdict import Refusal


def pod_like(cpu: int, app: str, keeps_apart: bool, priority: int) -> dict[str, Any]:
    made: dict[str, Any] = {"cpu": f"{cpu}m", "labels": {"app": app}, "priority": priority}
    if keeps_apart:
        made["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term_for(app)]}}
    return made


def term_for(app: str) -> dict[str, Any]:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}


PODS = lists(
    builds(pod_like, integers(1, 2500), sampled_from("xyz"), sampled_from([True, False]), integers(0, 3)), max_size=25
)
NODES = lists(integers(500, 4000), min_size=1, max_size=5)


def placed(nodes: list[int], pods: list[dict[str, Any]]) -> tuple[Snapshot, dict[str, str]]:
    cluster = a_cluster(*(a_node(f"n{number}", cpu=f"{cpu}m", pods=8) for number, cpu in enumerate(nodes)))
    where: dict[str, str] = {}
    for number, given_ in enumerate(pods):
        pod = a_pod(f"p{number}", **given_)
        found = schedule(pod, cluster)
        if isinstance(found, Placed):
            node = cluster.node(found.node)
            assert node is not None
            assert fits(pod, node, cluster) is None
            cluster.add_pod(pod, found.node)
            where[pod.uid] = found.node
    return cluster, where


@given(NODES, PODS)
def test_no_node_is_ever_given_more_than_it_has(nodes: list[int], pods: list[dict[str, Any]]) -> None:
    cluster, _ = placed(nodes, pods)

    for node in cluster.nodes:
        assert sum(pod.requests["cpu"] for pod in node.pods.values()) <= node.allocatable["cpu"]
        assert len(node.pods) <= 8
        assert node.requested["cpu"] == sum(pod.requests["cpu"] for pod in node.pods.values())


@given(NODES, PODS)
def test_the_same_question_has_the_same_answer(nodes: list[int], pods: list[dict[str, Any]]) -> None:
    assert placed(nodes, pods)[1] == placed(nodes, pods)[1]


@given(NODES, PODS)
def test_preemption_takes_only_lower_ones_makes_room_and_leaves_the_snapshot_alone(
    nodes: list[int], pods: list[dict[str, Any]]
) -> None:
    cluster, where = placed(nodes, pods)
    pod = a_pod("high", cpu="2000m", priority=2, labels={"app": "x"})
    failed = schedule(pod, cluster)
    if isinstance(failed, Placed):
        return
    found = preempt(pod, failed, cluster)

    assert {uid: node.name for uid in where if (node := cluster.node_of(uid))} == where
    if isinstance(found, Preemption):
        node = cluster.node(found.node)
        assert node is not None
        assert all(victim.priority < 2 for victim in found.victims)
        with cluster.supposing(gone=found.victims, node=found.node):
            assert fits(pod, node, cluster) is None
        for spared in found.victims:  # none of them is one too many
            with cluster.supposing(gone=[one for one in found.victims if one is not spared], node=found.node):
                assert fits(pod, node, cluster) is not None


@given(PODS, lists(integers(0, 24)))
def test_what_is_counted_pod_by_pod_is_what_counting_anew_finds(pods: list[dict[str, Any]], gone: list[int]) -> None:
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term_for("x")]}}
    spread = {"topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway", **term_for("y")}
    asking = a_pod("asking", affinity=near, topologySpreadConstraints=[{**spread, "maxSkew": 1}])

    def counts(cluster: Snapshot) -> tuple[dict[str, int], ...]:
        (soft,) = constraints(asking, "ScheduleAnyway")
        found = (pods_about(asking.affinity, cluster), matching(asking, soft, cluster))
        return tuple({name: count for name, count in one.items() if count} for one in found)

    kept, anew = a_cluster(a_node("n0"), a_node("n1")), a_cluster(a_node("n0"), a_node("n1"))
    assert counts(kept) == ({}, {})
    for number, given_ in enumerate(pods):
        kept.add_pod(a_pod(f"p{number}", **given_), f"n{number % 2}")
    for number in gone:
        kept.remove_pod(f"uid-p{number}")
    for number, given_ in enumerate(pods):
        if number not in gone:
            anew.add_pod(a_pod(f"p{number}", **given_), f"n{number % 2}")

    assert counts(kept) == counts(anew)
    assert (kept.repelling, kept.attracting) == (anew.repelling, anew.attracting)


def test_a_namespace_that_gets_a_label_is_counted_by_it() -> None:
    term = {**term_for("x"), "namespaceSelector": {"matchLabels": {"team": "a"}}}
    asking = a_pod("asking", affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    cluster = a_cluster(a_node(), pods={"n1": [a_pod("p", namespace="other", labels={"app": "x"})]})
    cluster.put_namespace("other", {})
    assert isinstance(schedule(asking, cluster), Unplaced)

    cluster.put_namespace("other", {"team": "a"})
    assert schedule(asking, cluster) == Placed("n1")


def room_for(pod: PodInfo, cluster: Snapshot) -> Preemption | NoPreemption:
    failed = schedule(pod, cluster)
    assert isinstance(failed, Unplaced)
    return preempt(pod, failed, cluster)


def test_a_pod_that_never_preempts_says_so() -> None:
    cluster = a_cluster(a_node(), pods={"n1": [a_pod("low", cpu="4")]})
    found = room_for(a_pod(cpu="4", priority=5, preemptionPolicy="Never"), cluster)
    assert found == NoPreemption(PreemptionDisabled())


def test_where_nobody_can_go_the_words_are_kubernetes() -> None:
    cluster = a_cluster(a_node("a", cpu="1"), a_node("b"), pods={"b": [a_pod("q", cpu="4", priority=9)]})
    found = room_for(a_pod(cpu="2"), cluster)
    assert isinstance(found, NoPreemption)
    assert preemption_message(found.reason) == (
        "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )


def test_a_disruption_budget_is_kept_where_possible() -> None:
    kept, free = a_pod("kept", cpu="4", labels={"app": "db"}), a_pod("free", cpu="4")
    cluster = a_cluster(a_node("a"), a_node("b"), pods={"a": [kept], "b": [free]})
    budget = {"metadata": {"name": "b", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "db"}}}}
    cluster.budgets[Key("default", "b")] = msgspec.convert(budget, PodDisruptionBudget)

    found = room_for(a_pod(cpu="4", priority=5), cluster)
    assert isinstance(found, Preemption)
    assert (found.node, found.violations) == ("b", 0)


def test_room_that_is_promised_is_not_given_to_others() -> None:
    cluster = a_cluster(a_node())
    cluster.nominated["uid-high"] = (a_pod("high", cpu="4", priority=5), "n1")

    assert isinstance(schedule(a_pod("low", cpu="1"), cluster), Unplaced)
    assert schedule(a_pod("higher", cpu="1", priority=9), cluster) == Placed("n1")
    assert schedule(a_pod("high", cpu="4", priority=5), cluster) == Placed("n1")


def test_the_queue_serves_priority_then_time() -> None:
    queue = SchedulingQueue()
    for name, priority, at in (("a", 0, 1.0), ("b", 5, 3.0), ("c", 5, 2.0)):
        queue.add(a_pod(name, priority=priority), at)

    assert [entry.pod.key.name for _ in range(3) if (entry := queue.pop(4.0))] == ["c", "b", "a"]


def test_a_pod_that_failed_rests_until_something_helps() -> None:
    queue = SchedulingQueue()
    queue.add(a_pod("a"), 0.0)
    assert queue.pop(0.0)
    queue.rest("uid-a", frozenset(("resources",)), 0.0)

    assert queue.pop(5.0) is None
    assert not queue.wake(Change(frozenset(("volumes",))), 5.0)
    assert queue.wake(Change(frozenset(("resources",))), 5.0)
    assert queue.pop(5.0)


def test_a_change_that_comes_while_a_pod_is_decided_on_is_not_lost() -> None:
    queue = SchedulingQueue()
    queue.add(a_pod("a"), 0.0)
    assert queue.pop(0.0)
    queue.wake(ANY_POD, 0.0)
    queue.rest("uid-a", frozenset(("resources",)), 0.0)

    assert queue.pop(0.1)


def test_an_error_is_tried_again_after_a_growing_pause() -> None:
    queue, now, pauses = SchedulingQueue(), 0.0, list[float]()
    queue.add(a_pod("a"), now)
    for _ in range(6):
        assert queue.pop(now)
        queue.retry("uid-a", now)
        assert queue.pop(now) is None
        at = queue.next_at()
        assert at is not None
        pauses.append(at - now)
        now = at

    assert pauses == [1, 2, 4, 8, 10, 10]


def test_a_pod_is_tried_again_after_five_minutes_if_anything_has_changed() -> None:
    queue = SchedulingQueue()
    queue.add(a_pod("a"), 10.0)
    assert queue.pop(10.0)
    queue.rest("uid-a", frozenset(("resources",)), 10.0)
    assert not queue.wake(Change(frozenset()), 20.0)
    queue.flush(200.0)
    assert queue.pop(200.0) is None
    queue.flush(312.0)

    assert queue.pop(312.0)


def test_a_pod_that_nothing_can_schedule_rests_for_good_where_nothing_changes() -> None:
    queue = SchedulingQueue()
    queue.add(a_pod("a"), 10.0)
    queue.wake(ANY_POD, 10.0)
    assert queue.pop(20.0)
    queue.rest("uid-a", frozenset(("resources",)), 20.0)
    for hours in (1, 2, 24):
        queue.flush(hours * 3600.0)

        assert queue.pop(hours * 3600.0) is None


def test_nobody_goes_for_a_pod_that_would_fit_as_things_are() -> None:
    """What keeps it from the node is nothing that other pods would free."""
    cluster = a_cluster(a_node(), pods={"n1": [a_pod("low", cpu="1")]})
    pod = a_pod("high", cpu="1", priority=2)

    found = preempt(pod, Unplaced(1, {"n1": Refusal((NodeCause("KeptForGang", "ml/g"),))}), cluster)

    assert isinstance(found, NoPreemption)
