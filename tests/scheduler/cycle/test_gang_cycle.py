"""Cycles: gangs whole or not at all, in the order of queues and jobs, and why the others wait."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.cycle.world import GANGS_ONLY, GPU, World
from windlass.scheduler.framework import conf
from windlass.scheduler.model.columns import TOLERANCE
from windlass.scheduler.model.jobs import ALLOCATED, Job, Status

WIDTHS = st.integers(1, 6)


@pytest.mark.parametrize(
    ("nodes", "width", "least", "placed"),
    [
        ([4], 4, None, 4),
        ([4], 5, None, 0),
        ([2, 2, 2], 6, None, 6),
        ([4], 6, 3, 4),  # what is beyond the minimum comes as far as there is room
        ([2], 6, 3, 0),
        ([], 1, None, 0),
    ],
)
def test_a_gang_is_placed_whole_or_not_at_all(nodes: list[int], width: int, least: int | None, placed: int) -> None:
    world = World()
    for number, gpus in enumerate(nodes):
        world.node(f"n{number}", gpus=gpus)
    job = world.job("g", width, least, gpus=1)

    world.decide()

    assert len(world.placed(job)) == placed


def test_large_pods_go_first_where_the_order_of_arrival_leaves_no_room_for_them() -> None:
    world = World(GANGS_ONLY)
    world.node("n", cpu=4)
    job = world.job("g", 0, 3)
    for number, cpu in enumerate((1, 1, 2)):
        _add(world, job, f"p{number}", cpu)
    world.node("m", cpu=1)
    world.cluster.snapshot.remove_node("m")

    world.decide()

    assert len(world.placed(job)) == 3


def _add(world: World, job: Job, name: str, cpu: int) -> None:
    from tests.scheduler.builders import a_pod
    from windlass.scheduler.model.jobs import Task

    world.cluster.put_task(job, Task(a_pod(name, cpu=str(cpu))))


def test_members_count_for_each_others_anti_affinity() -> None:
    apart = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    world = World()
    for name in "xyz":
        world.node(name)
    fits = world.job("three", 3, cpu=1, spec={"affinity": apart, "labels": {"a": "b"}})

    world.decide()
    assert sorted(world.placed(fits).values()) == ["x", "y", "z"]

    waits = world.job("one", 1, cpu=1, spec={"affinity": apart, "labels": {"a": "b"}})
    told = world.why(waits, world.decide())
    assert "3 node(s) didn't match pod anti-affinity rules" in told


def test_a_gang_that_does_not_fit_says_how_many_of_it_do_and_why_the_others_do_not() -> None:
    world = World()
    world.node("n", gpus=2)
    job = world.job("g", 3, gpus=1)

    decisions = world.decide()

    assert world.why(job, decisions) == (
        "NotEnoughResources: 3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; "
        "Pending: 2 Schedulable, 1 Unschedulable. Origin reason is default/g-2: "
        "0/1 nodes are unavailable: 1 Insufficient nvidia.com/gpu."
    )
    assert decisions.troubles["g"].pod_messages() == {
        "uid-g-0": "Pod default/g-0 can possibly be assigned to n, once minAvailable is satisfied",
        "uid-g-1": "Pod default/g-1 can possibly be assigned to n, once minAvailable is satisfied",
        "uid-g-2": "0/1 nodes are unavailable: 1 Insufficient nvidia.com/gpu.",
    }


def test_a_gang_that_is_admitted_but_finds_only_pieces_binds_nothing() -> None:
    world = World()
    for name in "ab":
        world.node(name, gpus=2)
    job = world.job("g", 2, gpus=3)

    told = world.why(job, world.decide())

    assert job.phase == "Inqueue"
    assert "0/2 nodes are unavailable: 2 Insufficient nvidia.com/gpu." in told
    assert not world.placed(job)


def test_kube_batch_words_it_in_its_own_way() -> None:
    world = World()
    world.node("n", gpus=1)
    job = world.job("g", 2, gpus=1, scheduler="kube-batch", phase="Inqueue")

    told = world.why(job, world.decide())

    assert told == (
        "NotEnoughResources: 2/2 tasks in gang unschedulable: 0/1 nodes are available, 1 insufficient nvidia.com/gpu."
    )


def test_a_gang_waits_until_enough_of_it_is_there() -> None:
    world = World()
    world.node("n")
    job = world.job("g", 3, least=6, cpu=1)

    told = world.why(job, world.decide())

    assert told == "NotEnoughTasks: Not enough valid tasks for gang-scheduling, valid: 3, min: 6"


@pytest.mark.parametrize(
    ("roles", "least", "placed"),
    [
        (["w", "w", "w", "ps"], {"ps": 1, "w": 2}, Counter(w=2, ps=1)),
        (["w", "w", "w"], {"ps": 1, "w": 2}, Counter()),
        (["w", "w", "w"], {"ps": 2, "w": 2}, Counter(w=3)),  # more than the gang needs: of no account
    ],
)
def test_each_role_has_its_minimum_whatever_comes_first(
    roles: list[str], least: dict[str, int], placed: Counter[str]
) -> None:
    world = World()
    world.node("n", gpus=3)
    job = world.job("g", len(roles), 3, roles=roles, min_tasks=least, gpus=1)

    world.decide()

    found = Counter(task.role for task in job.tasks.values() if task.status in ALLOCATED)
    assert found == placed


def test_best_effort_pods_of_a_gang_need_a_place_too() -> None:
    world = World()
    world.node("n", pods=3)
    fits, waits = world.job("fits", 3), world.job("waits", 1)

    decisions = world.decide()

    assert len(world.placed(fits)) == 3
    assert "1 Too many pods" in world.why(waits, decisions)


# --- admission


def test_a_job_is_let_in_when_there_is_room_for_its_minimum() -> None:
    world = World()
    world.node("n", gpus=10)
    a = world.job("a", 10, gpus=1, resources={GPU: "10"})
    b = world.job("b", 2, gpus=1, resources={GPU: "2"})
    c = world.job("c", 3, gpus=1, resources={GPU: "3"})

    decisions = world.decide()

    assert [job.name for job in decisions.admitted] == ["a"]
    assert len(world.placed(a)) == 10
    of_the_cluster = "resource in cluster is overused: overused nvidia.com/gpu (nvidia.com/gpu: "
    assert world.why(b, decisions) == f"NotEnqueueable: {of_the_cluster}2 asked, 0 free)"
    assert world.why(c, decisions) == f"NotEnqueueable: {of_the_cluster}3 asked, 0 free)"


def test_what_a_job_never_uses_is_not_kept_for_ever() -> None:
    world = World()
    world.node("n", gpus=4)
    gone = world.job("gone", 0, 4, resources={GPU: "4"})
    waits = world.job("waits", 4, gpus=1, resources={GPU: "4"})

    world.decide()
    assert (gone.phase, waits.phase) == ("Inqueue", "Pending")

    world.now += 31
    world.decide()
    assert waits.phase == "Inqueue"


def test_a_gang_whose_namespace_lacks_quota_for_all_of_it_is_not_let_in() -> None:
    from windlass.scheduler.model.cluster import Quota

    world = World()
    world.node("n", cpu=64)
    world.cluster.quotas["default"] = [Quota("small", {"requests.cpu": 4.0}, {"requests.cpu": 1.0})]
    job = world.job("g", 4, cpu=1, resources={"cpu": "4"}, quota_asked={"requests.cpu": 4.0})

    decisions = world.decide()
    assert "resource quota insufficient: insufficient requests.cpu (quota small)" in world.why(job, decisions)

    world.cluster.quotas["default"][0].used["requests.cpu"] = 0.0
    world.decide()
    assert len(world.placed(job)) == 4


# --- queues


def test_two_saturated_queues_share_by_their_weights() -> None:
    world = World()
    for number in range(4):
        world.node(f"n{number}", gpus=10)
    for name, weight in (("small", 1), ("large", 3)):
        world.queue(name, weight=weight)
        for number in range(40):
            world.job(f"{name}{number}", 1, gpus=1, queue=name)

    world.decide()

    shares = {name: world.cluster.queues[name].allocated[3] for name in ("small", "large")}
    assert shares == {"small": 10, "large": 30}


def test_what_one_queue_does_not_ask_for_is_lent() -> None:
    world = World()
    world.node("n", gpus=10)
    world.queue("idle", weight=9)
    world.queue("busy", weight=1)
    for number in range(12):
        world.job(f"b{number}", 1, gpus=1, queue="busy")

    world.decide()

    assert world.cluster.queues["busy"].allocated[3] == 10


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"capability": {GPU: "2"}}, {"a": 2, "b": 8}),
        ({"guarantee": {"resource": {GPU: "8"}}}, {"a": 8, "b": 2}),
        ({"priority": 5}, {"a": 5, "b": 5}),
    ],
)
def test_a_queue_has_no_more_than_it_may_and_no_less_than_it_was_promised(
    spec: dict[str, object], expected: dict[str, int]
) -> None:
    world = World()
    world.node("n", gpus=10)
    world.queue("a", **spec)
    world.queue("b")
    for name in "ab":
        for number in range(10):
            world.job(f"{name}{number}", 1, gpus=1, queue=name)

    world.decide()

    assert {name: world.cluster.queues[name].allocated[3] for name in "ab"} == expected


def test_a_queue_that_is_not_open_is_given_nothing() -> None:
    world = World()
    world.node("n", gpus=2)
    world.queue("closed").is_open = False
    new, waiting = world.job("new", 1, gpus=1, queue="closed"), world.job("old", 1, queue="closed", phase="Inqueue")

    decisions = world.decide()

    assert new.phase == "Pending"
    assert "queue closed is not open" in world.why(waiting, decisions)


@pytest.mark.parametrize(("fifo", "placed"), [(False, 1), (True, 0)])
def test_with_fifo_the_first_job_that_waits_holds_up_the_others(fifo: bool, placed: int) -> None:
    world = World(conf.VOLCANO)
    world.node("n", gpus=2)
    world.queue("q", dequeueStrategy="fifo" if fifo else "traverse")
    world.job("first", 3, gpus=1, queue="q", created=1.0)
    second = world.job("second", 1, gpus=1, queue="q", created=2.0)

    world.decide()

    assert len(world.placed(second)) == placed


# --- what always holds


@settings(max_examples=60, deadline=None)
@given(
    nodes=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    gangs=st.lists(st.tuples(WIDTHS, st.integers(1, 3), st.integers(0, 2), st.integers(0, 2)), max_size=8),
    ends=st.lists(st.integers(0, 7), max_size=4),
)
def test_gangs_that_compete_are_whole_or_wait_and_no_node_has_too_much(
    nodes: list[int], gangs: list[tuple[int, int, int, int]], ends: list[int]
) -> None:
    """Through a random history: some gangs end, others come in their place."""
    world = World()
    for number, gpus in enumerate(nodes):
        world.node(f"n{number}", gpus=gpus)
    world.queue("other", weight=2)
    jobs = [
        world.job(f"g{n}", width, max(1, width - less), gpus=gpus, priority=priority, queue=("default", "other")[n % 2])
        for n, (width, gpus, less, priority) in enumerate(gangs)
    ]
    for end in [None, *ends]:
        if end is not None and end < len(jobs):
            world.finish(jobs[end])
        world.decide()
        world.run()
        _check(world, jobs)


def _check(world: World, jobs: list[Job]) -> None:
    table = world.cluster.snapshot.table
    assert (table.used <= table.allocatable + TOLERANCE).all()
    assert not table.releasing.any()
    assert not table.promised.any()
    for job in jobs:
        assert len(world.placed(job)) == 0 or len(world.placed(job)) >= job.min_member
    for queue in world.cluster.queues.values():
        tasks = [task for job in queue.jobs.values() for task in job.tasks.values()]
        held = sum((task.request for task in tasks if task.status in ALLOCATED), np.zeros(len(queue.allocated)))
        asked = held + sum((task.request for task in tasks if task.status is Status.PENDING), np.zeros(len(held)))
        assert np.allclose(queue.allocated, held)
        assert np.allclose(queue.requested, asked)


@settings(max_examples=40, deadline=None)
@given(nodes=st.lists(st.integers(0, 4), min_size=1, max_size=5), width=WIDTHS, gpus=st.integers(1, 3))
def test_another_node_never_hinders_a_gang_of_equal_pods(nodes: list[int], width: int, gpus: int) -> None:
    placed: list[int] = []
    for more in ([], [2]):
        world = World()
        for number, offered in enumerate([*nodes, *more]):
            world.node(f"n{number}", gpus=offered)
        job = world.job("g", width, gpus=gpus)
        world.decide()
        placed.append(len(world.placed(job)))

    assert placed[1] >= placed[0]


@settings(max_examples=30, deadline=None)
@given(order=st.permutations(range(5)), nodes=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_it_does_not_matter_in_which_order_jobs_are_heard_of(order: list[int], nodes: list[int]) -> None:
    def outcome(numbers: list[int]) -> dict[str, dict[str, str]]:
        world = World()
        for number, gpus in enumerate(nodes):
            world.node(f"n{number}", gpus=gpus)
        jobs = [world.job(f"g{n}", n % 3 + 1, gpus=1, created=float(n)) for n in numbers]
        world.decide()
        return {job.name: world.placed(job) for job in jobs}

    assert outcome(order) == outcome(sorted(order))
