from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.worlds import World
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.model.columns import CPU, limits, vector
from windlass.scheduler.model.jobs import Job, Queue
from windlass.scheduler.model.queue_tree import QueueTree
from windlass.scheduler.plugins.capacity import Capacity

CORE = 1000.0


def cores(number: float) -> Any:
    return vector({"cpu": number * CORE})


def up_to(number: float) -> Any:
    return limits({"cpu": number * CORE})


def a_tree(*queues: Queue, total: float = 10, hierarchical: bool = True) -> QueueTree:
    return QueueTree(queues, cores(total), hierarchical=hierarchical)


def of_cpu(amounts: dict[str, Any]) -> dict[str, float]:
    return {name: amount[CPU] / CORE for name, amount in amounts.items() if name != "root"}


def test_without_a_hierarchy_what_is_guaranteed_to_others_is_not_to_be_had() -> None:
    tree = a_tree(
        Queue("a", guarantee=cores(2), deserved=cores(4)),
        Queue("b", capability=up_to(5), deserved=cores(6)),
        Queue("c"),
        hierarchical=False,
    )

    assert of_cpu(tree.real) == {"a": 10, "b": 5, "c": 8}
    assert of_cpu(tree.deserved) == {"a": 4, "b": 5, "c": 0}


def test_a_child_may_have_no_more_than_its_parent_and_what_is_not_guaranteed_to_its_siblings() -> None:
    tree = a_tree(
        Queue("eng", capability=up_to(6)),
        Queue("dev", parent="eng", guarantee=cores(1), deserved=cores(2)),
        Queue("prod", parent="eng", guarantee=cores(2), deserved=cores(3)),
        Queue("sci"),
    )

    assert of_cpu(tree.real) == {"eng": 6, "dev": 4, "prod": 5, "sci": 10}
    assert of_cpu(tree.deserved) == {"eng": 5, "dev": 2, "prod": 3, "sci": 0}


def test_the_root_has_no_limit_unless_it_is_given_one() -> None:
    assert of_cpu(a_tree(Queue("root"), Queue("a")).real) == {"a": 10}
    assert of_cpu(a_tree(Queue("root", capability=up_to(7)), Queue("a")).real) == {"a": 7}


def test_a_circle_of_parents_has_nothing() -> None:
    assert of_cpu(a_tree(Queue("a", parent="b"), Queue("b", parent="a")).real) == {"a": 0, "b": 0}


def test_queues_are_compared_just_under_what_they_have_in_common() -> None:
    queues = [
        Queue("eng", deserved=cores(6)),
        Queue("dev", parent="eng", deserved=cores(3), allocated=cores(3)),
        Queue("prod", parent="eng", deserved=cores(3)),
        Queue("sci", deserved=cores(4), allocated=cores(1)),
    ]
    tree = a_tree(*queues)

    ordered = sorted(queues[1:], key=tree.order)

    assert [queue.name for queue in ordered] == ["sci", "prod", "dev"]
    assert tree.distance(queues[1], queues[2]) == 1
    assert tree.distance(queues[1], queues[3]) == 2


def test_priority_comes_before_the_share() -> None:
    queues = [Queue("a", priority=1, deserved=cores(1), allocated=cores(5)), Queue("b", deserved=cores(5))]

    assert [one.name for one in sorted(queues, key=a_tree(*queues).order)] == ["a", "b"]


def a_world(*, hierarchical: bool = False, **arguments: Any) -> World:
    conf = PluginConf("capacity", arguments, hierarchy=hierarchical)
    world = World(conf, actions=("enqueue", "allocate"))
    world.nodes(2, cpu="5")
    return world


def running(job: Job) -> int:
    return job.ready


def test_a_queue_gets_what_it_may_have_and_no_more() -> None:
    world = a_world()
    world.queue("a", capability=up_to(3))
    job = world.job("j", 5, 0, queue="a")

    world.decide()

    assert running(job) == 3


def test_a_limit_of_any_queue_above_counts() -> None:
    world = a_world(hierarchical=True)
    world.queue("eng", capability=up_to(4))
    world.queue("dev", parent="eng")
    world.queue("prod", parent="eng")
    first = world.job("first", 3, queue="dev")
    second = world.job("second", 2, queue="prod", created=1)

    world.decide()

    assert running(first) == 3
    assert running(second) == 0


def test_a_queue_with_children_takes_no_jobs_and_says_so() -> None:
    world = a_world(hierarchical=True)
    world.queue("eng")
    world.queue("dev", parent="eng")
    job = world.job("j", 1, queue="eng", phase="Pending", min_resources=cores(1))

    trouble = world.decide().troubles[job.uid]

    assert trouble.message == "queue eng has children: only queues without any take jobs"


@pytest.mark.parametrize(("asked", "is_let_in"), [(2, True), (3, False)])
def test_a_minimum_must_fit_into_every_queue_above(asked: int, is_let_in: bool) -> None:
    world = a_world(hierarchical=True)
    world.queue("eng", capability=up_to(4))
    world.queue("dev", parent="eng")
    world.queue("prod", parent="eng")
    world.job("there", 2, queue="prod", on=["n000"], min_resources=cores(2))
    job = world.job("j", 1, queue="dev", phase="Pending", min_resources=cores(asked))

    decisions = world.decide()

    assert (job in decisions.admitted) is is_let_in
    if not is_let_in:
        text = "queue resource quota insufficient: insufficient cpu (queue eng: cpu: 3000m asked, 2000m free)"
        assert decisions.troubles[job.uid].message == text


