"""Jobs whose pods start together: the group that says so, and the marks on the pods."""

from typing import Any

import msgspec
import pytest

from tests.apps.training.controllers.engine.world import World, replicas
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apps.training.controllers.engine.completion import START_DEADLINE
from windlass.kube import errors
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Outcome
from windlass.kube.testing import applied

PRIORITIES = [PriorityClass(metadata=ObjectMeta(name=name), value=value) for name, value in (("high", 100), ("low", 1))]


def asking(count: int, cpu: str, priority: str = "") -> dict[str, Any]:
    made = replicas(count, **({"priorityClassName": priority} if priority else {}))
    made["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
    return made


def a_gang(scheduler: str, **run: Any) -> World:
    spec = {"tfReplicaSpecs": {"PS": asking(1, "500m", "low"), "Worker": asking(2, "1", "high")}, "runPolicy": run}
    return World("TFJob", spec, gang_scheduler=scheduler, annotations={"team": "a"})


def group(world: World) -> dict[str, Any]:
    return world.objects["PodGroup", "demo"]


def admit(world: World, phase: str) -> None:
    world.put({**group(world), "status": {"phase": phase}})


def test_volcano_is_asked_before_any_pod_is_made() -> None:
    world = a_gang("volcano")
    world.settle()
    assert list(world.objects) == [("PodGroup", "demo")]
    made = group(world)
    assert made["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert made["spec"] == {"minMember": 3, "queue": "default", "minResources": {"cpu": "2500m"}}
    assert made["metadata"]["annotations"] == {"team": "a"}
    assert world.there.status.last_reconcile_time is not None
    assert world.there.status.start_time is None
    admit(world, "Pending")
    world.settle()
    assert not world.pods
    admit(world, "Inqueue")
    world.settle()
    pod = world.pods["demo-worker-1"]
    assert pod.spec.scheduler_name == "volcano"
    assert pod.metadata.annotations == {"scheduling.k8s.io/group-name": "demo", "volcano.sh/task-spec": "worker"}


def test_a_group_that_was_let_in_before_the_job_came_is_asked_anew_with_what_it_needs() -> None:
    world = a_gang("volcano")
    theirs = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "demo"}}
    world.put({**theirs, "spec": {"minMember": 3, "queue": "gold"}, "status": {"phase": "Inqueue"}})
    world.settle()
    assert not world.pods
    assert group(world)["spec"] == {"minMember": 3, "queue": "gold", "minResources": {"cpu": "2500m"}}
    assert group(world)["status"] == {"phase": "Pending"}
    admit(world, "Inqueue")
    world.settle()
    assert len(world.pods) == 3


@pytest.mark.parametrize(
    ("scheduler", "api_version", "annotations", "label"),
    [
        ("kube-batch", "scheduling.incubator.k8s.io/v1alpha1", {"scheduling.k8s.io/group-name": "demo"}, None),
        ("scheduler-plugins", "scheduling.x-k8s.io/v1alpha1", {}, "demo"),
    ],
)
def test_other_schedulers_hold_the_pods_themselves(
    scheduler: str, api_version: str, annotations: dict[str, str], label: str | None
) -> None:
    world = a_gang(scheduler, schedulingPolicy={"scheduleTimeoutSeconds": 9})
    world.settle()
    assert group(world)["apiVersion"] == api_version
    assert ("scheduleTimeoutSeconds" in group(world)["spec"]) is (scheduler == "scheduler-plugins")
    pod = world.pods["demo-ps-0"]
    assert pod.spec.scheduler_name == scheduler
    assert pod.metadata.annotations == annotations
    assert pod.metadata.labels.get("scheduling.x-k8s.io/pod-group") == label


def test_the_policy_says_how_many_which_queue_and_what_they_need() -> None:
    world = a_gang("volcano", schedulingPolicy={"minAvailable": 2, "queue": "gold", "priorityClass": "high"})
    for one in PRIORITIES:
        world.put(one)
    world.settle()
    assert group(world)["spec"] == {
        "minMember": 2,
        "queue": "gold",
        "priorityClassName": "high",
        "minResources": {"cpu": "2"},
    }
    world.edit({"spec": {"runPolicy": {"schedulingPolicy": {"minAvailable": 1}}}})
    world.settle()
    assert group(world)["spec"]["minMember"] == 1
    assert group(world)["spec"]["minResources"] == {"cpu": "1"}


def test_a_group_that_was_there_before_is_used_and_keeps_its_queue() -> None:
    world = a_gang("volcano")
    made = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "demo"}}
    world.put({**made, "spec": {"minMember": 9, "queue": "mine"}})
    world.settle()
    assert group(world)["spec"]["queue"] == "mine"
    assert group(world)["spec"]["minMember"] == 3


