"""A job from its creation to its end: what it makes, what it says of itself, what is left of it."""

import pytest

from tests.apps.training.controllers.engine.world import World, replicas
from windlass.apis.core_v1 import Pod
from windlass.kube.meta import ObjectMeta

PS_AND_WORKERS = {"tfReplicaSpecs": {"PS": replicas(2), "Worker": replicas(4)}}


def a_tfjob(clean: str = "None", **policy: object) -> World:
    return World("TFJob", {**PS_AND_WORKERS, "runPolicy": {"cleanPodPolicy": clean, **policy}})


def a_pytorchjob(workers: int = 2, policy: str = "", **run: object) -> World:
    specs = {
        "Master": replicas(1, policy, container="pytorch"),
        "Worker": replicas(workers, policy, container="pytorch"),
    }
    return World("PyTorchJob", {"pytorchReplicaSpecs": specs, "runPolicy": run})


def test_every_replica_gets_a_pod_and_a_headless_service_of_its_name() -> None:
    world = a_tfjob()
    world.step()
    names = ["demo-ps-0", "demo-ps-1", "demo-worker-0", "demo-worker-1", "demo-worker-2", "demo-worker-3"]
    assert sorted(world.pods) == world.services == names
    service = world.objects["Service", "demo-ps-1"]
    assert service.spec.cluster_ip == "None"
    assert (
        service.spec.selector
        == service.metadata.labels
        == {
            "training.kubeflow.org/operator-name": "tfjob-controller",
            "training.kubeflow.org/job-name": "demo",
            "training.kubeflow.org/replica-type": "ps",
            "training.kubeflow.org/replica-index": "1",
        }
    )
    assert [(port.name, port.port) for port in service.spec.ports] == [("tfjob-port", 2222)]
    assert world.conditions == ["Created"]
    assert world.condition("Created").message == "TFJob demo is created."
    assert world.there.status.start_time == "2026-01-01T00:00:00Z"


def test_a_pod_has_its_template_the_labels_the_owner_and_the_environment() -> None:
    template = {"metadata": {"labels": {"mine": "yes"}, "annotations": {"note": "kept"}, "finalizers": ["a/b"]}}
    worker = replicas(2, container="pytorch")
    worker["template"] |= template
    world = World("PyTorchJob", {"pytorchReplicaSpecs": {"Master": replicas(1, container="pytorch"), "Worker": worker}})
    world.step()
    pod = world.pods["demo-worker-1"]
    assert pod.metadata.labels["mine"] == "yes"
    assert pod.metadata.labels["training.kubeflow.org/replica-index"] == "1"
    assert pod.metadata.annotations == {"note": "kept"}
    assert pod.metadata.finalizers == ["a/b"]
    assert pod.spec.restart_policy == "OnFailure"
    assert world.environment("demo-worker-1")["RANK"] == "2"
    owner = pod.metadata.controller
    assert owner is not None
    assert (owner.api_version, owner.kind, owner.name) == ("kubeflow.org/v1", "PyTorchJob", "demo")
    assert "training.kubeflow.org/job-role" not in pod.metadata.labels
    assert world.pods["demo-master-0"].metadata.labels["training.kubeflow.org/job-role"] == "master"


def test_keys_in_any_case_are_the_same_role() -> None:
    world = World("TFJob", {"tfReplicaSpecs": {"Ps": replicas(1), "WORKER": replicas(1)}})
    world.step()
    assert sorted(world.pods) == ["demo-ps-0", "demo-worker-0"]
    assert list(world.there.status.replica_statuses) == ["PS", "Worker"]


def test_a_role_of_no_replicas_makes_nothing() -> None:
    world = World("TFJob", {"tfReplicaSpecs": {"PS": replicas(0), "Worker": replicas(None)}})
    world.settle()
    assert list(world.pods) == ["demo-worker-0"]


def test_it_is_running_when_its_leading_role_runs_and_succeeds_with_it() -> None:
    world = a_pytorchjob()
    world.step()
    world.run("demo-worker-0", "demo-worker-1")
    world.settle()
    assert world.conditions == ["Created"]
    world.run("demo-master-0")
    world.settle()
    assert world.conditions == ["Created", "Running"]
    assert world.counts("Worker") == (2, 0, 0)
    selector = world.there.status.replica_statuses["Worker"].selector
    assert selector == (
        "training.kubeflow.org/job-name=demo,training.kubeflow.org/operator-name=pytorchjob-controller,"
        "training.kubeflow.org/replica-type=worker"
    )
    world.wait(60)
    world.end("demo-master-0")
    world.settle()
    assert world.conditions == ["Created", "Running=False", "Succeeded"]
    assert world.there.status.completion_time == "2026-01-01T00:01:00Z"
    assert world.counts("Worker") == (0, 2, 0), "what still ran counts as succeeded"
    assert world.told("PyTorchJobSucceeded") == ["PyTorchJob demo successfully completed."]