def asking(world: World) -> tuple[Capacity, Any]:
    session = world.session()
    plugin = world.decider.plugins.named("capacity")
    assert isinstance(plugin, Capacity)
    return plugin, session


@pytest.mark.parametrize(
    ("deserved", "has", "asks", "may"),
    [(4, 3, "1", True), (4, 4, "1", False), (0, 0, "1", False), (10, 6, "5", False)],
)
def test_when_a_queue_may_take_back(deserved: float, has: int, asks: str, may: bool) -> None:
    world = a_world()
    queue = world.queue("a", deserved=cores(deserved))
    world.job("there", has, queue="a", on=["n000", "n001"])
    job = world.job("j", 1, queue="a", pod={"cpu": asks})
    plugin, session = asking(world)

    assert session.is_preemptive(queue, next(iter(job.tasks.values()))) is may
    assert plugin.NAME == "capacity"


@pytest.mark.parametrize(
    ("theirs", "has", "lost"),
    [
        ({"deserved": cores(4)}, 6, 2),
        ({"deserved": cores(4)}, 4, 0),
        ({"deserved": cores(4), "guarantee": cores(4)}, 6, 2),
        ({}, 3, 3),
        ({"guarantee": cores(2)}, 3, 1),
        ({"deserved": vector({"memory": 1e9})}, 2, 2),
    ],
)
def test_whose_pods_may_be_taken(theirs: dict[str, Any], has: int, lost: int) -> None:
    world = a_world()
    world.queue("a", deserved=cores(4))
    world.queue("b", **theirs)
    victims = world.job("there", has, 0, queue="b", on=["n000", "n001"])
    job = world.job("j", 1, queue="a")
    plugin, _ = asking(world)

    found = plugin.reclaimable(next(iter(job.tasks.values())), list(victims.tasks.values()))

    assert len(found) == lost


def test_pods_that_free_nothing_of_what_is_asked_are_left_alone() -> None:
    world = a_world()
    world.queue("a", deserved=cores(4))
    victims = world.job("there", 1, 0, queue="b", pod={"memory": "1Gi"}, on=["n000"])
    job = world.job("j", 1, queue="a")
    plugin, _ = asking(world)

    assert plugin.reclaimable(next(iter(job.tasks.values())), list(victims.tasks.values())) == []


@pytest.mark.parametrize(("level", "lost"), [(0, 1), (1, 0)])
def test_above_the_victim_queues_must_have_too_much_as_well_if_that_is_wanted(level: int, lost: int) -> None:
    world = a_world(hierarchical=True, ancestorReclaimLevel=level)
    for name, told in {
        "eng": {"deserved": cores(5)},
        "dev": {"parent": "eng", "deserved": cores(1)},
        "sci": {"deserved": cores(5)},
        "lab": {"parent": "sci", "deserved": cores(5)},
    }.items():
        world.queue(name, **told)
    victims = world.job("there", 2, 0, queue="dev", on=["n000"])
    job = world.job("j", 1, queue="lab")
    plugin, _ = asking(world)

    found = plugin.reclaimable(next(iter(job.tasks.values())), list(victims.tasks.values()))

    assert len(found) == lost


def test_the_nearest_relatives_lose_first() -> None:
    world = a_world(hierarchical=True)
    for name, parent in (("eng", "root"), ("dev", "eng"), ("prod", "eng"), ("sci", "root")):
        world.queue(name, parent=parent)
    jobs = {name: world.job(name, 1, queue=name, on=["n000"]) for name in ("sci", "prod")}
    gainer = next(iter(world.job("j", 1, queue="dev").tasks.values()))
    _, session = asking(world)

    tasks = [next(iter(job.tasks.values())) for job in jobs.values()]
    tasks.sort(key=lambda task: session.victim_key(gainer, task))

    assert [task.job.queue for task in tasks] == ["prod", "sci"]


def test_what_is_not_followed_is_warned_of() -> None:
    arguments: dict[str, Any] = {"capacity.DynamicResourceAllocationEnable": True}
    world = a_world(**arguments)
    plugin, _ = asking(world)

    assert plugin.arguments.warnings == [
        "capacity: capacity.DynamicResourceAllocationEnable: true is not followed: pods with resource claims wait"
    ]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 3)), min_size=2, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=8),
)
def test_no_queue_and_none_above_it_ever_has_more_than_it_may(
    limits_of: list[tuple[int, int]], jobs: list[tuple[int, int]]
) -> None:
    world = a_world(hierarchical=True)
    world.queue("top", capability=up_to(8))
    for at, (limit, guaranteed) in enumerate(limits_of):
        world.queue(f"q{at}", parent="top", capability=up_to(limit), guarantee=cores(min(limit, guaranteed) / 4))
    for at, (queue, pods) in enumerate(jobs):
        world.job(f"j{at}", pods, 1, queue=f"q{queue % len(limits_of)}", created=at)

    world.decide()

    queues = world.cluster.queues
    assert sum(queue.allocated[CPU] for queue in queues.values()) <= 8 * CORE
    for at, (limit, _) in enumerate(limits_of):
        assert queues[f"q{at}"].allocated[CPU] <= limit * CORE
