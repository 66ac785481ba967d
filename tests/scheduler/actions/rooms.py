"""Worlds in which somebody has to go, and what becomes of those that were told to."""

from collections import Counter
from typing import Any

from tests.scheduler.worlds import World
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.model.jobs import ALLOCATED, Job, Status

GPU: dict[str, Any] = {"asks": {"nvidia.com/gpu": "1"}}


def a_world(*plugins: str | PluginConf, action: str, nodes: int = 2, gpus: int = 8) -> World:
    world = World("conformance", "predicates", *plugins, actions=("allocate", action, "backfill"))
    world.nodes(nodes, cpu="64", offers={"nvidia.com/gpu": str(gpus)})
    return world


def victims(decisions: Decisions) -> dict[str, int]:
    """How many pods of each job have to go."""
    return dict(Counter(one.task.job.name for one in decisions.evictions))


def holding(job: Job) -> int:
    return job.number(ALLOCATED)


def end(world: World, but: str = "") -> None:
    """Those that were told to go are gone, all but one."""
    for job in list(world.cluster.jobs.values()):
        for task in list(job.tasks.values()):
            if task.status is Status.RELEASING and task.uid != but:
                world.cluster.drop_task(job, task.uid)


def start(world: World) -> None:
    """Those that were bound run."""
    for job in world.cluster.jobs.values():
        for task in list(job.tasks.values()):
            if task.status is Status.BINDING:
                world.cluster.move(task, Status.RUNNING)


def leave(world: World, job: Job) -> None:
    """The job is gone with its pods."""
    for uid in list(job.tasks):
        world.cluster.drop_task(job, uid)
    world.cluster.drop_job(job.uid)
