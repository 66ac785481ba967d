from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.controllers.core.workload_builders import APP, NOW, a_pod, a_replica_set, a_template
from tests.kube.live import managed, until
from tests.support import eventually, running
from windlass.apis.apps_v1 import ReplicaSet, ReplicaSetSpec, WorkloadCondition
from windlass.apis.core_v1 import (
    Event,
    Pod,
    ReplicationController,
    ReplicationControllerSpec,
    ResourceQuota,
    ResourceQuotaSpec,
)
from windlass.controllers.core import replica_sets, service_accounts
from windlass.controllers.core.pod_deletion_order import DELETION_COST, first_to_go
from windlass.controllers.core.replica_sets import event_for, reconcile_replica_set, reconcile_replication_controller
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, LabelSelector, ObjectMeta
from windlass.kube.plan import Outcome, Plan
from windlass.kube.testing import adopted, created, deleted, patched

SET, POD, RC = KINDS.of(ReplicaSet), KINDS.of(Pod), KINDS.of(ReplicationController)
MINUTE = timedelta(minutes=1)
PODS = "/api/v1/namespaces/default/pods"


def observe(replica_set: ReplicaSet, *others: Any) -> Plan:
    return reconcile_replica_set(replica_set, Observed.just(replica_set, *others, of=replica_set, now=NOW))


def names(pods: Any) -> list[str]:
    return [pod["metadata"]["name"] if isinstance(pod, dict) else pod.metadata.name for pod in pods]


def test_missing_pods_are_made_of_the_template() -> None:
    one = a_replica_set(3)
    plan = observe(one, a_pod("there", one))

    assert len(created(plan)) == 2
    made: Any = created(plan)[0]
    assert made["metadata"]["labels"] == APP
    assert made["metadata"]["generateName"] == "web-"
    assert made["metadata"]["name"].startswith("web-")
    assert len(made["metadata"]["name"]) == len("web-") + 5
    assert made["spec"] == a_template()["spec"]


def test_names_are_the_same_until_the_replica_set_changes() -> None:
    first = names(created(observe(a_replica_set(3))))
    assert names(created(observe(a_replica_set(3)))) == first
    assert not set(names(created(observe(a_replica_set(3, resource_version="2"))))) & set(first)


def test_a_manager_that_died_half_way_goes_on_with_the_names_that_are_left() -> None:
    one = a_replica_set(3)
    planned = names(created(observe(one)))
    assert names(created(observe(one, a_pod(planned[1], one)))) == [planned[0], planned[2]]


def test_a_long_name_leaves_room_for_the_suffix() -> None:
    assert len(names(created(observe(a_replica_set(1, name="x" * 80))))[0]) == 63


def test_at_most_five_hundred_are_made_at_once() -> None:
    assert len(created(observe(a_replica_set(800)))) == 500


def test_pods_that_ended_or_are_going_are_replaced_and_counted_apart() -> None:
    one = a_replica_set(3)
    going = a_pod("going", one, ready=MINUTE, deletion_timestamp="2026-01-01T00:00:00Z")
    plan = observe(one, a_pod("failed", one, phase="Failed"), going, a_pod("ok", one, ready=MINUTE))

    assert len(created(plan)) == 2
    status: Any = plan.status
    assert (status.replicas, status.ready_replicas, status.terminating_replicas) == (1, 1, 1)


def test_status_counts_ready_available_and_fully_labelled_pods() -> None:
    template = {"metadata": {"labels": {**APP, "extra": "1"}}}
    selector = LabelSelector(match_labels=APP)
    spec = ReplicaSetSpec(replicas=4, min_ready_seconds=60, selector=selector, template=template)
    one = ReplicaSet(metadata=a_replica_set().metadata, spec=spec)
    long = a_pod("long", one, ready=2 * MINUTE, labels={**APP, "extra": "1"})
    plan = observe(one, long, a_pod("soon", one, ready=timedelta(seconds=40)), a_pod("later", one, ready=timedelta(0)))

    status: Any = plan.status
    counts = (status.replicas, status.fully_labeled_replicas, status.ready_replicas, status.available_replicas)
    assert counts == (3, 1, 3, 1)
    assert plan.again_in == timedelta(seconds=20)


def test_orphans_that_match_are_adopted_and_count() -> None:
    one = a_replica_set(2)
    plan = observe(
        one, a_pod("orphan"), a_pod("stranger", labels={"app": "other"}), a_pod("held", a_replica_set(name="x"))
    )

    assert names(adopted(plan)) == ["orphan"]
    assert len(created(plan)) == 1


def test_a_pod_that_is_selected_no_more_is_let_go_and_replaced() -> None:
    one = a_replica_set(1)
    plan = observe(one, a_pod("stray", one, labels={"app": "debugged"}))

    assert [(names([pod]), patch) for pod, patch in patched(plan)] == [
        (["stray"], {"metadata": {"ownerReferences": None}})
    ]
    assert len(created(plan)) == 1


