from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduler.worlds import World
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.model.jobs import Job
from windlass.scheduler.plugins.task_topology.buckets import AFFINITY, ANTI_AFFINITY, ORDER, Preferences, buckets


def annotated(affinity: str = "", anti: str = "", order: str = "") -> dict[str, str]:
    told = {AFFINITY: affinity, ANTI_AFFINITY: anti, ORDER: order}
    return {name: value for name, value in told.items() if value}


def preferences(*told: str) -> Preferences:
    found = Preferences.of(annotated(*told))
    assert found is not None
    return found


def test_a_job_without_the_annotations_has_no_wishes() -> None:
    assert Preferences.of({"other": "x"}) is None


@pytest.mark.parametrize(
    ("told", "together", "apart"),
    [
        (("ps,worker",), {("ps", "worker"), ("worker", "ps")}, set()),
        (("ps;worker",), {("ps", "ps"), ("worker", "worker")}, set()),
        ((" ps , worker ; chief ", ";,"), {("ps", "worker"), ("worker", "ps"), ("chief", "chief")}, set()),
        (("", "ps"), set(), {("ps", "ps")}),
    ],
)
def test_how_annotations_are_read(told: tuple[str, ...], together: set[Any], apart: set[Any]) -> None:
    found = preferences(*told)

    assert found.together == together
    assert found.apart == apart


def test_roles_come_in_the_order_given_then_by_what_is_said_of_them() -> None:
    found = preferences("a,b;c", "d;e,f", "z,c")

    ranked = sorted(["a", "c", "d", "e", "z"], key=found.rank)

    assert ranked == ["z", "c", "d", "a", "e"]


def in_buckets(job: Job, found: Preferences) -> list[str]:
    """`ps+worker+worker` of each bucket, in the order in which they were made."""
    made = buckets(job, found, lambda task: float(task.request.sum()))
    distinct = {one.number: one for one in made.of.values()}
    return ["+".join(sorted(task.role for task in distinct[number].tasks)) for number in sorted(distinct)]


@pytest.mark.parametrize(
    ("told", "roles", "expected"),
    [
        (("ps,worker", "ps"), {"ps": 2, "worker": 4}, ["ps+worker+worker", "ps+worker+worker"]),
        (("ps,worker",), {"ps": 1, "worker": 2}, ["ps+worker+worker"]),
        (("worker",), {"worker": 3, "ps": 1}, ["worker+worker+worker"]),
        (("", "worker"), {"worker": 3}, ["worker", "worker", "worker"]),
        (("", "ps,worker"), {"ps": 1, "worker": 2}, ["ps", "worker+worker"]),
    ],
)
def test_who_shares_a_bucket(told: tuple[str, ...], roles: dict[str, int], expected: list[str]) -> None:
    world = World()
    job = world.job("j", roles=roles)

    assert in_buckets(job, preferences(*told)) == expected


def test_tasks_that_have_a_node_are_the_bucket_of_that_node() -> None:
    world = World()
    world.nodes(2)
    job = world.job("j", roles={"ps": 2, "worker": 2}, on=["n000", "n001"])

    assert in_buckets(job, preferences("ps,worker", "ps")) == ["ps+worker", "ps+worker"]


def a_job(world: World, roles: dict[str, int], *told: str, **given: Any) -> Job:
    return world.job("j", sum(roles.values()), roles=roles, annotations=annotated(*told), **given)


def test_workers_are_shared_out_among_servers_that_keep_apart() -> None:
    world = World("task-topology", "nodeorder")
    world.nodes(4, cpu="4")
    job = a_job(world, {"ps": 2, "worker": 4}, "ps,worker", "ps")

    world.decide()

    nodes = world.where(job)
    assert nodes[0] != nodes[1]
    assert {nodes.count(node) for node in nodes} == {3}


def test_what_belongs_together_goes_where_all_of_it_fits() -> None:
    world = World("task-topology", "nodeorder")
    world.node("a", cpu="2")
    world.node("b", cpu="3")
    world.node("c", cpu="2")
    job = a_job(world, {"worker": 3}, "worker")

    world.decide()

    assert world.where(job) == ["b", "b", "b"]


def test_what_does_not_fit_on_one_node_is_placed_all_the_same() -> None:
    world = World("task-topology", "nodeorder")
    world.nodes(2, cpu="2")
    job = a_job(world, {"worker": 4}, "worker")

    assert world.decide().commits
    assert sorted(world.where(job)) == ["n000", "n000", "n001", "n001"]


def test_the_score_counts_who_is_there_who_disturbs_and_who_would_fit() -> None:
    world = World(PluginConf("task-topology", {"task-topology.weight": 2}))
    for name, cpu in (("a", "3"), ("b", "2"), ("c", "1")):
        world.node(name, cpu=cpu)
    job = a_job(world, {"ps": 1, "worker": 3}, "worker", "ps,worker")
    world.cluster.move(next(iter(job.tasks.values())), job.tasks["uid-j-0"].status.BOUND, "a")
    session = world.session()

    score = session.score(job.tasks["uid-j-1"])

    assert score is not None
    assert score.tolist() == [pytest.approx(one * 200 / 3) for one in (2 - 1, 2, 1)]


def test_jobs_without_annotations_are_placed_many_at_a_time() -> None:
    world = World("task-topology")
    world.nodes(2)
    job = world.job("plain", 2)
    session = world.session()
    task = next(iter(job.tasks.values()))

    assert session.score(task) is None
    assert not session.one_at_a_time(world.decider.placer.shapes.of(task.pod), job)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 5), min_size=1),
    st.sampled_from(["a,b", "a;b", "a,b,c", "c", ""]),
    st.sampled_from(["a", "b,c", "", "a,b"]),
)
def test_each_task_that_something_is_said_of_is_in_one_bucket_and_no_other_is(
    roles: dict[str, int], affinity: str, anti: str
) -> None:
    found = Preferences.of(annotated(affinity, anti))
    if found is None:
        return
    job = World().job("j", roles=roles)

    made = buckets(job, found, lambda task: 1.0)

    assert set(made.of) == {uid for uid, task in job.tasks.items() if task.role in found.roles}
    assert sum(len(one.tasks) for one in {id(one): one for one in made.of.values()}.values()) == len(made.of)
