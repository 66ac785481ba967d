"""The life of an MPIJob v2beta1."""

from typing import Any

import pytest

from tests.apps.training.controllers.mpi.test_children import settled
from tests.apps.training.controllers.mpi.world import MpiWorld, role
from windlass.apis.core_v1 import ConfigMap, Pod
from windlass.apps.training.controllers.mpi.reconcile import job_of
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS
from windlass.apps.training.options import Options
from windlass.kube import errors
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Outcome
from windlass.kube.testing import applied

ALL_WAYS = ["AtStartup", "WaitForWorkersReady"]


def ended(how: str = "Complete", **spec: Any) -> MpiWorld:
    world = settled(**spec)
    world.launcher_ends(how, "BackoffLimitExceeded" if how == "Failed" else "", "Job has reached the limit")
    world.settle()
    return world


def test_nothing_is_made_before_there_are_keys() -> None:
    world = MpiWorld(keys=False)
    world.settle()

    assert world.pods == {}
    assert world.launcher is None
    assert world.conditions == ["Created"]


def test_the_launchers_job_is_there_from_the_start_but_waits_for_its_workers() -> None:
    world = MpiWorld()
    world.settle()
    assert world.there_launcher.spec.suspend

    world.ready("demo-worker-0")
    world.settle()
    assert world.there_launcher.spec.suspend

    world.ready()
    world.settle()
    assert not world.there_launcher.spec.suspend


def test_a_launcher_that_waits_for_its_workers_is_not_made_before() -> None:
    world = MpiWorld(launcherCreationPolicy="WaitForWorkersReady")
    world.settle()
    assert world.launcher is None

    world.ready()
    world.settle()
    assert not world.there_launcher.spec.suspend


def test_a_worker_that_is_lost_does_not_stop_the_launcher() -> None:
    world = settled()
    world.delete("demo-worker-0")
    world.settle()

    assert not world.there_launcher.spec.suspend
    assert "demo-worker-0" in world.pods


def test_a_job_runs_when_launcher_and_workers_do() -> None:
    world = MpiWorld()
    world.settle()
    world.ready()
    world.settle()
    assert world.conditions == ["Created"]
    world.launch()
    world.settle()

    assert world.conditions == ["Created", "Running"]
    assert world.condition("Running").message == "MPIJob team-a/demo is running."
    assert world.counts("Launcher") == (1, 0, 0)
    assert world.counts("Worker") == (2, 0, 0)


def test_a_job_succeeds_with_its_launcher() -> None:
    world = ended()

    assert world.conditions == ["Created", "Running=False", "Succeeded"]
    assert world.there.status.completion_time is not None
    assert world.counts("Launcher") == (0, 1, 0)
    assert world.told("MPIJobSucceeded") == ["MPIJob team-a/demo successfully completed."]


def test_a_job_fails_with_its_launcher_and_says_how_the_last_try_ended() -> None:
    world = MpiWorld(policy={"backoffLimit": 1})
    world.settle()
    world.ready()
    world.settle()
    world.launch("Failed", {"terminated": {"exitCode": 3, "reason": "Error", "message": "first\nno such program\n"}})
    world.launcher_ends("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit", failed=2)
    world.settle()

    failed = world.condition("Failed")
    assert failed.reason == "BackoffLimitExceeded/Error"
    assert failed.message.startswith("Job has reached the specified backoff limit: Pod demo-launcher-")
    assert failed.message.endswith("exit code 3: no such program")
    assert world.counts("Launcher") == (0, 0, 2)


@pytest.mark.parametrize(
    ("policy", "left"),
    [("None", {"demo-worker-0", "demo-worker-1"}), ("Running", {"demo-worker-1"}), ("All", set())],
)
def test_workers_go_as_the_clean_pod_policy_says_and_the_launcher_stays(policy: str, left: set[str]) -> None:
    world = settled(policy={"cleanPodPolicy": policy})
    world.set_pod("demo-worker-1", "Succeeded")
    world.launcher_ends("Complete")
    world.settle()

    assert {name for name in world.pods if "-worker-" in name} == left
    assert world.launcher is not None
    assert any(name.startswith("demo-launcher-") for name in world.pods)


def test_workers_that_a_finished_job_leaves_running_are_told_of() -> None:
    assert "demo-worker-0, demo-worker-1" in ended().told("PodsKeptRunning")[0]


