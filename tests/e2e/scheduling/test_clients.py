"""Programs: the official `kubernetes` client with Volcano's kinds, unmodified."""

from collections.abc import Iterator
from typing import Any

import kubernetes.client
import kubernetes.watch
import pytest
from kubernetes import config
from kubernetes.client.exceptions import ApiException

from tests.e2e.scheduling.cluster import GPU, Cluster, gang, members
from tests.e2e.volcano.shell import queue, task, vcjob

client: Any = kubernetes.client  # its types say of every field that it may be None
watch: Any = kubernetes.watch
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(240)]

GROUPS = ("scheduling.volcano.sh", "v1beta1")
JOBS = ("batch.volcano.sh", "v1alpha1")


@pytest.fixture
def custom(kubectl: Cluster) -> Iterator[Any]:
    made = config.new_client_from_config(str(kubectl.server.kubeconfig))
    yield client.CustomObjectsApi(made)
    made.close()


def test_a_program_makes_a_queue_and_a_gang_in_it_and_watches_it_start(kubectl: Cluster, custom: Any) -> None:
    kubectl.add_node("two", gpus=2)
    kubectl.queues.append("by-program")
    custom.create_cluster_custom_object(*GROUPS, "queues", queue("by-program", weight=2))
    kubectl.until("queues/by-program", lambda found: found.get("status", {}).get("state") == "Open")
    asked = gang("pair", 2, queue="by-program", minResources={GPU: "2"})
    made = custom.create_namespaced_custom_object(*GROUPS, kubectl.namespace, "podgroups", asked)
    for pod in members("pair", 2):
        client.CoreV1Api(custom.api_client).create_namespaced_pod(kubectl.namespace, pod)

    seen = watch.Watch().stream(
        custom.list_namespaced_custom_object,
        *GROUPS,
        kubectl.namespace,
        "podgroups",
        resource_version=made["metadata"]["resourceVersion"],
        timeout_seconds=60,
    )
    phases = [event["object"].get("status", {}).get("phase") for event in until_running(seen)]

    assert phases[-1] == "Running"
    kubectl.all_or_none(2, "pair")
    custom.patch_namespaced_custom_object(*GROUPS, kubectl.namespace, "podgroups", "pair", {"spec": {"minMember": 1}})
    found = custom.get_namespaced_custom_object(*GROUPS, kubectl.namespace, "podgroups", "pair")
    assert (found["spec"]["minMember"], found["spec"]["queue"]) == (1, "by-program")
    assert "by-program" in [
        one["metadata"]["name"] for one in custom.list_cluster_custom_object(*GROUPS, "queues")["items"]
    ]


def until_running(events: Iterator[Any]) -> Iterator[Any]:
    for event in events:
        yield event
        if event["object"].get("status", {}).get("phase") == "Running":
            return


def test_a_program_runs_a_volcano_job_and_is_told_what_is_wrong_with_another(kubectl: Cluster, custom: Any) -> None:
    kubectl.add_node("one")
    container = {"name": "main", "image": "busybox", "command": ["true"]}
    job = vcjob("by-program", task("t", container, replicas=2))
    custom.create_namespaced_custom_object(*JOBS, kubectl.namespace, "jobs", job)

    kubectl.all_or_none(2, "by-program-t-")
    kubectl.nodes_run_their_pods()
    kubectl.phase_of("by-program", "Running")
    status = custom.get_namespaced_custom_object_status(*JOBS, kubectl.namespace, "jobs", "by-program")["status"]
    assert (status["minAvailable"], status["running"]) == (2, 2)

    wrong = vcjob("wrong", task("t", container, replicas=1), minAvailable=5)
    with pytest.raises(ApiException) as refused:
        custom.create_namespaced_custom_object(*JOBS, kubectl.namespace, "jobs", wrong)
    assert refused.value.status == 400
    assert 'admission webhook \\"validatejob.volcano.sh\\" denied the request' in str(refused.value.body)
    custom.delete_namespaced_custom_object(*JOBS, kubectl.namespace, "jobs", "by-program")
