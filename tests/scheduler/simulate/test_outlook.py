"""What becomes of everything that waits."""

from dataclasses import replace
from typing import Any

from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.kube.kind import KINDS
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.simulate.baselines import present
from windlass.scheduler.simulate.outlook import outlook

NOW = 1_767_261_600.0  # 2026-01-01T10:00:00Z
AT = "2026-01-01T10:00:00Z"
Json = dict[str, Any]


def a_node(cpu: str) -> Json:
    offered = {"cpu": cpu, "memory": "64Gi", "pods": "110"}
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "metadata": {"name": "n"},
        "spec": {},
        "status": {"allocatable": offered, "capacity": offered, "conditions": ready},
    }


def a_gang(name: str) -> Json:
    metadata = {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": AT}
    return {"metadata": metadata, "spec": {"minMember": 1, "queue": "default"}, "status": {"phase": "Inqueue"}}


def a_pod(gang: str, cpu: str, *, node: str = "", deadline: int | None = None) -> Json:
    spec: Json = {
        "schedulerName": "volcano",
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}],
        "activeDeadlineSeconds": deadline,
    }
    marks = {"scheduling.k8s.io/group-name": gang}
    metadata = {
        "name": f"{gang}-0",
        "namespace": "ml",
        "uid": f"{gang}-0",
        "annotations": marks,
        "creationTimestamp": AT,
    }
    status: Json = {"phase": "Running", "startTime": AT} if node else {"phase": "Pending"}
    return {
        "metadata": metadata,
        "spec": {**{k: v for k, v in spec.items() if v is not None}, "nodeName": node},
        "status": status,
    }


def observed(*pods: Json, cpu: str = "2") -> Observed:
    names = [pod["metadata"]["name"].removesuffix("-0") for pod in pods]
    queue = {"metadata": {"name": "default"}, "spec": {"weight": 1}, "status": {"state": "Open"}}
    namespace = {"metadata": {"name": "ml"}}
    groups = [(KINDS.of(PodGroup), a_gang(name)) for name in names]
    return Observed(nodes=[a_node(cpu)], pods=pods, groups=groups, queues=[queue], namespaces=[namespace])


def test_a_gang_starts_when_what_it_waits_for_ends() -> None:
    found = outlook(
        observed(a_pod("first", "2", node="n", deadline=600), a_pod("second", "2")), present(windlass()), NOW
    )

    assert found.starts == {"ml/second": 600.0}
    assert [(stay.gang, stay.start - NOW) for stay in found.stays] == [("ml/first", 0.0), ("ml/second", 600.0)]
    assert found.stays[0].end == NOW + 600
    assert found.is_complete


def test_a_gang_that_no_node_has_room_for_never_starts() -> None:
    found = outlook(observed(a_pod("huge", "64")), present(windlass()), NOW)

    assert found.starts == {"ml/huge": None}
    assert found.stays == []


def test_what_ends_after_the_time_of_interest_is_left_out() -> None:
    cluster = observed(a_pod("first", "2", node="n", deadline=600), a_pod("second", "2"))

    found = outlook(cluster, present(windlass()), NOW, until=NOW + 60)

    assert found.starts == {"ml/second": None}
    assert not found.is_complete


def test_a_pod_without_a_gang_waits_too() -> None:
    alone = a_pod("alone", "2")
    alone["metadata"]["annotations"] = {}
    alone["spec"]["schedulerName"] = "default-scheduler"
    cluster = observed(a_pod("first", "2", node="n", deadline=600))
    found = outlook(replace(cluster, pods=[*cluster.pods, alone]), present(windlass()), NOW)

    assert found.starts == {"ml/alone-0": 600.0}
    assert "1 pod without a gang is taken to wait in queue default" in map(str, found.assumptions)


def test_a_pod_that_is_gated_does_not_wait_for_room() -> None:
    gated = a_pod("gated", "2")
    gated["metadata"]["annotations"] = {}
    gated["spec"] |= {"schedulerName": "default-scheduler", "schedulingGates": [{"name": "later"}]}
    found = outlook(replace(observed(), pods=[gated]), present(windlass()), NOW)

    assert found.starts == {}