def test_a_finished_job_goes_after_its_time() -> None:
    world = ended(policy={"ttlSecondsAfterFinished": 30})
    world.wait(29)
    assert world.settle().again_in is not None
    world.wait(1)
    world.step()

    assert world.job is None


def test_a_job_created_at_rest_has_no_pods() -> None:
    world = MpiWorld(policy={"suspend": True})
    world.settle()

    assert world.conditions == ["Created", "Suspended"]
    assert world.pods == {}
    assert world.there_launcher.spec.suspend
    assert world.there.status.start_time is None


@pytest.mark.parametrize("way", ALL_WAYS)
def test_a_job_that_is_put_to_rest_gives_its_pods_back_and_waits_for_its_workers_again(way: str) -> None:
    world = settled(launcherCreationPolicy=way)
    world.edit({"spec": {"runPolicy": {"suspend": True}}})
    world.settle()

    assert not [name for name in world.pods if "-worker-" in name]
    assert world.there_launcher.spec.suspend
    assert world.conditions == ["Created", "Running=False", "Suspended"]
    assert world.counts("Worker") == (0, 0, 0)

    world.wait(100)
    world.edit({"spec": {"runPolicy": {"suspend": False}}})
    world.settle()
    assert world.there_launcher.spec.suspend, "the workers are not ready yet"
    assert world.there.status.start_time == "2026-01-01T00:01:40Z"

    world.ready()
    world.settle()
    assert not world.there_launcher.spec.suspend
    assert world.told("MPIJobResumed") == ["MPIJob resumed"]


def test_a_launcher_that_waits_is_not_made_while_the_job_rests() -> None:
    world = MpiWorld(policy={"suspend": True}, launcherCreationPolicy="WaitForWorkersReady")
    world.settle()

    assert world.launcher is None


def test_where_a_launcher_may_run_can_be_said_until_it_starts() -> None:
    world = MpiWorld(policy={"suspend": True})
    world.settle()
    there = {"nodeSelector": {"zone": "b"}}
    roles = {"Launcher": {"template": {"spec": there}}}
    world.edit({"spec": {"runPolicy": {"suspend": False}, "mpiReplicaSpecs": roles}})
    world.settle()
    world.ready()
    world.settle()

    assert world.there_launcher.spec.template["spec"]["nodeSelector"] == {"zone": "b"}


