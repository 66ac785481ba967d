"""Whatever happens to a job, and wherever its controller is killed: nothing is forgotten, and nothing done twice."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.volcano.controllers.job.world import JobWorld, on, task
from windlass.apps.volcano.kinds.bus import USER_ACTIONS

EVENTS = ("PodFailed", "PodEvicted", "PodPending", "TaskCompleted", "TaskFailed", "Unknown", "JobUpdated", "*")
DEEDS = (
    "run", "run", "run", "admit", "admit", "succeed", "fail", "delete", "vanish", "linger", "retry", "unknown", "scale",
    "command", "wait",
)  # fmt: skip
OVER = ("Completed", "Failed", "Terminated")
MAX_RETRY = 3


@st.composite
def policies(draw: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for event in draw(st.lists(st.sampled_from(EVENTS), max_size=3, unique=True)):
        timeout = "30s" if event == "PodPending" or draw(st.booleans()) else None
        made.append(on(event, draw(st.sampled_from(USER_ACTIONS)), timeout))
    return made


@st.composite
def histories(draw: Any) -> tuple[dict[str, Any], list[Any]]:
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    spec = {
        "tasks": [{**task(f"t{index}", count), "policies": draw(policies())} for index, count in enumerate(counts)],
        "minAvailable": draw(st.integers(1, sum(counts))),
        "policies": draw(policies()),
        "maxRetry": MAX_RETRY,
        "plugins": draw(st.sampled_from(({}, {"svc": []}, {"mpi": []}))),
    }
    deeds = st.tuples(st.sampled_from(DEEDS), st.integers(0, 5), st.integers(0, 8))
    return spec, draw(st.lists(deeds, max_size=25))


def happens(world: JobWorld, deed: str, which: int) -> None:
    names = sorted(world.pods)
    name = names[which % len(names)] if names else ""
    match deed:
        case "admit" | "unknown" if world.group is not None:
            world.admit("Inqueue" if deed == "admit" else "Unknown")
        case "wait":
            world.wait(10 * which)
        case "scale":
            tasks = [{**msgspec.to_builtins(one), "replicas": 1 + which % 3} for one in world.there.spec.tasks]
            world.edit({"spec": {"tasks": tasks, "minAvailable": 1}})
        case "command":
            world.command(("AbortJob", "ResumeJob", "RestartJob", "TerminateJob")[which % 4])
        case "linger":
            world.gone()
        case _ if name:
            to_a_pod(world, deed, name)
        case _:
            pass


def to_a_pod(world: JobWorld, deed: str, name: str) -> None:
    phase = world.pods[name].status.phase
    match deed:
        case "run" if phase in ("", "Pending"):
            world.run(name)
        case "retry" if phase == "Running":
            world.run(name, restarts=3)
        case "succeed" | "fail" if phase == "Running":
            world.end(name, 0 if deed == "succeed" else 3)
        case "delete":
            world.delete(name, lingers=True)
        case "vanish":
            world.delete(name)
        case _:
            pass


def look_and_be_killed(world: JobWorld, after: int) -> None:
    world.make_keys()
    world.step(kill_after=after)


def rest(world: JobWorld) -> None:
    """The controller lives, and time passes, until nothing happens any more."""
    for _ in range(12):
        world.settle()
        world.gone()
        world.wait(60)


@settings(max_examples=250, deadline=None)
@given(histories())
def test_whatever_happens_a_job_keeps_its_promises(history: Any) -> None:
    spec, deeds = history
    world = JobWorld(*spec.pop("tasks"), lingers=True, **spec)
    end, version, retries = "", 0, 0
    for deed, which, after in deeds:
        happens(world, deed, which)
        look_and_be_killed(world, after)
        status = world.status
        assert not end or world.phase == end, "an end is the end"
        end = world.phase if world.phase in OVER else ""
        assert version <= status.version <= version + 1
        assert retries <= status.retry_count <= retries + 1
        version, retries = status.version, status.retry_count
        assert status.retry_count <= MAX_RETRY + commands_left(world)
    rest(world)

    assert not [name for kind, name in world.objects if kind == "Command"]
    if world.phase in (*OVER, "Aborted"):
        assert world.kinds == []
        assert {pod.status.phase for pod in world.pods.values()} <= {"Succeeded", "Failed"}
    else:
        assert world.phase in ("Pending", "Running")
        assert world.group is not None
        assert int(world.group["metadata"]["annotations"]["volcano.sh/job-version"]) == world.status.version
        if world.group.get("status", {}).get("phase"):
            assert len(world.pods) == sum(one.replicas for one in world.there.spec.tasks)


def commands_left(world: JobWorld) -> int:
    """Resuming counts as a retry, and may be asked for more often than a job may fail."""
    return sum(note.reason == "CommandIssued" for note in world.events)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["RestartJob", "RestartTask", "RestartPod"]), st.booleans(), st.lists(st.integers(0, 6)))
def test_a_failure_is_answered_once_wherever_the_controller_is_killed(
    action: str, deleted: bool, kills: list[int]
) -> None:
    event = "PodEvicted" if deleted else "PodFailed"
    world = JobWorld(task("a", 3), task("b", 1), policies=[on(event, action)], lingers=True).started()
    before = {name: pod.metadata.uid for name, pod in world.pods.items()}
    if deleted:
        world.delete("demo-a-1")
    else:
        world.end("demo-a-1", 3)
    for after in kills:
        look_and_be_killed(world, after)
        world.gone()
    for _ in range(3):
        world.settle()
        world.gone()
    if action == "RestartJob":
        world.admit()
    world.settle()

    assert (world.status.retry_count, world.status.version) == (1, int(action == "RestartJob"))
    after_all = {name: pod.metadata.uid for name, pod in world.pods.items()}
    replaced = {name for name in before if before[name] != after_all.get(name)}
    tasks = {"RestartJob": "ab", "RestartTask": "a"}.get(action, "")
    assert replaced == {name for name in before if name.split("-")[1] in tasks} | {"demo-a-1"}
