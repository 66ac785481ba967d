"""Whatever happens to an MPIJob, and wherever its controller is killed: one end, and no launcher before its workers."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.training.controllers.mpi.world import MpiWorld, role
from windlass.kube.conditions import is_true

DEEDS = (
    "ready", "ready", "launch", "complete", "fail", "evict", "delete", "suspend", "resume", "wait", "scale", "deadline",
)  # fmt: skip


@st.composite
def histories(draw: Any) -> tuple[dict[str, Any], list[tuple[str, int, int]]]:
    spec = {
        "workers": role(draw(st.integers(1, 3)), draw(st.sampled_from(("Never", "OnFailure")))),
        "policy": {
            "cleanPodPolicy": draw(st.sampled_from(("None", "Running", "All"))),
            "suspend": draw(st.booleans()),
            "activeDeadlineSeconds": 1000,
        },
        "launcherCreationPolicy": draw(st.sampled_from(("AtStartup", "WaitForWorkersReady"))),
    }
    deeds = st.tuples(st.sampled_from(DEEDS), st.integers(0, 3), st.integers(0, 8))
    return spec, draw(st.lists(deeds, max_size=25))


def happens(world: MpiWorld, deed: str, which: int) -> None:
    workers = sorted(name for name in world.pods if "-worker-" in name)
    match deed:
        case "suspend" | "resume":
            world.edit({"spec": {"runPolicy": {"suspend": deed == "suspend"}}})
        case "wait" | "deadline":
            world.wait(30 if deed == "wait" else 1000)
        case "scale":
            world.edit({"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": which}}}})
        case "launch" | "complete" | "fail":
            to_the_launcher(world, deed)
        case _ if workers:
            to_a_worker(world, deed, workers[which % len(workers)])
        case _:
            pass


def to_the_launcher(world: MpiWorld, deed: str) -> None:
    if world.launcher is None or world.launcher.spec.suspend or world.launcher.status.conditions:
        return
    if deed == "launch":
        world.launch()
    else:
        world.launcher_ends("Complete" if deed == "complete" else "Failed", "BackoffLimitExceeded")


def to_a_worker(world: MpiWorld, deed: str, name: str) -> None:
    match deed:
        case "ready":
            world.ready(name)
        case "evict":
            world.set_pod(name, "Failed", reason="Evicted")
        case _:
            world.delete(name)


def may_launch(world: MpiWorld) -> bool:
    wanted = {f"demo-worker-{index}" for index in range(world.job.spec.mpi_replica_specs["Worker"].replicas)}
    ready = {name for name, pod in world.pods.items() if is_true(pod.status.conditions, "Ready")}
    return wanted <= ready and not world.job.spec.run_policy.suspend


def launches(world: MpiWorld) -> bool:
    return world.launcher is not None and not world.launcher.spec.suspend


def look_and_be_killed(world: MpiWorld, after: int) -> None:
    world.step(kill_after=after)


@settings(max_examples=300, deadline=None)
@given(histories())
def test_whatever_happens_a_job_keeps_its_promises(history: Any) -> None:
    spec, deeds = history
    world = MpiWorld(**spec)
    end = ""
    for deed, which, after in deeds:
        happens(world, deed, which)
        launched, may = launches(world), may_launch(world)
        look_and_be_killed(world, after)
        assert launched or may or not launches(world), "the launcher was let go without its workers"
        ends = [one for one in world.conditions if one in ("Succeeded", "Failed")]
        assert len(ends) <= 1
        assert not end or ends == [end], "an end is the end"
        end = ends[0] if ends else ""
    world.settle()

    left = [name for name in world.pods if "-worker-" in name]
    if is_true(world.there.status.conditions, "Succeeded") or is_true(world.there.status.conditions, "Failed"):
        assert world.there.status.completion_time
        assert not left or spec["policy"]["cleanPodPolicy"] != "All"
    elif world.job.spec.run_policy.suspend:
        assert not left
    else:
        assert len(left) == world.job.spec.mpi_replica_specs["Worker"].replicas
