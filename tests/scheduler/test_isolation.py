"""A plugin that raises over one job or queue costs that one: the cycle is repeated without it, and others get nodes.

Plugins and their hooks are those that the folder holds, so a new one is covered without a new test.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.scheduler.worlds import World
from windlass.scheduler.actions import ACTIONS
from windlass.scheduler.cycle.gang_cycle import CycleFailed
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.framework.extension_points import EXTENSION_POINTS
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.live.core.set_aside import culprit
from windlass.scheduler.model.jobs import Job, Queue, Status, Task
from windlass.scheduler.plugins import registry

NEVER_OVER_ONE = {"use_scores", "thorough_scores"}
"""Asked once for a configuration, not for an object."""
CASES = [
    (name, hook)
    for name, plugin in sorted(registry().items())
    for hook in ("open", *EXTENSION_POINTS.values())
    if hook not in NEVER_OVER_ONE and getattr(plugin, hook, None) is not getattr(Plugin, hook, None)
]


def a_world(name: str) -> World:
    """Of `bad` and `good` each: a queue, a job that waits to be admitted and one that runs; and too little room."""
    world = World(PluginConf(name), actions=("enqueue", *(one for one in ACTIONS if one != "enqueue")))
    world.racks(4, 2, cpu="4")
    for who in ("bad", "good"):
        world.queue(who, weight=1)
        world.job(f"{who}-low", 2, 1, queue=who, priority=0, on=("n000", "n001"), started=1.0)
        world.job(f"{who}-gated", queue=who, status=Status.GATED)
        world.job(f"{who}-high", 1, queue=who, priority=100, phase="Pending", pod={"cpu": "1"})
    return world


def is_bad(value: Any) -> bool:
    """Whether it is one of the bad queue's."""
    if isinstance(value, Task):
        return is_bad(value.job)
    if isinstance(value, Job):
        return value.queue == "bad"
    return isinstance(value, Queue) and value.name == "bad"


def looked_at(arguments: tuple[Any, ...]) -> Iterator[Any]:
    for value in arguments:
        if isinstance(value, Session):
            yield from value.cluster.queues.values()
            yield from value.cluster.jobs.values()
        elif isinstance(value, list | tuple):
            yield from value
        else:
            yield value


def raising(real: Callable[..., Any], raised: list[str]) -> Callable[..., Any]:
    def hook(*arguments: Any) -> Any:
        for one in looked_at(arguments):
            if is_bad(one):
                raised.append(str(one.name if not isinstance(one, Task) else one.uid))
                raise OverflowError("int too large to convert to float")
        return real(*arguments)

    return hook


def cycles(world: World) -> list[str]:
    """Decide until nothing fails, leaving out what each failed cycle was about; what was bound."""
    bound: list[str] = []
    for now in range(1, 20):
        try:
            decisions, failed = world.decide(float(now)), False
        except CycleFailed as error:
            decisions, failed = error.decisions, True
            found = culprit(error.__cause__ or error)
            assert is_bad(found), f"{found} is blamed"
            if isinstance(found, Job):
                world.cluster.drop_job(found.uid)
            else:
                assert isinstance(found, Queue)
                world.cluster.drop_queue(found.name)
        bound += [commit.job.name for commit in decisions.commits]
        if not failed:
            return bound
    raise AssertionError("it fails again and again")


@pytest.mark.parametrize(("name", "hook"), CASES, ids=[f"{name}-{hook}" for name, hook in CASES])
def test_a_plugin_that_raises_over_one_job_or_queue_costs_that_one(name: str, hook: str) -> None:
    world, raised = a_world(name), list[str]()
    plugin = world.decider.plugins.named(name)
    assert plugin is not None
    assert hook == "open" or any(isinstance(plugin, point) for point, name in EXTENSION_POINTS.items() if name == hook)
    setattr(plugin, hook, raising(getattr(plugin, hook), raised))

    bound = cycles(world)

    served = [job for job in cycles(a_world(name)) if job.startswith("good")]
    assert served or name == "nodegroup"  # which leaves queues without an affinity no node
    assert set(served) <= set(bound)
    if hook in ("open", "job_order", "queue_order"):
        assert raised, "the hook was never asked"


def test_a_cycle_that_fails_takes_back_what_it_had_not_decided() -> None:
    world = World("predicates")
    world.nodes(2, cpu="4")
    world.job("bad", 3, pod={"cpu": "2"})
    before = world.cluster.snapshot.table.used.copy()
    gang = world.decider.plugins.named("gang")
    gang.job_ready = lambda job: [][1]  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]

    with pytest.raises(CycleFailed) as failed:
        world.decide(1.0)

    assert isinstance(culprit(failed.value.__cause__ or failed.value), Job)
    assert (world.cluster.snapshot.table.used == before).all()
    assert {task.status for job in world.cluster.jobs.values() for task in job.tasks.values()} == {Status.PENDING}
    assert not failed.value.decisions.commits


def test_nobody_is_to_blame_for_an_error_over_no_object() -> None:
    with pytest.raises(ValueError, match="no") as raised:
        raise ValueError("no")

    assert culprit(raised.value) is None
