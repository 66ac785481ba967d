"""The quality of service of pods, and whom the kernel kills first."""

import pytest

from tests.node.lifecycle.builders import a_container, a_pod, a_sidecar
from windlass.kube.json import Object
from windlass.node.lifecycle.qos import oom_score_adj, qos_class

GI = 2**30


def using(
    name: str = "main", *, requests: Object | None = None, limits: Object | None = None, sidecar: bool = False
) -> Object:
    make = a_sidecar if sidecar else a_container
    return make(name, resources={"requests": requests or {}, "limits": limits or {}})


def unclassified(*containers: Object, inits: tuple[Object, ...] = (), **spec: object) -> Object:
    return a_pod(*containers, inits=inits, status={"phase": "Pending"}, **spec)


BOTH = {"cpu": "1", "memory": "1Gi"}
FULL = using(requests=BOTH, limits=BOTH)


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (unclassified(), "BestEffort"),
        (unclassified(using(requests={"cpu": "0"}, limits={"memory": "0"})), "BestEffort"),
        (unclassified(using(requests={"nvidia.com/gpu": "1"}, limits={"nvidia.com/gpu": "1"})), "BestEffort"),
        (unclassified(FULL), "Guaranteed"),
        (unclassified(using(limits=BOTH)), "Guaranteed"),
        (unclassified(using(requests={"cpu": "1000m", "memory": "1024Mi"}, limits=BOTH)), "Guaranteed"),
        (unclassified(using(requests={"cpu": "500m", "memory": "1Gi"}, limits=BOTH)), "Burstable"),
        (unclassified(using(requests=BOTH)), "Burstable"),
        (unclassified(using(requests={"cpu": "1"}, limits={"cpu": "1"})), "Burstable"),
        (unclassified(FULL, a_container("other")), "Burstable"),
        (unclassified(FULL, inits=(a_container("init"),)), "Burstable"),
        (unclassified(FULL, inits=(using("init", requests=BOTH, limits=BOTH),)), "Guaranteed"),
        (unclassified(resources={"requests": BOTH, "limits": BOTH}), "Guaranteed"),
        (unclassified(FULL, resources={"requests": {"cpu": "1"}}), "Burstable"),
        (a_pod(FULL, status={"qosClass": "Burstable"}), "Burstable"),
    ],
)
def test_requests_and_limits_make_the_class(pod: Object, expected: str) -> None:
    assert qos_class(pod) == expected


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (using(requests={"cpu": "1"}), 999),
        (using(requests={"memory": "1"}), 999),
        (using(requests={"memory": "1Gi"}), 900),
        (using(requests={"memory": "5Gi"}), 500),
        (using(requests={"memory": "10Gi"}), 3),
        (using(requests={"memory": "20Gi"}), 3),
    ],
)
def test_the_more_memory_was_asked_for_the_later_it_is_killed(container: Object, expected: int) -> None:
    assert oom_score_adj(unclassified(container), container, 10 * GI) == expected


def test_a_machine_of_unknown_size_counts_all_the_same() -> None:
    container = using(requests={"memory": "1Gi"})

    assert oom_score_adj(unclassified(container), container, 0) == 999


def test_the_best_and_the_least_are_known_by_their_class() -> None:
    assert oom_score_adj(unclassified(FULL), FULL, 10 * GI) == -997
    assert oom_score_adj(unclassified(), a_container(), 10 * GI) == 1000


def test_only_what_keeps_the_node_alive_is_spared_by_its_priority() -> None:
    node = unclassified(priority=2_000_001_000, priorityClassName="system-node-critical")
    cluster = unclassified(priority=2_000_000_000, priorityClassName="system-cluster-critical")

    assert oom_score_adj(node, a_container(), 10 * GI) == -997
    assert oom_score_adj(cluster, a_container(), 10 * GI) == 1000


def test_a_sidecar_is_killed_no_sooner_than_the_containers_it_serves() -> None:
    side = using("side", requests={"memory": "1Gi"}, sidecar=True)
    greedy = using("side", requests={"memory": "6Gi"}, sidecar=True)
    mains = (using(requests={"memory": "2Gi"}), using("other", requests={"memory": "4Gi"}))
    init = using("init", requests={"memory": "1Gi"})

    assert oom_score_adj(unclassified(*mains, inits=(side,)), side, 10 * GI) == 600
    assert oom_score_adj(unclassified(*mains, inits=(greedy,)), greedy, 10 * GI) == 400
    assert oom_score_adj(unclassified(*mains, inits=(init,)), init, 10 * GI) == 900