def test_a_job_that_is_over_before_it_was_seen_to_run_has_run_all_the_same() -> None:
    world = a_pytorchjob()
    world.step()
    world.end("demo-master-0")
    world.settle()
    assert world.conditions == ["Created", "Running=False", "Succeeded"]


@pytest.mark.parametrize(
    ("policy", "ended", "succeeds"),
    [
        ("", ["demo-worker-0"], True),
        ("", ["demo-worker-1", "demo-worker-2", "demo-worker-3"], False),
        ("AllWorkers", ["demo-worker-0"], False),
        ("AllWorkers", [f"demo-worker-{i}" for i in range(4)], True),
    ],
)
def test_a_tfjob_without_chief_succeeds_with_its_first_worker_or_with_all(
    policy: str, ended: list[str], succeeds: bool
) -> None:
    world = World("TFJob", {**PS_AND_WORKERS, "successPolicy": policy})
    world.step()
    world.run()
    for name in ended:
        world.end(name)
    world.settle()
    assert ("Succeeded" in world.conditions) is succeeds


@pytest.mark.parametrize(
    ("clean", "left"),
    [
        ("None", ["demo-ps-0", "demo-ps-1", "demo-worker-0", "demo-worker-1", "demo-worker-2", "demo-worker-3"]),
        ("Running", ["demo-worker-0", "demo-worker-1"]),
        ("All", []),
    ],
)
def test_the_clean_pod_policy_says_what_a_finished_job_keeps(clean: str, left: list[str]) -> None:
    world = a_tfjob(clean)
    world.step()
    world.run()
    world.set_pod("demo-worker-3", "Pending")
    world.end("demo-worker-1", 0)
    world.end("demo-worker-0", 0)
    world.settle()
    assert sorted(world.pods) == world.services == left
    warned = world.told("PodsKeptRunning")
    assert bool(warned) is (clean == "None")


def test_the_operator_may_have_another_clean_pod_policy_for_jobs_that_name_none() -> None:
    world = World("TFJob", PS_AND_WORKERS, clean_pod_policy="Running")
    world.step()
    world.run()
    world.end("demo-worker-0")
    world.settle()
    assert list(world.pods) == ["demo-worker-0"]


def test_a_finished_job_goes_when_its_time_to_live_is_over() -> None:
    world = a_tfjob(ttlSecondsAfterFinished=30)
    world.step()
    world.run()
    world.end("demo-worker-0")
    plan = world.settle()
    assert plan.again_in is not None
    assert plan.again_in.total_seconds() == 30
    world.wait(30)
    world.step()
    assert world.job is None
    assert world.told("SuccessfulDeleteJob") == ["Deleted job: demo"]


def test_a_deadline_is_kept_by_the_clock_alone() -> None:
    world = a_tfjob(activeDeadlineSeconds=5)
    plan = world.step()
    assert plan.again_in is None, "the clock starts with the pods, which are made in this look"
    world.run()
    plan = world.settle()
    assert plan.again_in is not None
    world.wait(plan.again_in.total_seconds())
    world.settle()
    assert world.conditions == ["Created", "Running=False", "Failed"]
    message = "Job demo has failed because it was active longer than specified deadline"
    assert world.condition("Failed").message == message
    assert world.condition("Failed").reason == "TFJobFailed"
    assert world.there.status.completion_time is not None
    assert len(world.pods) == 6, "the clean pod policy holds for a deadline too"


