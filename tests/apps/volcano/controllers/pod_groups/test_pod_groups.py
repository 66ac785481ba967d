from typing import Any

import pytest

from tests.deploy.permitted import Permitted
from tests.kube.live import managed, until
from windlass.apis.apps_v1 import ReplicaSet
from windlass.apis.core_v1 import (
    ConfigMap,
    Container,
    Event,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    ServiceAccount,
)
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, Queue
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, QUEUE_NAME_ANNOTATION
from windlass.apps.volcano.app import APP as VOLCANO
from windlass.apps.volcano.controllers.names import GROUP_MIN_MEMBER, POD, POD_GROUP, QUEUE
from windlass.apps.volcano.controllers.pod_groups import pod_group_service
from windlass.apps.volcano.controllers.pod_groups.lone_pods import bad_min_member, group_for, needs_group
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta, OwnerReference

REPLICA_SET = KINDS.of(ReplicaSet)
OWNER = OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="web", uid="rs-uid", controller=True)
CONTAINER = Container(name="c", image="i", resources=ResourceRequirements(requests={"cpu": "250m", "memory": "1Gi"}))


def a_pod(scheduler: str = "volcano", phase: str = "Pending", **metadata: Any) -> Pod:
    spec = PodSpec(containers=[CONTAINER], scheduler_name=scheduler, priority_class_name="high")
    return Pod(
        metadata=ObjectMeta(name="p", namespace="n", uid="pod-uid", **metadata),
        spec=spec,
        status=PodStatus(phase=phase),
    )


@pytest.mark.parametrize(
    ("pod", "needs"),
    [
        (a_pod(), True),
        (a_pod(phase="Running"), True),
        (a_pod("default-scheduler"), False),
        (a_pod("kube-batch"), False),
        (a_pod(annotations={POD_GROUP_NAME_ANNOTATION: "g"}), False),
        (a_pod(phase="Succeeded"), False),
        (a_pod(deletion_timestamp="2026-01-01T00:00:00Z"), False),
    ],
)
def test_only_pods_of_volcano_that_wait_or_run_without_a_group_get_one(pod: Pod, needs: bool) -> None:
    assert needs_group(pod) == needs


def test_a_pod_of_its_own_has_a_group_of_its_own() -> None:
    group = group_for(
        a_pod(annotations={QUEUE_NAME_ANNOTATION: "fast", "volcano.sh/preemptable": "true", "other": "x"}), {}
    )

    assert group["metadata"]["name"] == "podgroup-pod-uid"
    assert group["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "p",
            "uid": "pod-uid",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert group["metadata"]["annotations"] == {"volcano.sh/preemptable": "true"}
    assert group["spec"] == {
        "minMember": 1,
        "minResources": {
            "count/pods": "1", "pods": "1", "cpu": "250m", "requests.cpu": "250m", "memory": "1Gi",
            "requests.memory": "1Gi",
        },
        "queue": "fast",
        "priorityClassName": "high",
    }  # fmt: skip


def test_pods_of_one_owner_share_a_group_that_is_as_large_as_the_owner_says() -> None:
    annotations = {GROUP_MIN_MEMBER: "3", "volcano.sh/revocable-zone": "*", "deployment.kubernetes.io/revision": "1"}

    group = group_for(a_pod(owner_references=[OWNER]), annotations)

    assert group["metadata"]["name"] == "podgroup-rs-uid"
    assert group["metadata"]["ownerReferences"][0]["name"] == "web"
    assert group["metadata"]["annotations"] == {"volcano.sh/revocable-zone": "*"}
    assert group["spec"]["minMember"] == 3
    assert group["spec"]["minResources"]["cpu"] == "750m"
    assert "queue" not in group["spec"]


@pytest.mark.parametrize("told", ["-1", "two", "1.5", "99999999999"])
def test_a_minimum_that_is_no_number_of_pods_is_named_and_counts_as_one(told: str) -> None:
    annotations = {GROUP_MIN_MEMBER: told}

    assert group_for(a_pod(), annotations)["spec"]["minMember"] == 1
    assert GROUP_MIN_MEMBER in bad_min_member(annotations)
    assert told in bad_min_member(annotations)


def test_a_minimum_that_is_one_is_not_complained_of() -> None:
    assert bad_min_member({}) == bad_min_member({GROUP_MIN_MEMBER: "4"}) == ""


async def test_an_owner_that_the_manager_may_not_read_is_named_by_an_event(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    owner = await client.create(ConfigMap(metadata=ObjectMeta(name="owner", namespace=room)))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner.metadata.uid,
        "controller": True,
    }
    containers: Any = [{"name": "c", "image": "i"}]
    metadata = {"name": "p", "namespace": room, "ownerReferences": [reference]}
    spec = {"containers": containers, "schedulerName": "volcano"}
    await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, kind=POD)
    permitted = Client(Permitted(client._transport, VOLCANO))
    async with managed(permitted, pod_group_service.CONTROLLER):

        async def reported() -> list[str]:
            found = [
                event for event in (await client.list(Event, room)).items if event.reason == "PodGroupOwnerNotRead"
            ]
            return [event.message for event in found]

        [message] = await until(reported)
        [group] = (await client.list(PodGroup, room)).items

    assert message == f"{GROUP_MIN_MEMBER}: the manager may not get configmaps in the API group ''"
    assert group.spec.min_member == 1