def test_one_that_is_being_deleted_does_nothing_but_count() -> None:
    one = a_replica_set(3, deletion_timestamp="2026-01-01T00:00:00Z")
    plan = observe(one, a_pod("a", one), a_pod("orphan"))

    assert [*created(plan), *deleted(plan), *adopted(plan), *patched(plan)] == []
    assert getattr(plan.status, "replicas", None) == 1


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        (a_pod("a", ready=MINUTE), a_pod("b", ready=MINUTE, node="n1")),
        (a_pod("a", node="n1"), a_pod("b", node="n1", phase="Unknown")),
        (a_pod("a", node="n1", phase="Running"), a_pod("b", node="n1", ready=MINUTE)),
        (
            a_pod("a", node="n1", ready=9 * MINUTE, annotations={DELETION_COST: "-5"}),
            a_pod("b", node="n1", ready=MINUTE, annotations={DELETION_COST: "bad"}),
        ),
        (a_pod("b", node="n1", ready=MINUTE), a_pod("a", node="n1", ready=90 * MINUTE)),
        (a_pod("b", created=MINUTE), a_pod("a", created=90 * MINUTE)),
        (a_pod("a", created=MINUTE), a_pod("b", created=MINUTE + timedelta(seconds=1))),
    ],
    ids=["unassigned", "pending", "not ready", "cheaper", "ready for less", "younger", "alike: by uid"],
)
def test_who_goes_first(goes: Pod, stays: Pod) -> None:
    for order in ([goes, stays], [stays, goes]):
        assert names(first_to_go(order, order, 1, NOW)) == names([goes])


def test_crowded_nodes_are_thinned_out_first() -> None:
    pods = [a_pod(name, node=node, ready=MINUTE) for name, node in (("a", "n1"), ("b", "n2"), ("c", "n2"))]
    assert names(first_to_go(pods, pods, 1, NOW)) == ["b"]


def test_a_refusal_is_told_once_and_forgotten_when_all_goes_well() -> None:
    plan = observe(a_replica_set(2))
    assert plan.status_if_refused is not None
    status: Any = plan.status_if_refused([Outcome("create", created(plan)[0], errors.Forbidden("exceeded quota: q"))])
    [failure] = status.conditions
    assert (failure.type, failure.status, failure.reason, failure.message) == (
        "ReplicaFailure",
        "True",
        "FailedCreate",
        "exceeded quota: q",
    )
    one = a_replica_set(0)
    failing = ReplicaSet(metadata=one.metadata, spec=one.spec, status=status)
    assert isinstance(failing.status.conditions[0], WorkloadCondition)
    assert getattr(observe(failing).status, "conditions", None) == []


def test_events_are_worded_as_kubernetes_does() -> None:
    one, pod, why = a_replica_set(), a_pod("p"), errors.Forbidden("no")
    told = [
        event_for(one, outcome)
        for outcome in (Outcome("create", pod), Outcome("delete", pod), Outcome("create", pod, why))
    ]
    assert [(note.reason, note.message, note.warning) for note in told if note] == [
        ("SuccessfulCreate", "Created pod: p", False),
        ("SuccessfulDelete", "Deleted pod: p", False),
        ("FailedCreate", "Error creating: no", True),
    ]


def test_a_replication_controller_is_the_same_with_a_plain_selector() -> None:
    spec = ReplicationControllerSpec(replicas=2, selector=APP, template=a_template())
    controller = ReplicationController(metadata=ObjectMeta(name="old", namespace="n", uid="rc"), spec=spec)
    plan = reconcile_replication_controller(controller, Observed.just(a_pod("a", controller), of=controller, now=NOW))

    assert len(created(plan)) == 1
    assert getattr(plan.status, "replicas", None) == 1


# --- live


def a_set(room: str, replicas: int, name: str = "web") -> dict[str, Any]:
    spec = {"replicas": replicas, "selector": {"matchLabels": APP}, "template": a_template()}
    metadata = {"name": name, "namespace": room}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


RUNNING = (replica_sets.REPLICA_SETS, replica_sets.REPLICATION_CONTROLLERS, service_accounts.CONTROLLER)


async def pods(client: Client, room: str) -> list[Pod]:
    return (await client.list(Pod, room)).items


async def test_pods_come_go_and_heal(client: Client, room: str) -> None:
    async with managed(client, *RUNNING):
        await client.create(a_set(room, 3))

        async def there_are(count: int) -> list[Pod]:
            found = await pods(client, room)
            status = (await client.get(ReplicaSet, "web", room)).status
            return found if len(found) == count == status.replicas else []

        first = await until(lambda: there_are(3))
        await client.delete(POD, first[0].metadata.key, grace_seconds=0)

        async def healed() -> bool:
            now = {pod.metadata.uid for pod in await there_are(3)}
            return bool(now) and first[0].metadata.uid not in now

        await until(healed)
        kept = first[1].metadata.key
        ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        await client.set_status(POD, kept, ready)
        await client.scale(SET, Key(room, "web"), 1)
        [left] = await until(lambda: there_are(1))
        assert left.metadata.key == kept


