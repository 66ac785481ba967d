"""Volcano's preemption, task by task: of the same queue, then of the same job; nothing unless the job then starts."""

from typing import Any

import pytest

from tests.scheduler.actions.rooms import GPU, a_world, end, holding, victims
from tests.scheduler.builders import a_pod
from tests.scheduler.worlds import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.model.jobs import Job, Status, Task, Topology


def full(high: int = 2, **given: Any) -> tuple[World, Job, Job]:
    """Four GPUs with pods of a job that needs two of them, and a job that is more important."""
    world = a_world(action="preempt", nodes=1, gpus=4)
    low = world.job("low", 4, 2, priority=1, pod=GPU, on=("n000",))
    return world, low, world.job("h", high, **{"priority": 1000, "pod": GPU, **given})


def test_tasks_that_a_job_can_spare_go_and_the_room_is_kept_for_whom_they_went() -> None:
    world, low, high = full()
    decisions = world.decide(0)
    assert [(one.task.index, one.action, one.because) for one in decisions.evictions] == [
        (3, "preempt", high),
        (2, "preempt", high),
    ]
    assert decisions.nominated == dict.fromkeys(high.tasks, "n000")
    end(world)
    assert [commit.job for commit in world.decide(1).commits] == [high]
    assert holding(low) == 2


def test_nothing_goes_if_the_job_would_not_start_all_the_same() -> None:
    world, low, _ = full(high=3)
    assert not world.decide().evictions
    assert holding(low) == 4


@pytest.mark.parametrize(
    "given",
    [
        {"priority": 1},
        {"preemption_policy": "Never"},
        {"pod": {**GPU, "preemptionPolicy": "Never"}},
        {"queue": "other"},
        {"topology": Topology(hard=True, highest_tier=1)},
        {"status": Status.GATED},
        {"phase": "Pending"},
    ],
)
def test_who_may_not_preempt_makes_nobody_go(given: dict[str, Any]) -> None:
    world = a_world(action="preempt", nodes=1, gpus=4)
    world.decider = Decider(world.cluster, Conf(("enqueue", "allocate", "preempt"), world.decider.conf.tiers))
    world.job("low", 4, 2, priority=1, pod=GPU, on=("n000",))
    if given.get("phase"):
        world.queue("default", is_open=False)
    world.job("h", 2, **{"priority": 1000, "pod": GPU, **given})
    assert not world.decide().evictions


def test_protected_and_system_pods_stay() -> None:
    world = a_world(action="preempt", nodes=1, gpus=4)
    kept = {"annotations": {"volcano.sh/preemptable": "false"}, **GPU}
    world.job("kept", 2, 0, priority=1, pod=kept, on=("n000",))
    world.job("system", 2, 0, priority=1, pod={"namespace": "kube-system", **GPU}, on=("n000",))
    world.job("h", 1, priority=1000, pod=GPU)
    tiers = ((PluginConf("priority"), PluginConf("gang"), PluginConf("conformance")), (PluginConf("predicates"),))
    world.decider = Decider(world.cluster, Conf(("allocate", "preempt"), tiers))
    assert not world.decide().evictions


def test_a_free_node_is_used_before_anybody_goes() -> None:
    world, _, _ = full(high=3)
    world.node("n001", cpu="64", offers={"nvidia.com/gpu": "1"})
    assert victims(world.decide()) == {"low": 2}


def test_a_more_important_task_of_a_job_takes_the_place_of_a_less_important_one() -> None:
    world = a_world(action="preempt", nodes=1, gpus=2)
    tiers = ((PluginConf("priority"),), (PluginConf("predicates"),))
    world.decider = Decider(world.cluster, Conf(("allocate", "preempt"), tiers))
    job = world.job("job", 2, 1, pod=GPU, on=("n000",))
    world.cluster.put_task(job, Task(a_pod("chief", **GPU), priority=100, index=9))
    decisions = world.decide()
    assert victims(decisions) == {"job": 1}
    assert decisions.nominated == {"uid-chief": "n000"}


def test_nodes_can_be_compared_so_that_the_least_important_go() -> None:
    world = a_world(action="preempt", nodes=2, gpus=2)
    world.job("middle", 2, 0, priority=50, pod={**GPU, "priority": 50}, on=("n000",))
    world.job("low", 2, 0, priority=1, pod={**GPU, "priority": 1}, on=("n001",))
    world.job("h", 1, priority=1000, pod=GPU)
    tiers, asked = world.decider.conf.tiers, {"enableTopologyAwarePreemption": True, "minCandidateNodesAbsolute": 2}
    world.decider = Decider(world.cluster, Conf(("allocate", "preempt"), tiers, {"preempt": asked}))
    assert victims(world.decide()) == {"low": 1}


def test_ports_that_a_victim_leaves_are_free() -> None:
    world = a_world(action="preempt", nodes=1)
    ports = {"cpu": "1", "ports": [{"containerPort": 1, "hostPort": 80}]}
    world.job("low", 1, 0, priority=1, pod=ports, on=("n000",))
    world.job("h", 1, priority=1000, pod=ports)
    assert victims(world.decide()) == {"low": 1}
