"""Jobs that grow and shrink, tasks that wait for others, and what is refused."""

from typing import Any

import msgspec
import pytest

from tests.apps.volcano.controllers.job.world import GROUP, JobWorld, on, task
from windlass.apis.core_v1 import ContainerStatus, PodStatus
from windlass.apps.volcano.controllers.job import expiry
from windlass.kube.errors import Forbidden
from windlass.kube.plan import Outcome
from windlass.kube.testing import created

NO = Forbidden("no")


def test_a_job_grows_with_all_that_follows_from_it() -> None:
    world = JobWorld(task("worker", 2), plugins={"svc": []}).started()
    world.edit({"spec": {"minAvailable": 3, "tasks": [task("worker", 3)]}})
    world.settle()

    assert [*world.pods] == ["demo-worker-0", "demo-worker-1", "demo-worker-2"]
    assert world.objects["ConfigMap", "demo-svc"].data["VC_WORKER_NUM"] == "3"
    assert world.group is not None
    assert world.group["spec"]["minMember"] == 3
    assert world.phase == "Pending", "less than its minimum runs"
    world.run()
    world.settle()
    assert (world.phase, world.status.retry_count) == ("Running", 0)


def test_a_job_shrinks_from_the_end_and_nobody_is_told_of_an_eviction() -> None:
    world = JobWorld(task("worker", 3), policies=[on("PodEvicted", "AbortJob")], lingers=True).started()
    world.edit({"spec": {"minAvailable": 1, "tasks": [task("worker", 1)]}})
    world.settle()
    assert world.status.terminating == 2
    world.gone()
    world.settle()

    assert [*world.pods] == ["demo-worker-0"]
    assert world.phase == "Running"


def test_a_job_without_pods_keeps_its_phase() -> None:
    world = JobWorld(task("worker", 1)).started()
    world.edit({"spec": {"minAvailable": 0, "tasks": [task("worker", 0)]}})
    world.settle()

    assert (world.phase, world.pods) == ("Running", {})


def test_a_shrunk_job_still_notices_a_pod_that_was_deleted() -> None:
    world = JobWorld(task("worker", 3), policies=[on("PodEvicted", "RestartJob")]).started()
    world.edit({"spec": {"minAvailable": 2, "tasks": [task("worker", 2)]}})
    world.delete("demo-worker-0")
    world.settle()

    assert world.status.retry_count == 1


def test_a_job_that_shrinks_while_a_pod_is_replaced_sees_no_eviction() -> None:
    policies = [on("PodFailed", "RestartPod"), on("PodEvicted", "AbortJob")]
    world = JobWorld(task("worker", 3), policies=policies, minAvailable=1, lingers=True).started()
    world.end("demo-worker-1", 1)
    world.settle()
    world.gone()
    world.edit({"spec": {"tasks": [task("worker", 2)]}})
    world.settle()

    assert (world.phase, world.status.retry_count) == ("Running", 1)
    assert world.pods["demo-worker-1"].status.phase == "Pending"


# --- tasks that wait


def ready(world: JobWorld, name: str) -> None:
    pod = world.pods[name]
    container = ContainerStatus(name=pod.spec.containers[0].name, state={"running": {}}, ready=True)
    status = PodStatus(phase="Running", container_statuses=[container])
    world.put(msgspec.structs.replace(pod, status=status))


@pytest.mark.parametrize(("iteration", "early"), [("any", True), ("all", False), ("", False)])
def test_a_task_waits_for_each_or_any_of_those_it_depends_on(iteration: str, early: bool) -> None:
    depends: dict[str, Any] = {"name": ["a", "b"]} | ({"iteration": iteration} if iteration else {})
    world = JobWorld(task("a", 2, minAvailable=1), task("b"), task("c", dependsOn=depends), minAvailable=1)
    world.settle()
    world.admit()
    world.settle()
    assert [*world.pods] == ["demo-a-0", "demo-a-1", "demo-b-0"]
    world.run("demo-a-0")
    world.settle()
    assert "demo-c-0" not in world.pods, "it runs, but is not ready"
    ready(world, "demo-a-0")
    world.settle()
    assert ("demo-c-0" in world.pods) == early
    world.run("demo-b-0")
    world.end("demo-b-0")
    world.settle()

    assert "demo-c-0" in world.pods


# --- enough successes


def test_a_job_with_enough_successes_completes_and_the_others_go() -> None:
    world = JobWorld(task("worker", 3), minSuccess=1).started()
    world.end("demo-worker-1")
    world.settle()

    assert (world.phase, [*world.pods]) == ("Completed", ["demo-worker-1"])


# --- refusals


