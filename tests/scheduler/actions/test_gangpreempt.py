"""Whole gangs make room for themselves: with the fewest victims, or with none."""

from typing import Any

import pytest

from tests.scheduler.actions.rooms import GPU, a_world, end, holding, leave, start, victims
from tests.scheduler.builders import a_pod
from tests.scheduler.worlds import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import PluginConf, windlass
from windlass.scheduler.model.jobs import Job, Status, SubGroups, Task, Topology
from windlass.scheduler.model.preemptions import ONCE_IN


def full(**world: Any) -> tuple[World, Job, Job]:
    """16 GPUs: a gang of 8, and 8 pods of which 2 are enough."""
    made = a_world(action="gangpreempt", **world)
    large = made.job("l", 8, priority=10, pod=GPU, on=("n000",))
    spread = made.job("s", 8, 2, priority=10, pod=GPU, on=("n001",))
    return made, large, spread


@pytest.mark.parametrize("configured", [False, True])
def test_what_others_can_spare_goes_first_and_gangs_as_a_whole_only_if_that_is_not_enough(configured: bool) -> None:
    world, large, spread = full()
    if configured:
        world.decider = Decider(world.cluster, windlass("priority"))
    high = world.job("h", 6, priority=1000, pod=GPU)
    decisions = world.decide(0)
    assert victims(decisions) == {"s": 6}
    assert (holding(large), holding(spread)) == (8, 2)
    assert {one.because for one in decisions.evictions} == {high}
    assert {one.action for one in decisions.evictions} == {"preempt"}
    assert not decisions.commits
    assert set(decisions.nominated) == set(high.tasks)
    assert "once resource is released" in decisions.troubles[high.uid].pod_messages()["uid-h-0"]

    end(world)
    decisions = world.decide(1)
    assert [commit.job for commit in decisions.commits] == [high]
    assert not decisions.evictions

    start(world)
    too_large = world.job("h11", 11, priority=1000, pod=GPU)
    assert not world.decide(2).evictions  # ten could go, which is not enough

    leave(world, too_large)
    second = world.job("h10", 10, priority=1000, pod=GPU)
    assert victims(world.decide(3)) == {"l": 8, "s": 2}
    assert holding(large) == holding(spread) == 0
    end(world)
    assert [commit.job for commit in world.decide(4).commits] == [second]


@pytest.mark.parametrize(
    ("of_job", "of_pod"),
    [({"preemption_policy": "Never"}, {}), ({}, {"preemptionPolicy": "Never"}), ({"priority": 10}, {})],
)
def test_who_never_preempts_or_is_not_more_important_makes_nobody_go(
    of_job: dict[str, Any], of_pod: dict[str, Any]
) -> None:
    world, _, _ = full()
    world.job("h", 6, **{"priority": 1000, "pod": {**GPU, **of_pod}, **of_job})
    assert not world.decide().evictions


def test_empty_nodes_count_together_with_what_is_freed() -> None:
    world = a_world(action="gangpreempt", nodes=3, gpus=4)
    world.job("low", 4, 1, priority=1, pod=GPU, on=("n000",))
    other = world.job("other", 4, priority=5000, pod=GPU, on=("n001",))
    high = world.job("h", 6, priority=1000, pod=GPU)  # four on the empty node
    decisions = world.decide()
    assert victims(decisions) == {"low": 2}
    assert holding(other) == 4
    assert not decisions.commits  # none of it is bound before all of it can be
    assert sorted(decisions.nominated.values()) == ["n000"] * 2 + ["n002"] * 4
    end(world)
    assert len(world.decide(1).commits[0].tasks) == len(high.tasks)


def test_room_that_was_made_is_kept_for_whom_it_was_made() -> None:
    world, _, spread = full()
    high = world.job("h", 6, priority=1000, pod=GPU)
    world.decide(0)
    quick = world.job("quick", 1, priority=5, pod=GPU)
    slow = next(task for task in spread.tasks.values() if task.status is Status.RELEASING)
    end(world, but=slow.uid)
    for now in (1, 50):
        assert not world.decide(now).commits  # there is room for all but one of the gang
        assert all(world.cluster.snapshot.promised_to(uid) for uid in high.tasks)
    end(world)
    decisions = world.decide(59)
    assert [commit.job for commit in decisions.commits] == [high]
    assert not world.cluster.snapshot.table.promises
    assert quick.pending


def test_room_is_kept_no_longer_than_a_minute() -> None:
    world, _, _ = full()
    high = world.job("h", 6, priority=1000, pod=GPU)
    world.decide(0)
    end(world)
    for task in high.tasks.values():
        world.cluster.move(task, Status.GATED)
    quick = world.job("quick", 1, priority=900, pod=GPU)
    assert [commit.job for commit in world.decide(61).commits] == [quick]
    assert not any(world.cluster.snapshot.promised_to(uid) for uid in high.tasks)
    assert not world.cluster.snapshot.table.promises


def test_a_job_of_higher_priority_may_have_what_was_kept_for_another() -> None:
    world, _, _ = full()
    world.job("h", 6, priority=1000, pod=GPU)
    world.decide(0)
    end(world)
    higher = world.job("higher", 6, priority=2000, pod=GPU)
    decisions = world.decide(1)
    assert [commit.job for commit in decisions.commits] == [higher]


