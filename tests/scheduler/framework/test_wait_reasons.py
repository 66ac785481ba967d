"""Why a gang waits, in words: the true reason, and no other."""

import numpy as np
import pytest

from tests.scheduler.builders import a_pod
from tests.scheduler.cycle.world import GPU, World
from windlass.apis.reason_text import admission_cause
from windlass.apis.reasons import ClusterInsufficient
from windlass.scheduler.framework.admission import shortages
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Status

OVERCOMMITTED = "9 left of 1.2 x 8 on all nodes"
CLUSTER = f"resource in cluster is overused: overused {GPU} ({GPU}: "
QUEUE = f"queue resource quota insufficient: insufficient {GPU} (queue small: {GPU}: "
LIMIT = "may have no more of what it asks for"


def a_world(**queue: object) -> World:
    """Eight GPUs on two nodes, and a queue."""
    world = World()
    world.node("n", gpus=4)
    world.node("m", gpus=4)
    world.queue("small", **queue)
    return world


@pytest.mark.parametrize(
    ("queue", "runs", "asked", "why"),
    [
        ({}, 0, 10, f"{CLUSTER}10 asked, 8 free)"),
        ({}, 8, 2, f"{CLUSTER}2 asked, 0 free)"),
        ({}, 7, 3, f"{CLUSTER}3 asked, 1 free)"),
        ({"capability": {GPU: "2"}}, 0, 4, f"{QUEUE}4 asked, 2 free)"),
        ({"capability": {GPU: "2"}}, 2, 2, f"{QUEUE}2 asked, 0 free)"),
        ({"capability": {GPU: "2"}}, 0, 10, f"{CLUSTER}10 asked, {OVERCOMMITTED}); {QUEUE}10 asked, 2 free)"),
    ],
    ids=["more than there is", "all in use", "most in use", "more than it may", "all it may in use", "both"],
)
def test_a_gang_that_is_not_let_in_is_told_whether_its_queue_or_the_cluster_is_short(
    queue: dict[str, object], runs: int, asked: int, why: str
) -> None:
    world = a_world(**queue)
    if runs:
        world.job("runs", runs, gpus=1, queue="small", resources={GPU: str(runs)})
        world.decide()
        world.run()
    gang = world.job("g", asked, gpus=1, queue="small", resources={GPU: str(asked)})

    assert world.why(gang, world.decide()) == f"NotEnqueueable: {why}"


def test_a_gang_is_told_how_overcommitment_counts_what_may_still_be_admitted() -> None:
    world = World(Conf(("enqueue", "allocate"), ((PluginConf("overcommit"), PluginConf("gang")),)))
    world.node("n", cpu=4)
    world.cluster.snapshot.add_pod(a_pod("alone", cpu="2"), "n")
    world.job("before", 1, cpu=1, resources={"cpu": "1"})
    gang = world.job("g", 3, cpu=1, resources={"cpu": "3"})

    assert world.why(gang, world.decide()) == (
        "NotEnqueueable: resource in cluster is overused: overused cpu (cpu: 3000m asked, 1800m left of "
        "1.2 x 4000m on all nodes minus 2000m in use minus 1000m claimed by groups that were admitted)"
    )


def test_a_pod_that_waits_for_others_to_terminate_is_told_for_whom() -> None:
    world = World(Conf(("allocate", "preempt"), ((PluginConf("priority"), PluginConf("gang")),)))
    world.node("n", cpu=5)
    low = world.job("low", 4, 1, cpu=1, phase="Inqueue")
    world.decide()
    world.run()
    world.cluster.snapshot.add_pod(a_pod("going", cpu="1"), "n")
    world.cluster.snapshot.set_ending("uid-going", True)
    high = world.job("high", 2, cpu=1, phase="Inqueue", priority=5)

    for _ in range(2):  # in the cycle that preempts, and in those that follow
        told = world.decide().troubles[high.uid].pod_messages()["uid-high-0"]
        gone = next(task.pod.key for task in low.tasks.values() if task.status is Status.RELEASING)
        assert told == (
            "Pod default/high-0 can possibly be assigned to n, once resource is released and minAvailable is "
            f"satisfied; terminating there: {gone} (preempted for it), default/going"
        )


def test_what_is_guaranteed_to_others_is_a_limit_of_the_queue() -> None:
    world = a_world()
    world.queue("other", guarantee={"resource": {GPU: "6"}})
    gang = world.job("g", 4, gpus=1, queue="small", resources={GPU: "4"})

    assert world.why(gang, world.decide()) == f"NotEnqueueable: {QUEUE}4 asked, 2 free)"


@pytest.mark.parametrize(
    ("queue", "width", "told"),
    [
        ({}, 4, "3 Schedulable, 1 Unschedulable. Origin reason is default/g-3: 0/2 nodes are unavailable: "),
        ({}, 12, "3 Schedulable, 9 Unschedulable. Origin reason is default/g-0: 0/2 nodes are unavailable: "),
        ({"capability": {GPU: "6"}}, 12, "9 Unschedulable. Origin reason is default/g-0: 0/2 nodes are unavailable: "),
    ],
    ids=["a few", "so many that they are counted", "and more than its queue may have"],
)
def test_a_gang_for_some_of_which_there_is_room_is_told_what_is_short_for_the_rest(
    queue: dict[str, object], width: int, told: str
) -> None:
    world = a_world(**queue)
    world.job("runs", 5, gpus=1)
    world.decide()
    world.run()
    gang = world.job("g", width, gpus=1, queue="small")

    assert world.why(gang, world.decide()).endswith(f"{told}2 Insufficient {GPU}.")


