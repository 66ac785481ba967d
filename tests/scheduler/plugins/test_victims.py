"""Plugins that say who may be made to go: cdp, pdb, tdm, rescheduling; and the action that makes them go."""

from datetime import datetime
from typing import Any

import msgspec
import pytest

from tests.scheduler.worlds import World
from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.framework.evictable import COOLDOWN, PREEMPTABLE
from windlass.scheduler.model.cluster import Usage
from windlass.scheduler.model.jobs import Job, Status, Task
from windlass.scheduler.plugins.rescheduling import importance
from windlass.scheduler.plugins.tdm import ZONE, hours_of, may_miss

HALF_PAST_TEN = datetime(2026, 3, 2, 10, 30).astimezone().timestamp()
AT_NIGHT = datetime(2026, 3, 2, 23, 30).astimezone().timestamp()


def one(job: Job) -> Task:
    return next(iter(job.tasks.values()))


def evicted(world: World, now: float) -> list[str]:
    return sorted(eviction.task.pod.key.name for eviction in world.decide(now).evictions)


# --- cdp


@pytest.mark.parametrize("where", ["annotations", "labels"])
@pytest.mark.parametrize(
    ("cooldown", "ran", "may_go"), [("60s", 30, False), ("1m", 61, True), ("", 0, True), ("x", 0, True)]
)
def test_a_pod_that_has_just_started_has_some_time_for_itself(
    where: str, cooldown: str, ran: float, may_go: bool
) -> None:
    world = World("cdp", basic=False)
    world.nodes(1)
    said = {where: {COOLDOWN: cooldown}} if cooldown else {}
    job = world.job("young", 1, pod={"cpu": "1", **said}, on=["n000"], started=1000)
    gainer = one(world.job("next", 1))
    session = world.session(1000 + ran)

    for found in (session.preemptable(gainer, [one(job)]), session.reclaimable(gainer, [one(job)])):
        assert bool(found) is may_go


# --- pdb


def a_budget(name: str, allowed: int, labels: dict[str, str]) -> PodDisruptionBudget:
    return msgspec.convert(
        {
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"selector": {"matchLabels": labels}},
            "status": {"disruptionsAllowed": allowed},
        },
        PodDisruptionBudget,
    )


@pytest.mark.parametrize(("allowed", "left"), [(0, 1), (1, 2), (5, 4)])
def test_victims_are_no_more_than_a_budget_allows(allowed: int, left: int) -> None:
    world = World("pdb", basic=False)
    world.nodes(1)
    budget = a_budget("b", allowed, {"app": "a"})
    world.cluster.snapshot.budgets[budget.metadata.key] = budget
    covered = world.job("covered", 3, pod={"labels": {"app": "a"}}, on=["n000"])
    other = world.job("other", 1, on=["n000"])
    gainer = one(world.job("next", 1))
    session = world.session()

    tasks = [*covered.tasks.values(), one(other)]

    assert len(session.preemptable(gainer, tasks)) == left
    assert len(session.reclaimable(gainer, tasks)) == left


# --- tdm

ZONES = {"tdm.revocable-zone.day": "10:00-21:00", "tdm.revocable-zone.night": "22:00-06:00"}


@pytest.mark.parametrize(
    ("given", "hours"),
    [("10:00-21:00", (600, 1260)), (" 9:05-9:10 ", (545, 550)), ("24:00-1:00", None), ("10-21", None), ("", None)],
)
def test_hours_are_read(given: str, hours: tuple[int, int] | None) -> None:
    assert hours_of(given) == hours


@pytest.mark.parametrize(
    ("now", "pod", "nodes"),
    [
        (HALF_PAST_TEN, {"annotations": {ZONE: "*"}}, {"day", "plain"}),
        (HALF_PAST_TEN, {"annotations": {PREEMPTABLE: "true"}}, {"day", "plain"}),
        (HALF_PAST_TEN, {"annotations": {ZONE: "day"}}, {"plain"}),
        (HALF_PAST_TEN, {}, {"plain"}),
        (AT_NIGHT, {"annotations": {ZONE: "*"}}, {"night", "plain"}),
    ],
)
def test_nodes_are_lent_at_their_hours_to_pods_that_may_go(now: float, pod: dict[str, Any], nodes: set[str]) -> None:
    world = World(PluginConf("tdm", dict(ZONES)), basic=False)
    for name in ("day", "night", "other"):
        world.node(name, labels={ZONE: name})
    world.node("plain")
    task = one(world.job("j", 1, pod={"cpu": "1", **pod}))
    session = world.session(now)

    mask, score = session.mask(task), session.score(task)

    assert mask is not None
    names = world.cluster.snapshot.table.names
    assert {names[at] for at in mask.nonzero()[0]} == nodes
    lent = {names[at] for at in score.nonzero()[0]} if score is not None else set()
    assert lent == nodes - {"plain"}


@pytest.mark.parametrize(
    ("annotations", "number"),
    [
        ({}, 1),
        ({"volcano.sh/jdb-max-unavailable": "3"}, 2),
        ({"volcano.sh/jdb-max-unavailable": "50%"}, 4),
        ({"volcano.sh/jdb-min-available": "7"}, 2),
        ({"volcano.sh/jdb-min-available": "90%"}, 0),
        ({"volcano.sh/jdb-min-available": "what"}, 1),
    ],
)
def test_how_many_of_a_job_may_be_missing(annotations: dict[str, str], number: int) -> None:
    world = World()
    world.nodes(1)
    job = world.job("j", 10, on=["n000"], annotations=annotations)
    world.cluster.move(one(job), Status.PENDING)

    assert may_miss(job) == number