def test_an_evicted_job_comes_back_after_whom_it_went_for_and_a_pair_meets_once_in_ten_minutes() -> None:
    world = a_world(action="gangpreempt", nodes=1, gpus=4)
    low = world.job("low", 4, priority=1, pod=GPU, on=("n000",))
    high = world.job("h", 4, priority=1000, pod=GPU)
    assert victims(world.decide(0)) == {"low": 4}
    end(world)
    high.priority = 0  # it is less important by now
    for at in range(4):
        world.cluster.put_task(low, Task(a_pod(f"again-{at}", **GPU), index=at))
    decisions = world.decide(1)
    assert [commit.job for commit in decisions.commits] == [high]
    start(world)
    assert not world.decide(2).evictions
    assert not world.decide(ONCE_IN - 1).evictions
    assert victims(world.decide(ONCE_IN + 1)) == {"h": 4}


def test_who_must_not_go_protects_the_gang_that_it_belongs_to() -> None:
    world = a_world(action="gangpreempt", nodes=1, gpus=4)
    kept: dict[str, Any] = {**GPU, "annotations": {"volcano.sh/preemptable": "false"}}
    low = world.job("low", 3, priority=1, pod=GPU, on=("n000",))
    world.cluster.put_task(low, Task(a_pod("kept", **kept), node="n000", status=Status.RUNNING))
    low.min_member = 4
    world.job("h", 2, priority=1000, pod=GPU)
    assert not world.decide().evictions

    low.min_member = 2
    assert victims(world.decide()) == {"low": 2}
    assert low.tasks["uid-kept"].status is Status.RUNNING


def test_minimums_of_roles_and_sub_groups_are_left() -> None:
    world = a_world(action="gangpreempt", nodes=1, gpus=8)
    job = world.job("roles", 8, 4, roles={"ps": 2, "worker": 6}, priority=1, pod=GPU, on=("n000",))
    job.min_tasks = {"ps": 2, "worker": 2}
    world.job("h", 4, priority=1000, pod=GPU)
    decisions = world.decide()
    assert [one.task.role for one in decisions.evictions] == ["worker"] * 4

    world = a_world(action="gangpreempt", nodes=1, gpus=8)
    job = world.job("grouped", 0, 2, priority=1)
    job.sub_groups = (SubGroups("by-rank", 2, 2, None, label_keys=("rank",)),)
    for at in range(8):
        labels = {"rank": str(at // 2)}
        task = Task(a_pod(f"g-{at}", labels=labels, **GPU), index=at, node="n000", status=Status.RUNNING)
        world.cluster.put_task(job, task)
    job.min_member = 4
    world.job("h", 4, priority=1000, pod=GPU)
    gone = {one.task.pod.pod.metadata.labels["rank"] for one in world.decide().evictions}
    assert gone == {"2", "3"}


def test_a_gang_that_is_broken_goes_before_one_that_is_whole() -> None:
    world = a_world(action="gangpreempt", nodes=1, gpus=8)
    whole = world.job("whole", 4, priority=1, pod=GPU, on=("n000",))
    broken = world.job("broken", 4, 5, priority=5, pod=GPU, on=("n000",))
    assert broken.is_broken
    world.job("h", 3, priority=1000, pod=GPU)
    assert victims(world.decide()) == {"broken": 3}
    assert holding(whole) == 4


def test_the_least_important_go_first_and_no_more_than_needed() -> None:
    world = a_world(action="gangpreempt", nodes=4, gpus=4)
    for at, priority in enumerate((30, 10, 20, 40)):
        world.job(f"j{priority}", 4, priority=priority, pod=GPU, on=(f"n00{at}",))
    world.job("h", 6, priority=35, pod=GPU)
    assert victims(world.decide()) == {"j10": 4, "j20": 4}


def test_a_gang_that_must_be_together_makes_room_where_it_costs_least() -> None:
    topology = PluginConf("network-topology-aware")
    world = World("predicates", topology, actions=("allocate", "gangpreempt"))
    world.racks(4, 2, cpu="64", offers={"nvidia.com/gpu": "2"})
    whole = world.job("whole", 4, priority=1, pod=GPU, on=("n000", "n001"))
    loose = world.job("loose", 4, 0, priority=1, pod=GPU, on=("n002", "n003"))
    high = world.job("h", 3, priority=1000, pod=GPU, topology=Topology(hard=True, highest_tier=1))
    decisions = world.decide(0)
    assert victims(decisions) == {"loose": 3}
    assert (holding(whole), holding(loose)) == (4, 1)
    end(world)
    world.decide(1)
    assert world.in_hyper_nodes(high, 1) == {"rack1": 3}


def test_ports_that_victims_leave_are_free_for_the_gang() -> None:
    world = a_world(action="gangpreempt", nodes=2)
    ports = {"cpu": "1", "ports": [{"containerPort": 1, "hostPort": 80}]}
    world.job("low", 2, priority=1, pod=ports, on=("n000", "n001"))
    high = world.job("h", 2, priority=1000, pod=ports)
    assert victims(world.decide(0)) == {"low": 2}
    end(world)
    assert [commit.job for commit in world.decide(1).commits] == [high]


def test_while_victims_go_nobody_else_has_to() -> None:
    world, _, _ = full()
    high = world.job("h", 6, priority=1000, pod=GPU)
    assert world.decide(0).evictions
    for now in (1, 30, 90):
        decisions = world.decide(now)
        assert not decisions.evictions
        assert not decisions.commits
    end(world)
    assert [commit.job for commit in world.decide(91).commits] == [high]
