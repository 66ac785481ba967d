"""Whatever happens to a JobSet, and wherever its controller is killed: one end, restarts that count once, one order."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.jobset.builders import after, job
from tests.apps.jobset.controllers.world import World
from windlass.apps.jobset.controllers.jobset_state import observe
from windlass.apps.jobset.names import RESTART_ATTEMPT
from windlass.kube.controller import Observed

DEEDS = ("run", "run", "run", "complete", "complete", "fail", "delete", "gone", "gone", "suspend", "resume", "wait")
ACTIONS = ("RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob", "RestartJobAndIgnoreMaxRestarts")
COUNTED = ("RestartJobSet", "RestartJob")


@st.composite
def histories(draw: Any) -> tuple[dict[str, Any], list[tuple[str, int, int]]]:
    order = draw(st.sampled_from(("", "InOrder", "Ready", "Complete")))
    second: dict[str, Any] = {"dependsOn": after("a", order)} if order in ("Ready", "Complete") else {}
    policy = {
        "maxRestarts": draw(st.integers(0, 2)),
        "restartStrategy": draw(st.sampled_from(("Recreate", "BlockingRecreate"))),
        "rules": draw(st.sampled_from(([], *([{"name": "r", "action": action}] for action in ACTIONS)))),
    }
    spec = {
        "jobs": (job("a"), job("b", 2, **second)),
        "suspend": draw(st.booleans()),
        "startupPolicy": {"startupPolicyOrder": "InOrder" if order == "InOrder" else "AnyOrder"},
        **({"failurePolicy": policy} if draw(st.booleans()) else {}),
    }
    deeds = st.tuples(st.sampled_from(DEEDS), st.integers(0, 3), st.integers(0, 8))
    return spec, draw(st.lists(deeds, max_size=30))


def happens(world: World, deed: str, which: int) -> None:
    if deed in ("suspend", "resume"):
        world.edit({"spec": {"suspend": deed == "suspend"}})
    elif deed == "wait":
        world.wait(10)
    elif world.jobs:
        to_a_job(world, deed, sorted(world.jobs)[which % len(world.jobs)])


def to_a_job(world: World, deed: str, name: str) -> None:
    found = world.jobs[name]
    if (deed == "gone" and found.metadata.deletion_timestamp) or (deed == "delete" and not found.status.conditions):
        world.vanish(name)
    elif not (found.spec.suspend or found.status.conditions or found.metadata.deletion_timestamp):
        match deed:
            case "run":
                world.run(name)
            case "complete":
                world.end(name)
            case "fail":
                world.fail(name)
            case _:
                pass


def look_and_be_killed(world: World, writes: int) -> None:
    world.step(kill_after=writes)


def restarts(world: World) -> int:
    status = world.there.status
    return (status.restarts or 0) + sum(sum(one.job_restarts) for one in status.replicated_jobs_status)


def counted(world: World) -> int:
    status = world.there.status
    single = sum(sum(one.job_restarts_count_towards_max) for one in status.replicated_jobs_status)
    return status.restarts_count_towards_max + single


def has_failed(world: World) -> bool:
    observed = Observed.just(*world.objects.values(), of=world.there, now=world.now)
    return bool(observe(world.there, observed).failed)


def may_start_second(world: World) -> bool:
    """Whether the order lets Jobs of b start, as the Jobs of a now are."""
    replicated = world.there.spec.replicated_jobs[1]
    wanted = replicated.depends_on[0].status if replicated.depends_on else ""
    policy = world.there.spec.startup_policy
    if not wanted and (policy is None or policy.startup_policy_order == "AnyOrder"):
        return True
    first = world.jobs.get("demo-a-0")
    if first is None or first.metadata.labels[RESTART_ATTEMPT] != str(world.there.status.restarts or 0):
        return False
    complete = any(one.type == "Complete" for one in first.status.conditions)
    return complete or (wanted != "Complete" and first.status.ready == 1)


def at_work(world: World) -> set[str]:
    return {f"{name}/{one.metadata.uid}" for name, one in world.jobs.items() if not one.spec.suspend and "-b-" in name}


@settings(max_examples=300, deadline=None)
@given(histories())
def test_whatever_happens_a_set_keeps_its_promises(history: Any) -> None:
    spec, deeds = history
    world = World(*spec["jobs"], **{name: value for name, value in spec.items() if name != "jobs"})
    world.lingering = True
    policy = world.there.spec.failure_policy
    end = ""
    for deed, which, writes in deeds:
        happens(world, deed, which)
        before, failed, runs, may = restarts(world), has_failed(world), at_work(world), may_start_second(world)
        look_and_be_killed(world, writes)
        assert restarts(world) <= before + failed, "a failure is answered once"
        assert policy is not None or restarts(world) == 0
        assert policy is None or counted(world) <= policy.max_restarts
        assert may or at_work(world) <= runs, "b has started before a was there"
        ends = [one for one in world.conditions if one in ("Completed", "Failed")]
        assert len(ends) <= 1
        assert not end or ends == [end], "an end is the end"
        end = ends[0] if ends else ""
    world.lingering = False
    for name in [name for name, one in world.jobs.items() if one.metadata.deletion_timestamp]:
        world.vanish(name)
    world.settle()
    assert_settled(world)


def assert_settled(world: World) -> None:
    status = world.there.status
    left = {name: one for name, one in world.jobs.items() if not one.status.conditions}
    if status.terminal_state:
        assert status.terminal_state in world.conditions
        assert not left
        return
    attempts = {one.metadata.labels[RESTART_ATTEMPT] for one in world.jobs.values()}
    assert attempts <= {str(status.restarts or 0)}
    assert not has_failed(world)
    if world.there.spec.suspend:
        assert all(one.spec.suspend for one in left.values())
        assert "Suspended" in world.conditions
    else:
        assert "demo-a-0" in world.jobs
        assert not any(one.spec.suspend for name, one in left.items() if "-a-" in name or may_start_second(world))
        assert may_start_second(world) <= ({"demo-b-0", "demo-b-1"} <= set(world.jobs))
