"""Gangs of jobs whose runtime has a podGroupPolicy."""

from typing import Any

import pytest

from tests.apps.trainer.controllers.builders import a_container, a_job, a_replicated_job, a_runtime, spec_of
from windlass.apps.trainer.blueprint import Blueprint, pod_metadata, pod_spec
from windlass.apps.trainer.building import CannotBuild, blueprint
from windlass.apps.trainer.gang import Gangs, join
from windlass.kube.json import Object

VOLCANO: Object = {"podGroupPolicy": {"volcano": {}}}
QUEUE = "scheduling.volcano.sh/queue-name"


def planned(runtime: Object, **spec: Any) -> Blueprint:
    return blueprint(a_job(**spec), spec_of(runtime))


def the_group(plan: Blueprint) -> Object:
    group = join(plan)
    assert group is not None
    return group


def test_without_a_policy_there_is_no_gang() -> None:
    plan = planned(a_runtime())

    assert join(plan) is None
    assert plan.trainer is not None
    assert pod_metadata(plan.trainer) == {}


def test_volcano_starts_all_pods_together() -> None:
    runtime = a_runtime(podGroupPolicy={"volcano": {"networkTopology": {"highestTierAllowed": 1}}})
    plan = planned(runtime, trainer={"numNodes": 3, "resourcesPerNode": {"requests": {"cpu": "500m"}}})
    group = the_group(plan)
    assert plan.trainer is not None

    assert (group["apiVersion"], group["kind"]) == ("scheduling.volcano.sh/v1beta1", "PodGroup")
    assert group["metadata"] == {"name": "mnist", "namespace": "team"}
    assert group["spec"] == {
        "minMember": 3,
        "minResources": {"cpu": "1500m"},
        "networkTopology": {"mode": "hard", "highestTierAllowed": 1},
    }
    assert pod_metadata(plan.trainer)["annotations"] == {"scheduling.k8s.io/group-name": "mnist"}
    assert pod_spec(plan.trainer)["schedulerName"] == "volcano"


def test_a_scheduler_that_the_runtime_names_stays() -> None:
    plan = planned(a_runtime("t", a_replicated_job(pod={"schedulerName": "mine"}), **VOLCANO))
    join(plan)

    assert plan.trainer is not None
    assert pod_spec(plan.trainer)["schedulerName"] == "mine"


def test_coscheduling_knows_the_pods_by_their_label() -> None:
    plan = planned(a_runtime(podGroupPolicy={"coscheduling": {}}), trainer={"numNodes": 2})
    group = the_group(plan)
    assert plan.trainer is not None

    assert group["apiVersion"] == "scheduling.x-k8s.io/v1alpha1"
    assert group["spec"] == {"minMember": 2, "scheduleTimeoutSeconds": 60}
    assert pod_metadata(plan.trainer)["labels"] == {"scheduling.x-k8s.io/pod-group": "mnist"}


@pytest.mark.parametrize("coscheduler", ["", "scheduler-plugins-scheduler"])
def test_coscheduled_pods_go_to_the_scheduler_that_is_known_for_it(coscheduler: str) -> None:
    plan = planned(a_runtime(podGroupPolicy={"coscheduling": {}}))
    join(plan, Gangs(coscheduler=coscheduler))

    assert plan.trainer is not None
    assert pod_spec(plan.trainer).get("schedulerName", "") == coscheduler


def test_a_cluster_without_such_pod_groups_cannot_run_the_job() -> None:
    with pytest.raises(CannotBuild, match=r"no PodGroups of scheduling.volcano.sh/v1beta1 on this cluster"):
        join(planned(a_runtime(**VOLCANO)), Gangs(served=frozenset()))


def test_the_queue_is_the_runtimes_unless_a_patch_or_the_job_names_another() -> None:
    runtime = a_runtime(**VOLCANO)
    runtime["spec"]["template"]["metadata"] = {"annotations": {QUEUE: "runtime"}}
    patch = {"template": {"metadata": {"annotations": {QUEUE: "patch"}}}}
    patches = [{"manager": "a.example.com/x", "trainingRuntimeSpec": patch}]
    own = {"annotations": {QUEUE: "job"}}

    assert the_group(planned(runtime))["spec"]["queue"] == "runtime"
    assert the_group(planned(runtime, runtimePatches=patches))["spec"]["queue"] == "patch"
    assert the_group(planned(runtime, runtimePatches=patches, metadata=own))["spec"]["queue"] == "job"


def test_the_priority_is_that_of_the_pods() -> None:
    runtime = a_runtime("t", a_replicated_job(pod={"priorityClassName": "high"}), **VOLCANO)

    assert the_group(planned(runtime))["spec"]["priorityClassName"] == "high"


def test_limits_count_where_no_request_is_said() -> None:
    resources = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}
    runtime = a_runtime("t", a_replicated_job(pod={"containers": [a_container(resources=resources)]}), **VOLCANO)

    assert the_group(planned(runtime))["spec"]["minResources"] == {"cpu": "1", "memory": "1Gi"}


def test_initializers_are_over_before_the_gang_starts_so_they_are_no_part_of_it() -> None:
    fetch = a_replicated_job("dataset-initializer", step="dataset-initializer")
    train = a_replicated_job(dependsOn=[{"name": "dataset-initializer", "status": "Complete"}])
    plan = planned(a_runtime("t", fetch, train, **VOLCANO), trainer={"numNodes": 2})
    group = the_group(plan)
    fetching = plan.step("dataset-initializer")
    assert fetching is not None

    assert group["spec"]["minMember"] == 2
    assert pod_metadata(fetching) == {}


def test_a_launcher_that_waits_for_its_nodes_does_not_hold_them_up_and_has_its_room() -> None:
    needs = {"requests": {"cpu": "1"}}
    nodes = a_replicated_job("node", step="", pod={"containers": [a_container(resources=needs)]})
    waits = [{"name": "node", "status": "Ready"}]
    launcher = a_replicated_job("launcher", dependsOn=waits, pod={"containers": [a_container(resources=needs)]})
    runtime = a_runtime("mpi", nodes, launcher, mlPolicy={"numNodes": 2, "mpi": {}}, **VOLCANO)
    group = the_group(planned(runtime))

    assert group["spec"] == {"minMember": 2, "minResources": {"cpu": "3"}}
