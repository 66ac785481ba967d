"""What is important makes room for itself, whatever ran and was deleted before: with kubectl and windlass."""

import uuid
from collections.abc import Iterator

import pytest

from tests.e2e.node.pods import Object, container
from tests.e2e.scheduling.cluster import Cluster
from tests.e2e.volcano.shell import task, vcjob
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
ONE_CPU: Object = {"requests": {"cpu": "1"}}


@pytest.fixture
def classes(kubectl: Cluster) -> Iterator[tuple[str, str]]:
    """Two priority classes, of which the first is the lower."""
    mark = uuid.uuid4().hex[:6]
    names = f"low-{mark}", f"high-{mark}"
    for name, value in zip(names, (1, 1000), strict=True):
        body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        kubectl.server.create("/apis/scheduling.k8s.io/v1/priorityclasses", {**body, "value": value})
    yield names
    for name in names:
        kubectl.server.request("DELETE", f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}")


def a_job(name: str, pods: int, least: int, importance: str) -> Object:
    given = {"priorityClassName": importance} if importance else {}
    return vcjob(name, task("t", container(resources=ONE_CPU), replicas=pods), minAvailable=least, **given)


def terminating(kubectl: Cluster, name: str, number: int) -> list[str]:
    """Wait until as many pods of a job are being terminated; their names."""

    def found() -> list[str]:
        pods = [pod["metadata"] for pod in kubectl.pods() if pod["metadata"].get("deletionTimestamp")]
        names = [str(one["name"]) for one in pods if one["name"].startswith(name)]
        return names if len(names) == number else []

    return eventually(found, 60, f"{number} pods of {name} are terminating")


def agents_end(kubectl: Cluster, pods: list[str]) -> None:
    for name in pods:
        kubectl.server.request("DELETE", f"{kubectl.path(f'pods/{name}')}?gracePeriodSeconds=0")


def test_preemption_works_after_a_running_job_was_deleted(kubectl: Cluster, classes: tuple[str, str]) -> None:
    low, high = classes
    kubectl.add_node("two-cpus", cpu="2")
    kubectl.apply(a_job("first", 2, 2, ""))
    kubectl.all_or_none(2, "first")
    kubectl.nodes_run_their_pods()
    kubectl("delete vcjob first --wait=false")
    kubectl.until("podgroups", lambda found: not found["items"])
    agents_end(kubectl, terminating(kubectl, "first", 2))
    kubectl.apply(a_job("second", 2, 1, low))
    eventually(lambda: len(kubectl.bound("second")) == 2, 60, "both pods of the less important job have nodes")
    kubectl.nodes_run_their_pods()

    kubectl.apply(a_job("third", 1, 1, high))

    victims = terminating(kubectl, "second", 1)
    waits = eventually(
        lambda: [pod["metadata"]["name"] for pod in kubectl.pods() if pod["metadata"]["name"].startswith("third")],
        60,
        "the important job has its pod",
    )
    told = kubectl.unschedulable(waits[0], "(preempted for it)")["message"]
    assert told.endswith(f"; terminating there: {kubectl.namespace}/{victims[0]} (preempted for it)")
    explained = kubectl.prints("explain", "pod", waits[0], "-n", kubectl.namespace)
    assert f"terminating there: {kubectl.namespace}/{victims[0]}" in explained
    assert "Earliest start: now" not in explained
    agents_end(kubectl, victims)
    eventually(lambda: kubectl.bound("third"), 60, "the important job has its node")
