"""What a job is made of: its pods, its group, its claims."""

from typing import Any

import msgspec
import pytest

from tests.apps.volcano.controllers.job.world import GROUP, JobWorld, task
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apps.volcano.controllers.job.children.job_pods import pod
from windlass.apps.volcano.controllers.job.children.pod_group import min_resources
from windlass.apps.volcano.controllers.job.tasks import tasks_of
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.meta import ObjectMeta


def made(world: JobWorld, name: str = "demo-worker-0") -> dict[str, Any]:
    """A pod as it is sent."""
    world.settle()
    world.admit()
    world.settle()
    return world.sent[name]


def test_a_pod_has_the_marks_of_its_job() -> None:
    world = JobWorld(
        task("worker", 4, partitionPolicy={"totalPartitions": 2, "partitionSize": 2}, topologyPolicy="best-effort"),
        queue="gpus",
        metadata={
            "annotations": {"volcano.sh/preemptable": "true", "note": "x"},
            "labels": {"volcano.sh/preemptable": "true", "team": "a"},
        },
    )
    pod = made(world, "demo-worker-3")

    assert pod["metadata"]["labels"] == {
        "volcano.sh/preemptable": "true",
        "volcano.sh/job-name": "demo",
        "volcano.sh/job-namespace": "team-a",
        "volcano.sh/task-spec": "worker",
        "volcano.sh/task-index": "3",
        "volcano.sh/queue-name": "gpus",
        "volcano.sh/partition-id": "1",
    }
    assert pod["metadata"]["annotations"] == {
        "volcano.sh/preemptable": "true",
        "volcano.sh/task-index": "3",
        "volcano.sh/task-spec": "worker",
        "scheduling.k8s.io/group-name": GROUP,
        "volcano.sh/job-name": "demo",
        "volcano.sh/queue-name": "gpus",
        "volcano.sh/job-version": "0",
        "volcano.sh/job-retry-count": "0",
        "volcano.sh/template-uid": "demo-worker",
        "volcano.sh/numa-topology-policy": "best-effort",
    }
    assert pod["spec"]["schedulerName"] == "volcano"


def test_a_templates_own_labels_and_scheduler_stay() -> None:
    one = task("worker")
    one["template"]["metadata"] = {"labels": {"app": "x"}, "annotations": {"why": "y"}}
    one["template"]["spec"]["schedulerName"] = "other"
    pod = made(JobWorld(one, schedulerName="third"))

    assert pod["metadata"]["labels"]["app"] == "x"
    assert pod["metadata"]["annotations"]["why"] == "y"
    assert pod["spec"]["schedulerName"] == "other"


def test_the_scheduler_of_the_job_is_that_of_its_pods() -> None:
    assert made(JobWorld(task("worker"), schedulerName="third"))["spec"]["schedulerName"] == "third"


def test_a_task_without_a_name_is_called_by_its_place() -> None:
    nameless = task("x")
    del nameless["name"]

    assert "demo-default1-0" in _pods(JobWorld(task("worker"), nameless))


def _pods(world: JobWorld) -> list[str]:
    world.settle()
    world.admit()
    world.settle()
    return [*world.pods]


def test_making_a_pod_does_not_change_the_job() -> None:
    world = JobWorld(task("worker"), plugins={"env": [], "svc": []})
    before = msgspec.to_builtins(world.job)
    pod(world.job, tasks_of(world.job)[0], 0)

    assert msgspec.to_builtins(world.job) == before


# --- the group


def group_of(*tasks: dict[str, Any], **spec: Any) -> dict[str, Any]:
    world = JobWorld(*tasks, **spec)
    world.settle()
    assert world.group is not None
    return world.group


def test_the_group_has_the_jobs_minima_labels_and_annotations() -> None:
    group = group_of(
        task("ps"),
        task("worker", 3, minAvailable=2),
        minAvailable=3,
        queue="gpus",
        priorityClassName="high",
        networkTopology={"mode": "soft", "highestTierAllowed": 2},
        metadata={"labels": {"team": "a"}, "annotations": {"note": "x"}},
    )

    assert group["metadata"]["name"] == GROUP
    assert group["metadata"]["labels"] == {"team": "a"}
    assert group["metadata"]["annotations"] == {"note": "x", "volcano.sh/job-version": "0"}
    assert group["spec"] == {
        "minMember": 3,
        "minTaskMember": {"ps": 1, "worker": 2},
        "queue": "gpus",
        "priorityClassName": "high",
        "networkTopology": {"mode": "soft", "highestTierAllowed": 2},
        "minResources": {"count/pods": "3", "pods": "3"},
    }


