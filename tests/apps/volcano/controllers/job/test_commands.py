"""Orders that people give with Commands."""

import pytest

from tests.apps.volcano.controllers.job.world import JobWorld, on, task
from windlass.apps.volcano.controllers.job.commands import remove_stray
from windlass.apps.volcano.kinds.batch import GROUP_VERSION
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Observed
from windlass.kube.json import timestamp
from windlass.kube.meta import ObjectMeta, OwnerReference
from windlass.kube.plan import Plan
from windlass.kube.testing import deleted

ISSUED = "Start to execute command {}, and clean it up to make sure executed not more than once."


def commands(world: JobWorld) -> list[str]:
    return [name for kind, name in world.objects if kind == "Command"]


def test_a_job_is_suspended_and_resumed() -> None:
    world = JobWorld(task("worker", 2)).started()
    world.command("AbortJob")
    world.settle()
    assert (world.phase, world.pods, commands(world)) == ("Aborted", {}, [])
    assert world.kinds == []
    assert world.told("CommandIssued") == [ISSUED.format("AbortJob")]
    assert world.status.state.reason == "AbortJob"

    world.command("ResumeJob")
    world.settle()
    world.admit()
    world.settle()
    world.run()
    world.settle()

    assert (world.phase, world.status.running, world.status.retry_count) == ("Running", 2, 1)
    assert {*world.versions().values()} == {"2"}
    assert commands(world) == []
    assert not [key for key in world.status.controlled_resources if key.startswith("followed")]


def test_a_resumed_job_keeps_pods_that_have_ended() -> None:
    world = JobWorld(task("worker", 2)).started()
    world.end("demo-worker-0")
    world.command("AbortJob")
    world.settle()
    world.command("ResumeJob")
    world.settle()
    world.admit()
    world.settle()

    assert world.versions() == {"demo-worker-0": "0", "demo-worker-1": "2"}
    world.run()
    world.settle()
    world.end("demo-worker-1")
    world.settle()
    assert world.phase == "Completed"


@pytest.mark.parametrize(
    ("action", "phase"), [("TerminateJob", "Terminated"), ("CompleteJob", "Completed"), ("RestartJob", "Pending")]
)
def test_other_actions_are_followed_too(action: str, phase: str) -> None:
    world = JobWorld(task("worker", 2)).started()
    world.command(action)
    world.settle()

    assert (world.phase, world.status.version) == (phase, 1)


@pytest.mark.parametrize("action", ["ResumeJob", "OpenQueue", "Dance"])
def test_a_command_without_effect_is_told_and_deleted(action: str) -> None:
    world = JobWorld(task("worker", 2)).started()
    world.command(action)
    world.settle()

    assert (world.phase, commands(world)) == ("Running", [])
    assert world.told("CommandIssued") == [ISSUED.format(action)]


def test_a_command_is_followed_once_even_if_it_lingers() -> None:
    world = JobWorld(task("worker", 2)).started()
    world.command("RestartJob")
    world.step(kill_after=1)
    assert world.status.retry_count == 1
    assert commands(world) != [], "the controller was killed before it could delete it"

    world.settle()

    assert (world.status.retry_count, commands(world)) == (1, [])


def test_a_command_for_an_earlier_job_of_the_name_is_deleted() -> None:
    world = JobWorld(task("worker", 2)).started()
    world.command("AbortJob", uid="another")
    world.settle()

    assert (world.phase, commands(world), world.told("CommandIssued")) == ("Running", [], [])


def test_a_job_that_restarts_is_stopped_when_that_is_over() -> None:
    world = JobWorld(task("worker", 2), policies=[on("PodFailed", "RestartJob")], lingers=True).started()
    world.end("demo-worker-0", 1)
    world.settle()
    assert world.phase == "Restarting"
    world.command("AbortJob")
    world.settle()
    assert world.phase == "Restarting"
    world.gone()
    world.settle()

    assert (world.phase, world.status.retry_count) == ("Aborted", 1)


@pytest.mark.parametrize(("age", "job", "goes"), [(59, "none", False), (60, "none", True), (3600, "demo", False)])
def test_a_command_for_a_job_that_is_not_there_goes_after_a_minute(age: int, job: str, goes: bool) -> None:
    world = JobWorld()
    target = OwnerReference(api_version=GROUP_VERSION, kind="Job", name=job, uid="")
    metadata = ObjectMeta(name="abort", namespace="team-a", creation_timestamp=timestamp(world.now))
    command = Command(metadata=metadata, action="AbortJob", target=target)
    world.wait(age)
    plan = remove_stray(command, Observed.just(world.job, of=command, now=world.now))

    assert list(deleted(plan)) == ([command] if goes else [])
    assert (plan.again_in is not None) == (age < 60)


def test_a_command_for_a_queue_is_another_controllers() -> None:
    target = OwnerReference(api_version="scheduling.volcano.sh/v1beta1", kind="Queue", name="x", uid="")
    command = Command(metadata=ObjectMeta(name="x", creation_timestamp="2000-01-01T00:00:00Z"), target=target)

    assert remove_stray(command, Observed.just(of=command)) == Plan()