async def test_a_replica_sets_pods_get_one_group_that_goes_when_it_is_scaled_to_nothing(
    client: Client, room: str
) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    labels = {"app": "web"}
    containers: Any = [{"name": "c", "image": "i"}]
    made = await client.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "web", "namespace": room, "annotations": {GROUP_MIN_MEMBER: "2"}},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            },
        },
        kind=REPLICA_SET,
    )
    uid = made["metadata"]["uid"]
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": uid, "controller": True}
    for name in ("web-1", "web-2"):
        metadata = {"name": name, "namespace": room, "labels": labels, "ownerReferences": [reference]}
        spec = {"containers": containers, "schedulerName": "volcano"}
        await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, kind=POD)
    async with managed(client, pod_group_service.CONTROLLER):

        async def joined() -> bool:
            pods = (await client.list(Pod, room)).items
            return [pod.metadata.annotations.get(POD_GROUP_NAME_ANNOTATION) for pod in pods] == [f"podgroup-{uid}"] * 2

        await until(joined)
        [group] = (await client.list(PodGroup, room)).items
        assert (group.metadata.name, group.spec.min_member) == (f"podgroup-{uid}", 2)
        await client.patch(REPLICA_SET, Key(room, "web"), {"metadata": {"annotations": {GROUP_MIN_MEMBER: "3"}}})

        async def grown() -> bool:
            return (await client.get(PodGroup, group.metadata.name, room)).spec.min_member == 3

        await until(grown)
        await client.patch(REPLICA_SET, Key(room, "web"), {"spec": {"replicas": 0}})

        async def gone() -> bool:
            try:
                await client.get(POD_GROUP, group.metadata.name, room)
            except NotFound:
                return True
            return False

        await until(gone)


async def test_a_pod_whose_queue_is_not_there_is_told_why_and_helped_when_it_is(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    metadata = {"name": "p", "namespace": room, "annotations": {QUEUE_NAME_ANNOTATION: f"late-{room}"}}
    spec: Any = {"containers": [{"name": "c", "image": "i"}], "schedulerName": "volcano"}
    await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, kind=POD)
    async with managed(client, pod_group_service.CONTROLLER):

        async def told() -> bool:
            events = (await client.list(Event, room)).items
            return any(one.reason == "PodGroupError" and f"late-{room}" in one.message for one in events)

        await until(told)
        await client.create(Queue(metadata=ObjectMeta(name=f"late-{room}")))
        await client.set_status(QUEUE, Key("", f"late-{room}"), {"state": "Open"})

        async def helped() -> bool:
            return POD_GROUP_NAME_ANNOTATION in (await client.get(Pod, "p", room)).metadata.annotations

        await until(helped)
    [group] = (await client.list(PodGroup, room)).items
    assert group.spec.queue == f"late-{room}"
