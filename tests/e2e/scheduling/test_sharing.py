"""Queues that share the GPUs of a node, and gangs whose pods must be near each other: all of it with kubectl."""

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from tests.e2e.node.pods import Object, container, named
from tests.e2e.scheduling.cluster import GPU, Cluster, gang, members
from tests.e2e.volcano.shell import task, vcjob
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
FAIR = """
actions: "enqueue, allocate, gangreclaim, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: drf, enablePreemptable: false}, {name: predicates}, {name: proportion}, {name: nodeorder}]
"""

BY_DESERTS = """
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: conformance}]
- plugins: [{name: predicates}, {name: capacity, enableHierarchy: true}, {name: nodeorder}]
"""


@pytest.fixture
def names() -> tuple[str, str]:
    """Two names of queues that no other test has."""
    mark = uuid.uuid4().hex[:6]
    return f"a-{mark}", f"b-{mark}"


def wants(kubectl: Cluster, queue: str, pods: int, least: int = 1) -> None:
    """Work for a queue, of a GPU each; it may start one by one, unless more must start together."""
    kubectl.apply(gang(queue, least, queue=queue), *members(queue, pods))


def settles(kubectl: Cluster, **bound: int) -> None:
    """Wait until as many pods of each group have nodes, by the first letter; then no more come."""

    def counts() -> dict[str, int]:
        return {letter: len(kubectl.bound(letter)) for letter in bound}

    def told() -> bool:
        waiting = [pod for pod in kubectl.pods() if not pod["spec"].get("nodeName")]
        return all("Unschedulable" in str(pod["status"].get("conditions")) for pod in waiting)

    eventually(lambda: counts() == bound, 60, f"{bound}, at last {counts()}")
    eventually(told, 60, "all others are told why they wait")
    assert counts() == bound


def allocated(kubectl: Cluster, queue: str, gpus: int) -> None:
    kubectl.until(f"queues/{queue}", lambda found: found["status"].get("allocated", {}).get(GPU) == str(gpus))


def test_gpus_are_shared_by_the_weights_of_queues(kubectl: Cluster, names: tuple[str, str]) -> None:
    for name, weight in zip(names, (1, 3), strict=True):
        kubectl.add_queue(name, weight=weight)
        wants(kubectl, name, 8)
    settles(kubectl, a=0, b=0)

    kubectl.add_node("eight", gpus=8)

    settles(kubectl, a=2, b=6)
    for name, gpus in zip(names, (2, 6), strict=True):
        allocated(kubectl, name, gpus)


def test_what_is_guaranteed_to_a_queue_is_kept_for_it(kubectl: Cluster, names: tuple[str, str]) -> None:
    kubectl.add_queue(names[0])
    kubectl.add_queue(names[1], guarantee={"resource": {GPU: "3"}}, deserved={GPU: "3"})
    kubectl.add_node("eight", gpus=8)

    wants(kubectl, names[0], 8)

    settles(kubectl, a=5)
    wants(kubectl, names[1], 8)
    settles(kubectl, a=5, b=3)


def test_a_queue_has_no_more_than_it_is_capable_of_and_says_so(kubectl: Cluster, names: tuple[str, str]) -> None:
    kubectl.add_queue(names[0], capability={GPU: "3"})
    kubectl.add_node("eight", gpus=8)

    wants(kubectl, names[0], 5)

    settles(kubectl, a=3)
    allocated(kubectl, names[0], 3)
    kubectl.apply(gang("large", 4, queue=names[0], minResources={GPU: "4"}))
    told = kubectl.told("large", "queue resource quota insufficient: insufficient nvidia.com/gpu")
    assert f"queue {names[0]}" in told["message"]
    assert told["reason"] == "NotEnqueueable"


