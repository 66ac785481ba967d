"""Gangs on a real node: all of a group's pods run, or none does."""

from typing import Any

import pytest

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import Object, container, pod
from tests.e2e.training.jobs import JobShell
from tests.support import eventually
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.quantity import Quantity
from windlass.scheduler.model.pod_groups import BY_SCHEDULER, COSCHEDULING, GROUP_LABEL, VOLCANO

pytestmark = pytest.mark.kubectl
SHARES = 6


def share(platform: Platform) -> Object:
    """Requests of which the node's cpu holds six; less than that, should somebody else's pods still be ending."""
    node = platform.get("/api/v1/nodes")["items"][0]
    return {"requests": {"cpu": f"{Quantity.parse(node['status']['allocatable']['cpu']).milli() // SHARES}m"}}


def member(name: str, scheduler: str, resources: Object) -> Object:
    made = pod(name, container(resources=resources), schedulerName=scheduler)
    if BY_SCHEDULER[scheduler] == (COSCHEDULING,):
        made["metadata"]["labels"][GROUP_LABEL] = "gang"
    else:
        made["metadata"]["annotations"] = {POD_GROUP_NAME_ANNOTATION: "gang"}
    return made


def group(scheduler: str, **spec: Any) -> Object:
    kind = BY_SCHEDULER[scheduler][0]
    return {"apiVersion": kind.api_version, "kind": "PodGroup", "metadata": {"name": "gang"}, "spec": spec}


def group_status(kubectl: JobShell, scheduler: str) -> Object:
    path = BY_SCHEDULER[scheduler][0].path(kubectl.namespace, "gang")
    found = kubectl.server.request("GET", path)
    return found.json().get("status") or {} if found.status == 200 else {}


@pytest.mark.parametrize("scheduler", ["volcano", "kube-batch", "scheduler-plugins"])
def test_with_room_for_five_of_six_pods_none_runs_and_when_there_is_more_all_do(
    platform: Platform, kubectl: JobShell, scheduler: str
) -> None:
    each = share(platform)
    kubectl.apply(pod("blocker", container(resources=each)))
    kubectl.ready("blocker")
    kubectl.apply(group(scheduler, minMember=SHARES))
    kubectl.apply(*(member(f"worker-{number}", scheduler, each) for number in range(SHARES)))
    names = [f"worker-{number}" for number in range(SHARES)]

    for name in names:
        told = kubectl.until(f"pods/{name}", lambda now: now["status"].get("conditions"))
        assert not told["spec"].get("nodeName")
        assert told["status"]["conditions"][0]["reason"] == "Unschedulable"
    if scheduler != "scheduler-plugins":
        words = "6/6 tasks in gang unschedulable: "
        eventually(lambda: words in str(group_status(kubectl, scheduler)), 60, "the group says so")

    kubectl("delete pod blocker")
    for name in names:
        kubectl.ready(name)

    def runs() -> bool:
        status = group_status(kubectl, scheduler)
        return (status.get("phase"), status.get("running")) == ("Running", SHARES)

    eventually(runs, 60, "the group runs")


def test_a_volcano_group_without_room_is_pending_and_kubectl_shows_it(platform: Platform, kubectl: JobShell) -> None:
    each = share(platform)
    blockers = ("one", "two")  # a fifth more than there is may be admitted
    kubectl.apply(*(pod(name, container(resources=each)) for name in blockers))
    for name in blockers:
        kubectl.ready(name)
    asked = f"{int(str(each['requests']['cpu']).rstrip('m')) * SHARES}m"

    kubectl.apply(group("volcano", minMember=SHARES, minResources={"cpu": asked}))

    eventually(lambda: "NotEnqueueable" in str(group_status(kubectl, "volcano")), 60, "the group is told why it waits")
    assert kubectl.rows("get podgroup gang")[0] == ["NAME", "STATUS", "MINMEMBER", "RUNNINGS", "AGE"]
    assert kubectl.rows("get podgroup gang")[1][:3] == ["gang", "Pending", str(SHARES)]

    kubectl(f"delete pod {' '.join(blockers)}")
    path = VOLCANO.path(kubectl.namespace, "gang")
    eventually(lambda: platform.get(path)["status"]["phase"] == "Inqueue", 60, "the group is let in")