def test_scaling_down_removes_the_last_workers() -> None:
    world = settled()
    world.edit({"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 1}}}})
    world.settle()

    assert {name for name in world.pods if "-worker-" in name} == {"demo-worker-0"}


def test_an_evicted_worker_fails_the_job() -> None:
    world = settled()
    world.set_pod("demo-worker-1", "Failed", reason="Evicted")
    world.settle()

    assert world.condition("Failed").reason == "MPIJobEvicted"
    assert world.condition("Failed").message == "1/2 workers are evicted"
    assert world.there_launcher.spec.suspend, "its launcher must not go on"


def test_an_evicted_worker_that_may_be_restarted_is_made_anew() -> None:
    world = settled(workers=role(2, "OnFailure"))
    old = world.pods["demo-worker-1"].metadata.uid
    world.set_pod("demo-worker-1", "Failed", reason="Evicted")
    world.settle()

    assert world.conditions == ["Created", "Running"]
    assert world.pods["demo-worker-1"].metadata.uid != old


def test_a_job_that_is_active_for_too_long_fails_even_if_its_launcher_never_started() -> None:
    world = MpiWorld(policy={"activeDeadlineSeconds": 5})
    assert world.settle().again_in is not None
    world.wait(5)
    world.settle()

    assert world.condition("Failed").reason == "DeadlineExceeded"


def test_a_start_deadline_names_the_pod_that_waits() -> None:
    world = MpiWorld(annotations={"training.windlass.dev/start-deadline-seconds": "10"})
    world.settle()
    world.unschedulable("demo-worker-0")
    world.settle()
    assert "Pod demo-worker-0 waits: Unschedulable" in world.condition("Created").message
    world.wait(10)
    world.settle()

    assert "Pod demo-worker-0 waits: Unschedulable" in world.condition("Failed").message


def test_a_name_that_another_holds_is_told_and_left_alone() -> None:
    world = MpiWorld()
    world.put(ConfigMap(metadata=ObjectMeta(name="demo-config"), data={"mine": "1"}))
    world.settle()

    (told,) = {*world.told("ErrResourceExists")}
    assert '"demo-config" of Kind "ConfigMap"' in told
    assert world.pods == {}
    assert world.objects["ConfigMap", "demo-config"].data == {"mine": "1"}


@pytest.mark.parametrize(
    "not_ours",
    [{"annotations": {CREATED_AS: "v1"}}, {"policy": {"managedBy": "kueue.x-k8s.io/multikueue"}}],
)
def test_jobs_of_other_versions_and_managers_are_left_alone(not_ours: dict[str, Any]) -> None:
    world = MpiWorld(**not_ours)
    world.settle()

    assert (world.pods, world.conditions) == ({}, [])


def test_replica_types_are_known_in_any_case() -> None:
    world = MpiWorld(mpiReplicaSpecs={"launcher": role(), "WORKER": role(1)})
    world.settle()

    assert {*world.pods} == {"demo-worker-0"}


def test_a_gang_has_all_workers_and_the_launcher() -> None:
    policy = {"schedulingPolicy": {"priorityClass": "high"}}
    annotations = {"scheduling.volcano.sh/queue-name": "night"}
    world = MpiWorld(policy=policy, annotations=annotations, options=Options(gang_scheduler="volcano"))
    world.settle()
    group = world.objects["PodGroup", "demo"]
    assert group["spec"] == {"minMember": 3, "queue": "night", "priorityClassName": "high"}
    assert world.pods == {}, "volcano admits the group first"

    world.put({**group, "status": {"phase": "Inqueue"}})
    world.settle()
    world.launch("Pending")
    marks = {"scheduling.k8s.io/group-name": "demo"}
    assert len(world.pods) == 3, "the launcher is a member, so it does not wait"
    (waits,) = next(pod for name, pod in world.pods.items() if "-launcher-" in name).spec.init_containers
    assert waits.name == "wait-for-workers", "what it does not do as a pod it does inside"
    for pod in world.pods.values():
        assert pod.metadata.annotations.items() >= marks.items()
        assert pod.spec.scheduler_name == "volcano"


def test_why_the_gang_waits_and_what_is_refused_is_on_the_job() -> None:
    world = MpiWorld(options=Options(gang_scheduler="volcano"))
    plan = world.plan()
    assert plan.status_if_refused is not None
    refused: Any = plan.status_if_refused([Outcome("apply", applied(plan)[0], errors.Forbidden("no such queue"))])
    created = "MPIJob team-a/demo is created."
    assert refused.conditions[0].message == f'{created} Error creating PodGroup "demo": no such queue'

    world.settle()
    condition = {"type": "Unschedulable", "status": "True", "reason": "NotEnqueueable", "message": "overused cpu"}
    group = world.objects["PodGroup", "demo"]
    world.put({**group, "status": {"phase": "Pending", "conditions": [condition]}})
    world.settle()
    sentence = "PodGroup demo waits: NotEnqueueable: overused cpu"
    assert world.condition("Created").message == f"{created} {sentence}"
    assert world.told("PodGroupPending") == [sentence]

    world.put({**group, "status": {"phase": "Inqueue"}})
    world.settle()
    assert world.condition("Created").message == created


def test_a_gang_of_scheduler_plugins_has_a_timeout() -> None:
    world = MpiWorld(options=Options(gang_scheduler="gang-scheduler"))
    world.settle()

    assert world.objects["PodGroup", "demo"]["spec"] == {"minMember": 3, "scheduleTimeoutSeconds": 0}


def test_a_launcher_that_comes_late_is_none_of_the_gang() -> None:
    late = "WaitForWorkersReady"
    world = MpiWorld(options=Options(gang_scheduler="gang-scheduler"), launcherCreationPolicy=late)
    world.settle()

    assert world.objects["PodGroup", "demo"]["spec"]["minMember"] == 2
    assert world.launcher is None


def test_the_gang_is_dissolved_when_the_job_rests_or_ends() -> None:
    options = Options(gang_scheduler="gang-scheduler")
    assert ("PodGroup", "demo") not in ended(options=options).objects
    resting = settled(options=options)
    resting.edit({"spec": {"runPolicy": {"suspend": True}}})
    resting.settle()

    assert ("PodGroup", "demo") not in resting.objects


def test_a_launchers_pod_concerns_its_job() -> None:
    pod = next(pod for name, pod in settled().pods.items() if name.startswith("demo-launcher-"))

    assert job_of(pod) == ("team-a", "demo")
    assert job_of(Pod(metadata=ObjectMeta(name="other", namespace="team-a"))) is None