def test_workers_are_scaled_up_and_down() -> None:
    world = a_pytorchjob(workers=3)
    world.step()
    world.run()
    world.settle()
    world.edit({"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 1}}}})
    world.settle()
    assert sorted(world.pods) == world.services == ["demo-master-0", "demo-worker-0"]
    world.edit({"spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 2}}}})
    world.settle()
    assert sorted(world.pods) == ["demo-master-0", "demo-worker-0", "demo-worker-1"]
    assert "Failed" not in world.conditions


def test_a_pod_that_vanished_is_made_again() -> None:
    world = a_tfjob()
    world.step()
    world.run()
    world.delete("demo-ps-1")
    world.settle()
    assert "demo-ps-1" in world.pods
    assert "Failed" not in world.conditions


def test_a_name_that_is_taken_is_left_alone_and_said() -> None:
    world = a_tfjob()
    world.put(Pod(metadata=ObjectMeta(name="demo-ps-0")))
    for _ in range(3):
        world.settle()
    assert world.pods["demo-ps-0"].metadata.controller is None
    assert len(world.pods) == 6
    assert len(world.told("ErrResourceExists")) == 1, "not at every look"
    assert "demo-ps-0" in world.condition("Created").message


def test_a_job_that_another_manages_is_not_touched() -> None:
    world = a_tfjob(managedBy="kueue.x-k8s.io/multikueue")
    world.settle()
    assert (world.objects, world.conditions, world.events) == ({}, [], [])


def test_what_older_versions_wrote_beside_the_replicas_is_honoured() -> None:
    world = World("TFJob", {**PS_AND_WORKERS, "cleanPodPolicy": "All", "schedulerName": "volcano"})
    world.step()
    assert {pod.spec.scheduler_name for pod in world.pods.values()} == {"volcano"}
    world.run()
    world.end("demo-worker-0")
    world.settle()
    assert not world.pods


def test_a_templates_restart_policy_is_overruled_with_a_warning() -> None:
    world = World("TFJob", {"tfReplicaSpecs": {"Worker": replicas(2, restartPolicy="OnFailure")}})
    world.settle()
    assert world.pods["demo-worker-0"].spec.restart_policy == "Never"
    assert len(world.told("SetPodTemplateRestartPolicy")) == 1


def test_a_pod_that_cannot_start_is_named_by_the_job_at_once() -> None:
    world = a_tfjob()
    world.step()
    world.set_pod("demo-worker-2", "Pending", {"waiting": {"reason": "ErrImagePull"}})
    world.settle()
    said = "Pod demo-worker-2 waits: ImagePullBackOff: container tensorflow, image trainer"
    assert world.condition("Created").message == f"TFJob demo is created. {said}"
    assert world.told("ImagePullBackOff") == [said]
    world.set_pod("demo-worker-2", "Pending", {"waiting": {"reason": "ImagePullBackOff"}})
    writes = world.status_writes
    world.settle()
    assert world.status_writes == writes, "the two reasons take turns, and are one to people"
    world.run()
    world.settle()
    assert world.condition("Running").message == "TFJob team-a/demo is running."


@pytest.mark.parametrize("reason", ["CreateContainerError", "CreateContainerConfigError"])
def test_a_container_that_cannot_be_made_is_named_with_what_to_do(reason: str) -> None:
    world = a_tfjob()
    world.step()
    world.set_pod("demo-worker-1", "Pending", {"waiting": {"reason": reason, "message": "give it a command"}})
    world.settle()
    said = f"Pod demo-worker-1 waits: {reason}: container tensorflow: give it a command"
    assert world.condition("Created").message == f"TFJob demo is created. {said}"
    assert world.told(reason) == [said]


def test_a_start_deadline_fails_a_job_that_waits_in_vain_and_gives_back_what_it_holds() -> None:
    annotations = {"training.windlass.dev/start-deadline-seconds": "60"}
    world = World("TFJob", PS_AND_WORKERS, annotations=annotations)
    world.step()
    world.run("demo-ps-0", "demo-ps-1", "demo-worker-0")
    world.unschedulable("demo-worker-1")
    plan = world.settle()
    assert plan.again_in is not None
    world.wait(plan.again_in.total_seconds())
    world.settle()
    failed = world.condition("Failed")
    assert "did not" not in failed.message
    assert failed.message == (
        "Job demo has failed because not all of its pods started within 60 s. "
        "Pod demo-worker-1 waits: Unschedulable: no GPU is free"
    )
    assert not world.pods


def test_a_job_is_judged_by_the_container_that_trains() -> None:
    worker = replicas(1)
    worker["template"]["spec"]["containers"].append({"name": "proxy", "image": "sidecar"})
    world = World("TFJob", {"tfReplicaSpecs": {"Worker": worker}})
    world.step()
    pod = world.pods["demo-worker-0"]
    assert pod.metadata.annotations == {"training.windlass.dev/main-container": "tensorflow"}
    world.set_pod("demo-worker-0", "Running", {"terminated": {"exitCode": 0, "finishedAt": "2026-01-01T00:00:00Z"}})
    plan = world.settle()
    assert world.conditions[-1] == "Succeeded"
    assert plan.again_in is not None, "a node may stop the sidecar itself"
    world.wait(plan.again_in.total_seconds())
    world.settle()
    assert not world.pods, "only the sidecar kept it alive"


def test_a_job_writes_its_status_only_when_something_changes() -> None:
    world = a_tfjob()
    for _ in range(3):
        world.settle()
    for name in list(world.pods):
        world.run(name)
        world.settle()
    world.end("demo-worker-0")
    world.settle()
    assert world.status_writes <= 8


def test_jobs_of_every_framework_make_pods_and_come_to_rest() -> None:
    from windlass.apps.training.frameworks import FRAMEWORKS

    for framework in FRAMEWORKS:
        specs = {name: replicas(1, container=framework.container) for name in framework.replica_types}
        if framework.name == "TFJob":
            specs.pop("Master")
        spec = {framework.specs_field: specs} | ({"jobMode": "MXTrain"} if framework.name == "MXJob" else {})
        world = World(framework.name, spec)
        world.settle()
        assert world.pods, framework.name
        assert world.conditions == ["Created"], framework.name
