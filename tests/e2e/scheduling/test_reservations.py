"""A large gang waits, and nodes are kept for it: its queue tells which, and single pods leave them alone."""

import pytest

from tests.e2e.node.pods import Object, container, named
from tests.e2e.scheduling.cluster import GPU, Cluster, gang, members
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
ESTIMATE = "volcano.sh/running-estimate"


@pytest.fixture
def full(kubectl: Cluster) -> Cluster:
    """Two nodes of four GPUs. One is in use for an hour; a gang that needs both waits."""
    for name in ("left", "right"):
        kubectl.add_node(name, gpus=4)
    first = gang("first", 1)
    first["metadata"]["annotations"] = {ESTIMATE: "1h"}
    kubectl.apply(first, *members("first", 1, asked={GPU: "4"}))
    eventually(lambda: kubectl.bound("first"), 60, "the first has a node")
    kubectl.apply(gang("big", 8), *members("big", 8))
    return kubectl


def reservation(queue: Object) -> Object:
    return queue.get("status", {}).get("reservation") or {}


def single(name: str, **spec: object) -> Object:
    return named("Pod", name, spec={"containers": [container(resources={"limits": {GPU: "1"}})], **spec})


def one_ends(kubectl: Cluster, name: str) -> None:
    kubectl.server.request("DELETE", f"{kubectl.path(f'pods/{name}')}?gracePeriodSeconds=0")


def test_a_queue_tells_which_nodes_are_kept_and_single_pods_use_them_only_if_they_end_before(full: Cluster) -> None:
    kubectl = full
    kept = reservation(kubectl.until("queues/default", reservation))
    assert kept["nodes"] == ["left", "right"]
    assert kept["resource"][GPU] == "4"

    kubectl.apply(single("long"), single("short", activeDeadlineSeconds=60))
    eventually(lambda: kubectl.bound("short"), 60, "the short one has a node")
    told = kubectl.warned("long", "default-scheduler", "FailedScheduling")
    assert f"2 node(s) are kept for pod group {kubectl.namespace}/big" in told
    kubectl.until("queues/default", lambda queue: reservation(queue).get("resource", {}).get(GPU) == "3")
    assert sorted(kubectl.bound()) == ["first-0", "short"]

    for name in ("first-0", "short"):
        one_ends(kubectl, name)
    kubectl.all_or_none(8, "big")
    kubectl.until("queues/default", lambda queue: not reservation(queue))
    assert kubectl.bound("long") == {}

    one_ends(kubectl, "big-0")
    kubectl("delete podgroup big")
    eventually(lambda: kubectl.bound("long"), 60, "the long one has a node")