def test_when_the_hours_are_over_pods_leave_a_few_in_each_period() -> None:
    conf = PluginConf("tdm", {**ZONES, "tdm.evict.period": "2m"})
    world = World(conf, actions=("shuffle",))
    world.node("day", labels={ZONE: "day"})
    world.node("plain")
    job = world.job("lent", 3, 0, pod={"annotations": {ZONE: "*"}}, on=["day"])
    world.job("stays", 1, 0, pod={"annotations": {ZONE: "*", PREEMPTABLE: "false"}}, on=["day"])
    world.job("elsewhere", 1, 0, pod={"annotations": {ZONE: "*"}}, on=["plain"])

    assert evicted(world, HALF_PAST_TEN) == []
    assert evicted(world, AT_NIGHT) == ["lent-0"]
    assert job.counts[Status.RELEASING] == 1
    assert evicted(world, AT_NIGHT + 60) == []
    assert evicted(world, AT_NIGHT + 121) == ["lent-1"]


def test_who_may_go_itself_makes_nobody_go() -> None:
    world = World(PluginConf("tdm", dict(ZONES)), basic=False)
    world.node("plain")
    victim = one(world.job("there", 1, on=["plain"]))
    meek, bold = (
        one(world.job(name, 1, pod=pod)) for name, pod in (("meek", {"annotations": {ZONE: "*"}}), ("bold", {}))
    )
    session = world.session(HALF_PAST_TEN)

    assert session.preemptable(meek, [victim]) == []
    assert session.preemptable(bold, [victim]) == [victim]


# --- rescheduling


def a_busy_world(low: float, target: float, *more: str, **arguments: Any) -> World:
    params = {"thresholds": {"cpu": low, "memory": low}, "targetThresholds": {"cpu": target, "memory": target}}
    conf = PluginConf("rescheduling", {"strategies": [{"name": "lowNodeUtilization", "params": params}], **arguments})
    world = World(conf, *more, actions=("shuffle",))
    for name in ("busy", "idle"):
        world.node(name, cpu="10", memory="10Gi")
    return world


def test_pods_leave_a_node_that_is_too_busy_until_it_is_not_the_least_important_first() -> None:
    world = a_busy_world(20, 70)
    world.cluster.usage = {"busy": Usage(90, 30, 0), "idle": Usage(10, 10, 0)}
    for at, priority in enumerate((5, 1, 3)):
        world.job(f"p{at}", 1, pod={"cpu": "1", "priority": priority}, on=["busy"])

    assert evicted(world, 0) == ["p1-0", "p2-0"]


@pytest.mark.parametrize(
    "usage",
    [
        {"busy": Usage(60, 30, 0), "idle": Usage(10, 10, 0)},
        {"busy": Usage(90, 30, 0), "idle": Usage(50, 10, 0)},
        {"busy": Usage(90, 30, 0)},
        {},
    ],
)
def test_pods_stay_if_none_is_too_busy_or_none_has_room(usage: dict[str, Usage]) -> None:
    world = a_busy_world(20, 70)
    world.cluster.usage = usage
    world.job("p", 1, on=["busy"])

    assert evicted(world, 0) == []


def test_no_more_go_than_the_others_have_room_for() -> None:
    world = a_busy_world(20, 30)
    world.cluster.usage = {"busy": Usage(90, 10, 0), "idle": Usage(10, 10, 0)}
    world.job("p", 5, 0, pod={"cpu": "1"}, on=["busy"])

    assert len(evicted(world, 0)) == 2


def test_it_is_done_once_in_an_interval() -> None:
    world = a_busy_world(20, 70, interval="10m")
    world.cluster.usage = {"busy": Usage(75, 30, 0), "idle": Usage(10, 10, 0)}
    world.job("p", 2, 0, on=["busy"])

    assert len(evicted(world, 0)) == 1
    assert evicted(world, 599) == []
    assert len(evicted(world, 600)) == 1


def test_budgets_hold_when_nodes_are_relieved() -> None:
    world = a_busy_world(20, 70, "pdb")
    world.cluster.usage = {"busy": Usage(90, 30, 0), "idle": Usage(10, 10, 0)}
    budget = a_budget("b", 0, {"app": "a"})
    world.cluster.snapshot.budgets[budget.metadata.key] = budget
    world.job("kept", 1, 0, pod={"cpu": "1", "labels": {"app": "a"}}, on=["busy"])
    world.job("goes", 1, 0, pod={"cpu": "1"}, on=["busy"])

    assert evicted(world, 0) == ["goes-0"]


def test_a_strategy_that_is_not_there_is_named() -> None:
    conf = PluginConf("rescheduling", {"strategies": [{"name": "highNodeUtilization"}]})
    plugin = World(conf).decider.plugins.named("rescheduling")

    assert plugin is not None
    assert plugin.arguments.warnings == ["rescheduling: strategies: there is no strategy highNodeUtilization"]


def test_what_asks_for_nothing_is_less_important_than_what_has_limits() -> None:
    world = World()
    world.nodes(1)
    some = one(world.job("some", 1, pod={"cpu": "1"}, on=["n000"]))
    none = one(world.job("none", 1, pod={}, on=["n000"]))

    assert importance(none) < importance(some)


def test_without_a_plugin_that_names_anybody_nobody_goes() -> None:
    world = World("pdb", actions=("shuffle",))
    world.nodes(1)
    world.job("p", 1, on=["n000"])

    assert evicted(world, 0) == []
