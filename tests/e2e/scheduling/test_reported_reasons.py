"""Why a job does not start is on the job itself: a refused child, and a gang that waits."""

from typing import Any

import pytest

from tests.e2e.node.pods import Object
from tests.e2e.scheduling.cluster import GPU, Cluster
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

TFJOBS, TRAINJOBS = "kubeflow.org/v1", "trainer.kubeflow.org/v1alpha1"
NO_QUEUE = 'unable to find queue: queue.scheduling.volcano.sh "gold" not found'


def a_tfjob(name: str, asked: dict[str, str] | None = None, **policy: Any) -> Object:
    container: Object = {"name": "tensorflow", "image": "busybox", "resources": {"limits": asked or {}}}
    worker = {"replicas": 2, "template": {"spec": {"containers": [container]}}}
    spec: Object = {"runPolicy": {"schedulingPolicy": policy}, "tfReplicaSpecs": {"Worker": worker}}
    return {"apiVersion": TFJOBS, "kind": "TFJob", "metadata": {"name": name}, "spec": spec}


def job(kubectl: Cluster, group: str, plural: str, name: str) -> Object:
    return kubectl.server.get(f"/apis/{group}/namespaces/{kubectl.namespace}/{plural}/{name}")


def message(kubectl: Cluster, name: str) -> str:
    """What the TFJob's condition says."""
    conditions = job(kubectl, TFJOBS, "tfjobs", name).get("status", {}).get("conditions", [])
    return next((one["message"] for one in conditions if one["type"] == "Created"), "")


def attempts(kubectl: Cluster, name: str, reason: str) -> int:
    """How often a refusal was reported: events are counted."""
    listed = kubectl.server.get(kubectl.path(f"events?fieldSelector=involvedObject.name={name},reason={reason}"))
    return sum(each.get("count", 1) for each in listed["items"])


def logged(kubectl: Cluster, text: str) -> int:
    """How many lines of the manager's log hold a text."""
    log = kubectl.server.data_dir.parent / f"{kubectl.server.data_dir.name}-manager.log"
    return sum(text in line for line in log.read_text().splitlines())


def test_a_job_whose_queue_does_not_exist_says_so_and_starts_when_it_does(kubectl_with_gangs: Cluster) -> None:
    kubectl = kubectl_with_gangs
    kubectl.apply(a_tfjob("lost", queue="gold"))

    eventually(lambda: attempts(kubectl, "lost", "FailedCreatePodGroup") >= 8, 60, "the group is tried again")
    told = message(kubectl, "lost")
    assert told.startswith('TFJob lost is created. Error creating PodGroup "lost": ')
    assert told.endswith(NO_QUEUE)
    described = kubectl("describe tfjob lost")
    assert described.count(NO_QUEUE) >= 2, f"a condition and an event\n{described}"
    assert "FailedCreatePodGroup" in described
    assert logged(kubectl, f"key={kubectl.namespace}/lost ") == 1

    kubectl.add_queue("gold")
    kubectl.phase_of_group("lost", "Inqueue")
    eventually(lambda: message(kubectl, "lost") == "TFJob lost is created.", 60, "nothing is refused any more")


def test_a_gang_that_does_not_fit_says_so_on_the_job_until_it_starts(kubectl_with_gangs: Cluster) -> None:
    kubectl = kubectl_with_gangs
    kubectl.add_node("one-gpu", gpus=1)
    kubectl.apply(a_tfjob("wide", {GPU: "1"}))

    reason = eventually(lambda: GPU in message(kubectl, "wide") and message(kubectl, "wide"), 60, "why it waits")
    assert reason.startswith("TFJob wide is created. PodGroup wide waits: ")
    sentence = reason.removeprefix("TFJob wide is created. ")
    assert kubectl.warned("wide", "tfjob-controller", "PodGroupPending") == sentence
    assert sentence in kubectl("describe tfjob wide")

    kubectl.add_node("another-gpu", gpus=1)
    kubectl.all_or_none(2)
    eventually(lambda: message(kubectl, "wide") == "TFJob wide is created.", 60, "it waits no more")


def test_a_train_job_whose_job_set_is_refused_says_so_and_is_logged_once(kubectl: Cluster) -> None:
    name = "a-name-of-more-letters-than-the-pods-of-a-job-set-can-have"
    kubectl.apply(
        {
            "apiVersion": TRAINJOBS,
            "kind": "TrainJob",
            "metadata": {"name": name},
            "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2}},
        }
    )

    reason = "TrainJobResourcesCreationFailed"
    eventually(lambda: attempts(kubectl, name, reason) >= 8, 60, "the set is tried again")
    [condition] = job(kubectl, TRAINJOBS, "trainjobs", name)["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Created", "False", reason)
    assert "JobSet name is too long" in condition["message"]
    assert logged(kubectl, f"key={kubectl.namespace}/{name} ") == 1
    assert logged(kubectl, "JobSet name is too long") == 1, "in one line"