@pytest.mark.parametrize(
    ("queue", "others", "told"),
    [
        (
            {"capability": {GPU: "2"}},
            0,
            f"queue small may have no more of what it asks for ({GPU}: 4 with it, 2 at most)",
        ),
        ({}, 8, "queue small has its share: others that ask for theirs go first"),
    ],
    ids=["limit", "share"],
)
def test_a_gang_that_nodes_have_room_for_is_told_what_its_queue_lacks(
    queue: dict[str, object], others: int, told: str
) -> None:
    world = a_world(weight=1, **queue)
    world.queue("large", weight=7)
    gang = world.job("g", 4, gpus=1, queue="small")
    if others:
        world.job("other", others, gpus=1, queue="large")

    assert world.why(gang, world.decide()).endswith(f"4 Schedulable, 0 Unschedulable. Origin reason is {told}")


@pytest.mark.parametrize(
    ("queue", "told"),
    [
        ({}, "queue small has its share: others that ask for theirs go first"),
        ({"capability": {GPU: "1"}}, f"queue small {LIMIT} ({GPU}: 2 with it, 1 at most)"),
    ],
    ids=["share", "limit"],
)
def test_a_gang_that_needs_only_some_of_its_pods_is_told_of_its_queue_too(queue: dict[str, object], told: str) -> None:
    world = a_world(weight=1, **queue)
    world.queue("large", weight=7)
    gang = world.job("g", 3, 1, gpus=2, queue="small")
    world.job("other", 8, 2, gpus=1, queue="large")

    assert world.why(gang, world.decide()).endswith(
        f"0 Schedulable, 3 Unschedulable. Origin reason is default/g-0: {told}"
    )


@pytest.mark.parametrize(
    ("width", "open_pods", "told"),
    [
        (2, 0, "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; "
               "Pending: 0 Schedulable, 2 Unschedulable. Origin reason is default/g-0: "),
        (2, 1, "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; "
               "Pending: 1 Schedulable, 2 Unschedulable. Origin reason is default/g-0: "),
    ],
)  # fmt: skip
def test_a_gang_whose_pods_must_not_be_scheduled_yet_is_told_for_what_it_waits(
    width: int, open_pods: int, told: str
) -> None:
    world = a_world()
    gang = world.job("g", width, width + open_pods, gpus=1, spec={"schedulingGates": [{"name": "a"}, {"name": "b"}]})
    for task in list(gang.tasks.values()):
        world.cluster.move(task, Status.GATED)
    for number in range(open_pods):
        world.add(gang, f"open-{number}", gpus=1)

    world.decide()  # which admits it
    decided = world.decide()

    assert world.why(gang, decided) == f"NotEnoughResources: {told}waiting for scheduling gates: [a b]"
    assert not decided.commits


def test_surplus_for_which_there_is_no_node_is_told_so_whatever_its_queue_may_have() -> None:
    world = a_world()
    gang = world.job("g", 10, 2, gpus=1, queue="small")
    world.decide()
    world.run()

    assert world.why(gang, world.decide()).endswith(f"0/2 nodes are unavailable: 2 Insufficient {GPU}.")


def test_a_queue_whose_parent_may_have_no_more_says_so() -> None:
    plugins = (PluginConf("priority"), PluginConf("gang"), PluginConf("capacity", hierarchy=True))
    world = World(Conf(("enqueue", "allocate"), (plugins,)))
    world.node("n", gpus=8)
    world.queue("eng", capability={GPU: "4"})
    world.queue("a", parent="eng")
    world.queue("b", parent="eng")
    world.job("runs", 3, gpus=1, queue="b")
    world.decide()
    world.run()
    gang = world.job("g", 2, gpus=1, queue="a")

    assert "queue a, or one above it, may have no more of what it asks for" in world.why(gang, world.decide())


@pytest.mark.parametrize(
    ("name", "asked", "free", "told"),
    [
        ("cpu", 2400, 1999.9, "cpu: 2400m asked, 1999m free"),
        (GPU, 2, 1.8, f"{GPU}: 2 asked, 1 free"),
        (GPU, 1, -3, f"{GPU}: 1 asked, 0 free"),
        ("memory", 64 * 2**30, 64 * 2**30 - 1, "memory: 64Gi asked, 63.9Gi free"),
        ("memory", 2**20, 0, "memory: 1Mi asked, 0 free"),
    ],
)
def test_amounts_are_told_so_that_they_can_be_read_and_do_not_look_alike(
    name: str, asked: float, free: float, told: str
) -> None:
    lacking = ClusterInsufficient(shortages([name], vector({name: asked}), np.array(vector({name: free}))))
    assert admission_cause(lacking) == f"resource in cluster is overused: overused {name} ({told})"