@pytest.fixture
def configured(kubectl: Cluster) -> Iterator[Callable[[str], None]]:
    """Use another configuration for the time of a test, as one would with Volcano."""
    kubectl.server.request("POST", "/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})

    def use(text: str) -> None:
        settings = named("ConfigMap", "volcano-scheduler-configmap", data={"volcano-scheduler.conf": text})
        kubectl("-n volcano-system apply -f -", yaml.safe_dump(settings))

    yield use
    kubectl("-n volcano-system delete configmap volcano-scheduler-configmap")


def test_what_is_above_a_queue_limits_it_too_and_jobs_go_to_the_lowest_only(
    kubectl: Cluster, configured: Callable[[str], None]
) -> None:
    configured(BY_DESERTS)
    kubectl.add_queue("eng", capability={GPU: "4"})
    for name in ("dev", "prod"):
        kubectl.add_queue(name, parent="eng")
    kubectl.add_queue("sci")
    kubectl.add_node("eight", gpus=8)
    middle = vcjob("middle", task("t", container()), queue="eng")
    refused = kubectl.fails("create -f -", json.dumps(middle))
    assert 'admission webhook "validatejob.volcano.sh" denied the request' in refused

    wants(kubectl, "dev", 3)
    settles(kubectl, d=3)
    wants(kubectl, "prod", 3)
    wants(kubectl, "sci", 3)

    settles(kubectl, d=3, p=1, s=3)


@pytest.mark.parametrize("reclaimable", [True, False])
def test_a_queue_gives_back_what_is_another_queues_unless_it_may_keep_it(
    kubectl: Cluster, names: tuple[str, str], configured: Callable[[str], None], reclaimable: bool
) -> None:
    configured(FAIR)
    kubectl.add_queue(names[0], reclaimable=reclaimable)
    kubectl.add_queue(names[1])
    kubectl.add_node("eight", gpus=8)
    wants(kubectl, names[0], 8)
    settles(kubectl, a=8)

    wants(kubectl, names[1], 4, least=4)

    if not reclaimable:
        settles(kubectl, a=8, b=0)
        return
    agents_end_pods(kubectl, 4)
    assert kubectl.event(f"podgroups/{names[0]}", "Evict").endswith("is evicted, because of reclaim")
    settles(kubectl, a=4, b=4)


def agents_end_pods(kubectl: Cluster, count: int) -> None:
    """Wait until as many pods were told to go, and let them be gone."""

    def going() -> list[Object]:
        found = [pod for pod in kubectl.pods() if pod["metadata"].get("deletionTimestamp")]
        return found if len(found) == count else []

    for pod in eventually(going, 60, f"{count} pods go"):
        name = pod["metadata"]["name"]
        assert kubectl.warned(name, "volcano", "Evict") == "Pod is evicted, because of reclaim"
        conditions = {each["type"]: (each["status"], each.get("reason")) for each in pod["status"]["conditions"]}
        assert conditions["Ready"] == ("False", "Evict")
        assert conditions["DisruptionTarget"] == ("True", "PreemptionByScheduler")
        kubectl.server.request("DELETE", f"{kubectl.path(f'pods/{name}')}?gracePeriodSeconds=0")


@pytest.fixture
def racks(kubectl: Cluster) -> Iterator[None]:
    """Four racks of 32 GPUs, two below each of two spines."""
    tiers: dict[str, list[Object]] = {}
    for rack in ("x0", "x1", "y0", "y1"):
        for number in range(4):
            kubectl.add_node(f"{rack}-{number}", gpus=8, rack=rack)
        tiers.setdefault(rack[0], []).append(
            {"type": "HyperNode", "selector": {"exactMatch": {"name": f"rack-{rack}"}}}
        )
        labels = {"matchLabels": {"rack": rack}}
        kubectl.apply(hyper_node(f"rack-{rack}", 1, {"type": "Node", "selector": {"labelMatch": labels}}))
    for spine, below in tiers.items():
        kubectl.apply(hyper_node(f"spine-{spine}", 2, *below))
    yield
    kubectl("delete hypernodes --all")


def hyper_node(name: str, tier: int, *below: Object) -> Object:
    return named("HyperNode", name, "topology.volcano.sh/v1alpha1", spec={"tier": tier, "members": list(below)})


def together(kubectl: Cluster, **topology: Any) -> None:
    kubectl.apply(gang("wide", 40, networkTopology=topology), *members("wide", 40))


@pytest.mark.usefixtures("racks")
def test_a_gang_that_must_be_near_waits_for_a_rack_and_fits_below_a_spine(kubectl: Cluster) -> None:
    together(kubectl, mode="hard", highestTierAllowed=1)
    told = kubectl.told("wide", "40/40 tasks in gang unschedulable: ")
    assert "no hyper node up to tier 1 has room for 40 pods together" in told["message"]
    assert kubectl.bound() == {}
    eventually(
        lambda: kubectl.rows("get hypernodes --no-headers")[-1][:3] == ["spine-y", "2", "8"], 60, "nodes are counted"
    )

    kubectl('patch podgroup wide --type merge -p \'{"spec":{"networkTopology":{"highestTierAllowed":2}}}\'')

    nodes = kubectl.all_or_none(40)
    assert len({node[0] for node in nodes.values()}) == 1, "one spine"


@pytest.mark.usefixtures("racks")
def test_a_gang_that_would_like_to_be_near_is_in_as_few_racks_as_will_do(kubectl: Cluster) -> None:
    together(kubectl, mode="soft")

    nodes = kubectl.all_or_none(40)
    assert len({node[:2] for node in nodes.values()}) == 2, "a rack has room for 32"
