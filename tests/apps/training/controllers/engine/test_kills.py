"""A controller may be killed after any write: nothing is made twice, no restart is forgotten, one end is reached."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.training.controllers.engine.world import World, replicas
from windlass.apps.training import job
from windlass.apps.training.controllers.engine.restarts import Restarts, read
from windlass.apps.training.frameworks import BY_KIND

POLICIES = ("Never", "OnFailure", "ExitCode")
DEEDS = ("run", "succeed", "fail", "kill", "evict", "delete", "linger", "restart", "suspend", "resume", "wait", "scale")


@st.composite
def histories(draw: Any) -> tuple[dict[str, Any], dict[str, str], list[tuple[str, int, int]]]:
    spec = {
        "tfReplicaSpecs": {
            "PS": replicas(1, draw(st.sampled_from(POLICIES))),
            "Worker": replicas(draw(st.integers(1, 3)), draw(st.sampled_from(POLICIES))),
        },
        "runPolicy": {
            "cleanPodPolicy": draw(st.sampled_from(("None", "Running", "All"))),
            "backoffLimit": draw(st.sampled_from((0, 1, 3))),
        },
    }
    whole = {"training.windlass.dev/restart-whole-job": "true"} if draw(st.booleans()) else {}
    deeds = st.tuples(st.sampled_from(DEEDS), st.integers(0, 3), st.integers(0, 12))
    return spec, whole, draw(st.lists(deeds, max_size=25))


def happens(world: World, deed: str, which: int) -> None:
    alive = sorted(name for name, pod in world.pods.items() if pod.status.phase not in ("Succeeded", "Failed"))
    match deed:
        case "suspend" | "resume":
            world.edit({"spec": {"runPolicy": {"suspend": deed == "suspend"}}})
        case "wait":
            world.wait(30)
        case "scale":
            world.edit({"spec": {"tfReplicaSpecs": {"Worker": {"replicas": which}}}})
        case _ if alive:
            to_a_pod(world, deed, alive[which % len(alive)])
        case _:
            pass


def to_a_pod(world: World, deed: str, name: str) -> None:
    match deed:
        case "run":
            world.run(name)
        case "restart":
            world.run(name, restarts=1)
        case "delete":
            world.delete(name)
        case "linger":
            world.delete(name, lingers=True)
        case "evict":
            world.set_pod(name, "Failed", reason="Evicted")
        case _:
            world.end(name, {"succeed": 0, "fail": 1, "kill": 137}[deed])


def look_and_be_killed(world: World, after: int) -> None:
    world.step(kill_after=after)


@settings(max_examples=300, deadline=None)
@given(histories())
def test_whatever_happens_a_job_keeps_its_promises(history: Any) -> None:
    spec, annotations, deeds = history
    world = World("TFJob", spec, annotations=annotations)
    finished, count, counted = "", 0, Restarts()
    for deed, which, after in deeds:
        happens(world, deed, which)
        look_and_be_killed(world, after)
        states = [one for one in world.conditions if one in ("Succeeded", "Failed")]
        assert len(states) <= 1
        assert not finished or states == [finished], "an end is for good"
        finished = states[0] if states else ""
        made = len(world.created_pods)
        assert not finished or not count or made == count, "nothing is made once it is over"
        count = made if finished else 0
        now = read(job.read(BY_KIND["TFJob"], world.there))
        assert now.recreated >= counted.recreated
        assert now.gone >= counted.gone
        limit = spec["runPolicy"]["backoffLimit"]
        assert now.recreated <= limit, "no more is tried than the limit allows"
        counted = now
    world.settle()