def test_a_template_with_another_scheduler_is_left_alone_and_told_of() -> None:
    spec = {"tfReplicaSpecs": {"Worker": replicas(2, schedulerName="mine")}}
    world = World("TFJob", spec, gang_scheduler="kube-batch")
    world.settle()
    assert world.pods["demo-worker-0"].spec.scheduler_name == "mine"
    assert len(world.told("SetPodTemplateSchedulerName")) == 1


def test_the_group_goes_with_the_end_and_with_a_rest() -> None:
    world = a_gang("kube-batch")
    world.settle()
    world.edit({"spec": {"runPolicy": {"suspend": True}}})
    world.settle()
    assert not world.objects
    world.edit({"spec": {"runPolicy": {"suspend": False}}})
    world.settle()
    world.run()
    world.end("demo-worker-0")
    world.settle()
    assert ("PodGroup", "demo") not in world.objects
    assert world.told("SuccessfulDeletePodGroup")


# --- why it waits


def waits(world: World, reason: str, message: str, phase: str = "Pending") -> None:
    condition = {"type": "Unschedulable", "status": "True", "reason": reason, "message": message}
    world.put({**group(world), "status": {"phase": phase, "conditions": [condition]}})
    world.settle()


def test_why_the_gang_waits_is_on_the_job_until_it_starts() -> None:
    world = a_gang("volcano")
    world.settle()
    waits(world, "NotEnqueueable", "overused cpu (3 requested, 1 free)")
    sentence = "PodGroup demo waits: NotEnqueueable: overused cpu (3 requested, 1 free)"

    assert world.condition("Created").message == f"TFJob demo is created. {sentence}"
    assert world.conditions == ["Created"]
    assert world.told("PodGroupPending") == [sentence]

    admit(world, "Inqueue")
    world.settle()
    assert world.condition("Created").message == "TFJob demo is created."


def test_a_gang_whose_pods_are_there_and_do_not_fit_says_so_too() -> None:
    world = a_gang("volcano")
    world.settle()
    waits(world, "NotEnoughResources", "3/3 tasks in gang unschedulable", phase="Inqueue")
    for name in world.pods:
        world.unschedulable(name)
    world.settle()
    assert "PodGroup demo waits: NotEnoughResources: 3/3 tasks" in world.condition("Created").message

    world.put({**group(world), "status": {"phase": "Running"}})
    world.run()
    world.settle()
    assert world.condition("Created").message == "TFJob demo is created."
    assert world.condition("Running").message == "TFJob team-a/demo is running."


def test_amounts_that_change_in_the_reason_are_no_news() -> None:
    world = a_gang("volcano")
    world.settle()
    waits(world, "NotEnqueueable", "overused cpu (3 requested, 1 free)")
    before = world.status_writes
    waits(world, "NotEnqueueable", "overused cpu (3 requested, 1500m free)")
    assert (world.status_writes, len(world.told("PodGroupPending"))) == (before, 1)

    waits(world, "NotEnqueueable", "overused memory (3Gi requested, 1 free)")
    assert "overused memory" in world.condition("Created").message
    assert len(world.told("PodGroupPending")) == 2


def test_a_gang_that_waits_again_after_a_rest_says_why() -> None:
    world = a_gang("volcano")
    world.settle()
    waits(world, "NotEnqueueable", "overused cpu")
    world.edit({"spec": {"runPolicy": {"suspend": True}}})
    world.settle()
    assert world.condition("Created").message == "TFJob demo is created."

    world.edit({"spec": {"runPolicy": {"suspend": False}}})
    world.settle()
    waits(world, "NotEnqueueable", "overused cpu")
    assert world.condition("Created").message.endswith("PodGroup demo waits: NotEnqueueable: overused cpu")
    assert world.conditions[-1] == "Suspended=False"


def test_a_group_that_is_refused_is_on_the_job_until_it_is_admitted() -> None:
    world = a_gang("volcano", schedulingPolicy={"queue": "nope"})
    plan = world.plan()
    assert plan.status_if_refused is not None
    outcome = Outcome("apply", applied(plan)[0], errors.Forbidden('queue "nope" not found'))
    world.edit({"status": msgspec.to_builtins(plan.status_if_refused([outcome]))})
    message = 'TFJob demo is created. Error creating PodGroup "demo": queue "nope" not found'
    assert world.condition("Created").message == message

    world.wait(60)
    again = world.plan()
    assert again.status_if_refused is not None
    assert again.status_if_refused([outcome]) == world.there.status
    world.settle()
    assert world.condition("Created").message == "TFJob demo is created."


def test_a_job_that_never_started_in_time_fails_with_what_its_gang_waited_for() -> None:
    spec = {"tfReplicaSpecs": {"Worker": replicas(2)}}
    world = World("TFJob", spec, gang_scheduler="volcano", annotations={START_DEADLINE: "60"})
    world.settle()
    waits(world, "NotEnqueueable", "overused cpu")
    world.wait(61)
    world.settle()

    assert "PodGroup demo waits: NotEnqueueable: overused cpu" in world.condition("Failed").message