async def test_no_pod_is_made_twice_by_managers_that_die(client: Client, room: str) -> None:
    for replicas in (10, 25, 40):
        async with managed(client, *RUNNING):
            if replicas == 10:
                await client.create(a_set(room, replicas))
            else:
                await client.scale(SET, Key(room, "web"), replicas)
    async with managed(client, *RUNNING):

        async def counted() -> bool:
            return (await client.get(ReplicaSet, "web", room)).status.replicas == 40

        await until(counted)
    assert len(await pods(client, room)) == 40
    events = [e.message for e in (await client.list(Event, room)).items if e.reason == "SuccessfulDelete"]
    assert events == []


async def test_a_quota_stops_it_and_it_goes_on_when_there_is_room(client: Client, room: str) -> None:
    hard: Any = {"pods": "2"}
    quota = ResourceQuota(metadata=ObjectMeta(name="q", namespace=room), spec=ResourceQuotaSpec(hard=hard))
    await client.create(quota)
    async with managed(client, *RUNNING):
        await client.create(a_set(room, 100))

        async def failing() -> ReplicaSet | None:
            found = await client.get(ReplicaSet, "web", room)
            return found if found.status.conditions and found.status.replicas == 2 else None

        found = await until(failing)
        assert found is not None
        [condition] = found.status.conditions
        assert (condition.type, condition.reason) == ("ReplicaFailure", "FailedCreate")
        assert "exceeded quota: q" in condition.message

        async def warned() -> list[str]:
            events = (await client.list(Event, room)).items
            return [e.message for e in events if e.reason == "FailedCreate" and "quota" in e.message]

        assert (await until(warned))[0].startswith('Error creating: pods "web-')
        await client.scale(SET, Key(room, "web"), 2)

        async def well() -> bool:
            return (await client.get(ReplicaSet, "web", room)).status.conditions == []

        await until(well)
    assert len(await pods(client, room)) == 2


async def test_a_pod_is_let_go_by_its_label_and_taken_back_by_it(client: Client, room: str) -> None:
    async with managed(client, *RUNNING):
        await client.create(a_set(room, 1))
        [pod] = await until(lambda: pods(client, room))

        async def has_owner(wanted: bool) -> bool:
            found = await client.get(Pod, pod.metadata.name, room)
            return (found.metadata.controller is not None) is wanted

        await client.patch(POD, pod.metadata.key, {"metadata": {"labels": {"app": "none"}}})
        await until(lambda: has_owner(False))

        async def replaced() -> bool:
            return len(await pods(client, room)) == 2

        await until(replaced)
    # Both while no manager looks: one that saw only the first would make a pod, and then have one too many.
    await client.scale(SET, Key(room, "web"), 2)
    await client.patch(POD, pod.metadata.key, {"metadata": {"labels": APP}})
    async with managed(client, *RUNNING):
        await until(lambda: has_owner(True))


async def test_a_replication_controller_keeps_its_pods(client: Client, room: str) -> None:
    spec = {"replicas": 2, "template": a_template()}
    async with managed(client, *RUNNING):
        made = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "old", "namespace": room}}
        await client.create({**made, "spec": spec})

        async def counted() -> bool:
            return (await client.get(ReplicationController, "old", room)).status.replicas == 2

        await until(counted)
    assert {p.metadata.controller.kind for p in await pods(client, room) if p.metadata.controller} == {
        "ReplicationController"
    }


def test_a_manager_killed_again_and_again_makes_each_pod_once(tmp_path: Path) -> None:
    with running(tmp_path, manager=True) as windlass:
        path = "/apis/apps/v1/namespaces/default/replicasets"
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        eventually(lambda: windlass.request("GET", account).status == 200)
        windlass.create(path, a_set("default", 0))
        for replicas in (60, 120):
            before = len(windlass.get(PODS)["items"])
            windlass.patch(f"{path}/web/scale", {"spec": {"replicas": replicas}})
            eventually(lambda before=before: len(windlass.get(PODS)["items"]) > before)
            windlass.kill_manager()

        def counted() -> bool:
            return windlass.get(f"{path}/web")["status"]["replicas"] == 120

        eventually(counted, 180)
        uids = {pod["metadata"]["uid"] for pod in windlass.get(PODS)["items"]}
        assert len(uids) == 120
        events = windlass.get("/api/v1/namespaces/default/events")["items"]
        assert [event for event in events if event["reason"] == "SuccessfulDelete"] == []