def test_a_job_whose_pods_are_refused_tries_again_ever_later_and_then_gives_up() -> None:
    world = JobWorld(task("worker", 1))
    world.settle()
    world.admit()
    world.world.server.refuse = lambda verb, obj: NO if (verb, obj["kind"]) == ("create", "Pod") else None
    waits: list[float] = []
    while world.phase == "Pending":
        plan = world.step()
        if plan.again_in is not None and not created(plan):
            waits.append(plan.again_in.total_seconds())
            world.wait(waits[-1])
    world.settle()

    assert world.phase == "Terminated"
    assert waits == [pytest.approx(0.005 * 2**n) for n in range(1, 15)]
    assert world.told("ExecuteAction") == ["Job failed on action SyncJob for retry limit reached"]


def test_a_job_forgets_refusals_when_its_pods_are_made() -> None:
    world = JobWorld(task("worker", 1))
    world.settle()
    world.admit()
    plan = world.plan()
    assert plan.status_if_refused is not None
    world.edit({"status": msgspec.to_builtins(plan.status_if_refused([Outcome("create", created(plan)[0], NO)]))})
    assert not created(world.settle())
    assert world.status.controlled_resources["refused"].startswith("1 ")
    assert (world.status.state.reason, world.status.state.message) == (
        "FailedCreate",
        'Error creating Pod "demo-worker-0": no',
    )
    world.wait(1)
    world.settle()

    assert [*world.pods] == ["demo-worker-0"]
    assert world.status.controlled_resources == {}
    assert (world.status.state.reason, world.status.state.message) == ("", "")


@pytest.mark.parametrize(
    ("kind", "reason", "message"),
    [
        ("Pod", "FailedCreate", "Error creating pods: [failed to create pod x, err: no]"),
        ("PodGroup", "PodGroupError", "Failed to create PodGroup, err: no"),
        ("PersistentVolumeClaim", "PVCError", "Failed to create PVC, err: no"),
        ("Service", "PluginError", "Execute plugin when job add failed, err: no"),
    ],
)
def test_what_is_refused_is_told_in_volcanos_words(kind: str, reason: str, message: str) -> None:
    world = JobWorld()
    obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}}
    assert world.controller.event_for is not None
    note = world.controller.event_for(world.there, Outcome("create", obj, NO))
    assert note is not None

    assert (note.reason, note.message, note.warning) == (reason, message, True)


def test_why_the_group_waits_is_told_once_and_stands_in_the_status_as_long_as_it_does() -> None:
    world = JobWorld()
    world.settle()
    condition = {"type": "Unschedulable", "status": "True", "message": "resource in cluster is overused"}
    world.admit("Pending", conditions=[condition])
    world.settle()
    world.admit("Pending", conditions=[condition], running=0)
    world.settle()

    assert world.told("PodGroupPending") == [
        "PodGroup team-a:demo unschedulable, reason: resource in cluster is overused"
    ]
    assert world.status.state.reason == "PodGroupPending"
    assert world.status.state.message == "resource in cluster is overused"
    world.admit()
    world.settle()
    assert (world.phase, world.status.state.reason, world.status.state.message) == ("Pending", "", "")


def test_amounts_that_change_in_the_reason_of_the_group_are_no_news() -> None:
    world = JobWorld()
    world.settle()

    def waits(message: str) -> str:
        world.admit("Pending", conditions=[{"type": "Unschedulable", "status": "True", "message": message}])
        world.settle()
        return world.status.state.message

    assert waits("insufficient cpu (3 requested, 1 free)") == "insufficient cpu (3 requested, 1 free)"
    assert waits("insufficient cpu (3 requested, 500m free)") == "insufficient cpu (3 requested, 1 free)"
    assert waits("insufficient memory (3Gi requested, 1 free)") == "insufficient memory (3Gi requested, 1 free)"
    assert len(world.told("PodGroupPending")) == 2


def test_a_pod_that_cannot_start_is_told_once_and_stands_in_the_status_as_long_as_it_waits() -> None:
    world = JobWorld(task("worker", 2)).started()
    waiting = {"waiting": {"reason": "CreateContainerError", "message": "give it a command"}}
    for _ in range(2):
        world.set_pod("demo-worker-1", "Pending", waiting)
        world.settle()

    said = "Pod demo-worker-1 waits: CreateContainerError: container worker: give it a command"
    assert world.told("PodsWaiting") == [said]
    assert (world.status.state.reason, world.status.state.message) == ("PodsWaiting", said)
    world.run()
    world.settle()
    assert (world.phase, world.status.state.reason, world.status.state.message) == ("Running", "", "")


# --- time to live


def test_a_job_lives_on_for_its_time_after_its_end() -> None:
    world = JobWorld(task("worker", 1), ttlSecondsAfterFinished=60).started()
    assert expiry.left(world.job, world.observed()) is None
    world.end("demo-worker-0")
    world.settle()
    world.wait(20)
    left = expiry.left(world.job, world.observed())

    assert left is not None
    assert left.total_seconds() == 40
    world.command("AbortJob")
    world.settle()
    assert (world.phase, world.group, GROUP in str(world.kinds)) == ("Completed", None, False)