def test_partitions_are_subgroups() -> None:
    policy = {
        "totalPartitions": 2,
        "partitionSize": 2,
        "minPartitions": 1,
        "networkTopology": {"highestTierAllowed": 1},
    }
    (subgroup,) = group_of(task("worker", 4, partitionPolicy=policy))["spec"]["subGroupPolicy"]

    assert subgroup == {
        "name": "worker",
        "subGroupSize": 2,
        "minSubGroups": 1,
        "networkTopology": {"highestTierAllowed": 1},
        "labelSelector": {"matchLabels": {"volcano.sh/task-spec": "worker"}},
        "matchLabelKeys": ["volcano.sh/partition-id"],
    }


def asking(name: str, replicas: int, resources: dict[str, Any], priority: str = "", **more: Any) -> dict[str, Any]:
    made = task(name, replicas, **more)
    made["template"]["spec"]["containers"][0]["resources"] = resources
    made["template"]["spec"] |= {"priorityClassName": priority} if priority else {}
    return made


def resources(minimum: int, *tasks: dict[str, Any], **priorities: int) -> dict[str, str]:
    job = msgspec.convert({"metadata": {"name": "demo"}, "spec": {"tasks": list(tasks)}}, Job)
    return min_resources(tasks_of(job), minimum, priorities)


def test_what_the_first_pods_ask_for_is_counted_as_quotas_count() -> None:
    cpu = {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "1"}}

    assert resources(2, asking("worker", 3, cpu)) == {
        "count/pods": "2",
        "pods": "2",
        "cpu": "1",
        "requests.cpu": "1",
        "memory": "2Gi",
        "requests.memory": "2Gi",
        "limits.cpu": "2",
    }


def test_a_limit_without_a_request_is_a_request_and_devices_have_both_names() -> None:
    found = resources(4, asking("ps", 2, {}), asking("worker", 4, {"limits": {"nvidia.com/gpu": 1}}, minAvailable=2))

    assert found["nvidia.com/gpu"] == found["requests.nvidia.com/gpu"] == "2"


@pytest.mark.parametrize(
    ("minimum", "cpu"),
    [
        (1, "4"),  # the most important task first
        (2, "5"),  # then the minimum of the other
        (3, "9"),  # then more of the most important
        (5, "17"),
        (9, "18"),  # there are no more
    ],
)
def test_minima_of_tasks_come_first_by_priority_and_then_the_rest(minimum: int, cpu: str) -> None:
    low = asking("low", 2, {"requests": {"cpu": "1"}}, "low", minAvailable=1)
    high = asking("high", 4, {"requests": {"cpu": "4"}}, "high", minAvailable=1)

    assert resources(minimum, low, high, low=1, high=10)["cpu"] == cpu


def test_priority_classes_of_the_cluster_count() -> None:
    world = JobWorld(
        asking("low", 1, {"requests": {"cpu": "1"}}, "low"),
        asking("high", 1, {"requests": {"cpu": "4"}}, "high"),
        minAvailable=1,
    )
    world.put(PriorityClass(metadata=ObjectMeta(name="high"), value=1000))
    world.settle()

    assert world.group is not None
    assert world.group["spec"]["minResources"]["cpu"] == "4"


# --- volumes


def test_a_claim_is_made_once_owned_named_in_the_job_and_mounted_everywhere() -> None:
    one = task("worker")
    one["template"]["spec"]["initContainers"] = [{"name": "first"}]
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    volumes = [
        {"mountPath": "/out", "volumeClaim": claim},
        {"mountPath": "/data", "volumeClaimName": "given"},
        {"mountPath": "/more", "volumeClaimName": "given"},
    ]
    world = JobWorld(one, volumes=volumes)
    pod = made(world)
    name = world.there.spec.volumes[0].volume_claim_name

    assert name.startswith("demo-pvc-")
    assert len(name) == len("demo-pvc-") + 12
    assert world.kinds == [f"PersistentVolumeClaim/{name}", f"PodGroup/{GROUP}"]
    assert world.objects["PersistentVolumeClaim", name].metadata.controller.uid == "job-uid"
    assert world.status.controlled_resources == {f"volume-pvc-{name}": name}
    assert pod["spec"]["volumes"] == [
        {"name": name, "persistentVolumeClaim": {"claimName": name}},
        {"name": "given", "persistentVolumeClaim": {"claimName": "given"}},
    ]
    assert pod["spec"]["containers"][0]["volumeMounts"] == [
        {"name": name, "mountPath": "/out"},
        {"name": "given", "mountPath": "/data"},
        {"name": "given", "mountPath": "/more"},
    ]
    assert "volumeMounts" not in pod["spec"]["initContainers"][0]


def test_claims_outlive_a_restart_and_the_end() -> None:
    claim = {"accessModes": ["ReadWriteOnce"]}
    world = JobWorld(task("worker"), volumes=[{"mountPath": "/out", "volumeClaim": claim}]).started()
    world.command("TerminateJob")
    world.settle()

    assert [kind.split("/")[0] for kind in world.kinds] == ["PersistentVolumeClaim"]
    assert len(world.status.controlled_resources) == 1
