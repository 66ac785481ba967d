from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.controllers.core.stateful_builders import CLAIM, World, a_set, a_template
from tests.kube.live import managed, until
from windlass.apis.apps_v1 import ControllerRevision, StatefulSet, StatefulSetStatus
from windlass.apis.bounds import MAX_CREATED
from windlass.apis.core_v1 import Event, PersistentVolumeClaim, Pod, ServiceAccount
from windlass.controllers.core import stateful_sets
from windlass.controllers.core.revisions import template_of
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.plan import Outcome
from windlass.kube.testing import adopted, created, deleted

ROLLING = "RollingUpdate"


def rolling(**how: Any) -> dict[str, Any]:
    return {"type": ROLLING, "rollingUpdate": {"partition": 0, **how}}


def up(**spec: Any) -> World:
    """A set that has come to rest."""
    world = World(a_set(**spec))
    world.run()
    return world


def test_a_pod_has_the_name_labels_host_and_claims_of_its_number() -> None:
    world = World(a_set(1, volume_claim_templates=[CLAIM]))
    made: Any = next(child for child in created(world.plan()) if isinstance(child, dict) and child["kind"] == "Pod")
    revision = next(iter(created(world.step())))
    assert isinstance(revision, dict)
    assert made["metadata"] == {
        "name": "web-0",
        "generateName": "web-",
        "namespace": "n",
        "labels": {
            "app": "web",
            "statefulset.kubernetes.io/pod-name": "web-0",
            "apps.kubernetes.io/pod-index": "0",
            "controller-revision-hash": revision["metadata"]["name"],
        },
    }
    assert (made["spec"]["hostname"], made["spec"]["subdomain"]) == ("web-0", "web")
    assert made["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}]
    claim = world.claims["data-web-0"]
    assert (claim.metadata.labels, claim.spec.access_modes) == ({"app": "web"}, ["ReadWriteOnce"])
    assert claim.metadata.owner_references == []


def test_in_order_each_pod_waits_for_the_one_before() -> None:
    world = World(a_set(3))
    world.step()
    assert list(world.pods) == ["web-0"]
    world.step()
    assert list(world.pods) == ["web-0"]
    world.bring_up("web-0")
    world.step()
    assert list(world.pods) == ["web-0", "web-1"]


def test_in_parallel_nobody_waits() -> None:
    world = World(a_set(3, pod_management_policy="Parallel"))
    world.step()
    assert list(world.pods) == ["web-0", "web-1", "web-2"]


@pytest.mark.parametrize("policy", ["Parallel", "OrderedReady"])
def test_a_huge_set_is_filled_so_many_at_a_time(policy: str) -> None:
    world = World(a_set(2**31 - 1, pod_management_policy=policy, volume_claim_templates=[CLAIM]))

    world.step()

    assert len(world.pods) == (MAX_CREATED if policy == "Parallel" else 1)


def test_numbers_start_where_they_are_told_to() -> None:
    assert list(up(replicas=2, ordinals={"start": 5}).pods) == ["web-5", "web-6"]


def test_pods_must_have_been_ready_long_enough() -> None:
    world = World(a_set(2, min_ready_seconds=10))
    world.step()
    world.set_status("web-0", "Running", ready=True, since="2026-01-01T11:59:57Z")
    plan = world.step()
    assert list(world.pods) == ["web-0"]
    assert plan.again_in is not None
    assert plan.again_in.total_seconds() == 7
    assert isinstance(plan.status, StatefulSetStatus)
    assert (plan.status.ready_replicas, plan.status.available_replicas) == (1, 0)


def test_scaling_down_goes_from_the_highest_number_one_by_one() -> None:
    world = up(replicas=3)
    world.change(replicas=1)
    world.step()
    assert list(world.pods) == ["web-0", "web-1"]
    world.going("web-1")
    assert deleted(world.step()) == []
    del world.pods["web-1"]
    world.step()
    assert list(world.pods) == ["web-0"]


def test_scaling_down_waits_for_lower_pods_that_are_not_well_but_not_for_itself() -> None:
    world = up(replicas=3)
    world.change(replicas=1)
    world.set_status("web-2", "Running", ready=False)
    world.step()
    assert list(world.pods) == ["web-0", "web-1"]
    world.set_status("web-0", "Running", ready=False)
    assert deleted(world.step()) == []


@pytest.mark.parametrize(
    ("phase", "reason", "message"),
    [
        ("Failed", "RecreatingFailedPod", "StatefulSet n/web is recreating failed Pod web-1"),
        ("Succeeded", "RecreatingTerminatedPod", "StatefulSet n/web is recreating terminated Pod web-1"),
    ],
)
def test_a_pod_that_ended_is_replaced(phase: str, reason: str, message: str) -> None:
    world = up(replicas=2)
    world.set_status("web-1", phase)
    plan = world.step()
    assert [(note.reason, note.message, note.warning) for note in plan.events] == [(reason, message, phase == "Failed")]
    assert list(world.pods) == ["web-0"]
    world.run()
    assert list(world.pods) == ["web-0", "web-1"]


def test_a_lost_pod_comes_back_and_finds_its_claim() -> None:
    world = up(replicas=2, volume_claim_templates=[CLAIM])
    claim = world.claims["data-web-0"]
    del world.pods["web-0"]
    world.run()
    assert list(sorted(world.pods)) == ["web-0", "web-1"]
    assert world.claims["data-web-0"] == claim


def test_a_claim_that_is_missing_is_made_again_for_a_pod_that_waits() -> None:
    world = World(a_set(1, volume_claim_templates=[CLAIM]))
    world.step()
    world.claims.clear()
    world.step()
    assert list(world.claims) == ["data-web-0"]


def test_rolling_goes_from_the_highest_down_and_waits_for_each() -> None:
    world = up(replicas=3)
    world.change(template=a_template("nginx:2"))
    world.step()
    assert list(world.pods) == ["web-0", "web-1"]
    world.step()
    assert world.images() == {"web-0": "nginx:1", "web-1": "nginx:1", "web-2": "nginx:2"}
    assert deleted(world.step()) == []
    world.bring_up("web-2")
    world.step()
    assert list(world.pods) == ["web-0", "web-2"]
    assert world.stateful.status.current_revision != world.stateful.status.update_revision
    world.run()
    assert set(world.images().values()) == {"nginx:2"}
    status = world.stateful.status
    assert status.current_revision == status.update_revision
    assert (status.current_replicas, status.updated_replicas) == (3, 3)


def test_below_the_partition_pods_stay_old_even_when_lost() -> None:
    world = up(replicas=3, update_strategy=rolling(partition=2))
    world.change(template=a_template("nginx:2"))
    world.run()
    del world.pods["web-0"]
    world.run()
    assert world.images() == {"web-0": "nginx:1", "web-1": "nginx:1", "web-2": "nginx:2"}
    status = world.stateful.status
    assert (status.current_replicas, status.updated_replicas) == (2, 1)


@pytest.mark.parametrize(("given_as", "removed"), [(2, 2), ("50%", 2), ("10%", 1), (None, 1)])
def test_as_many_are_rolled_at_once_as_may_be_missing(given_as: Any, removed: int) -> None:
    how = rolling(maxUnavailable=given_as) if given_as is not None else rolling()
    world = up(replicas=4, pod_management_policy="Parallel", update_strategy=how)
    world.change(template=a_template("nginx:2"))
    assert len(deleted(world.step())) == removed
    world.run()
    assert set(world.images().values()) == {"nginx:2"}


def test_on_delete_only_pods_that_someone_deletes_are_new() -> None:
    world = up(replicas=2, update_strategy={"type": "OnDelete"})
    world.change(template=a_template("nginx:2"))
    world.run()
    assert set(world.images().values()) == {"nginx:1"}
    del world.pods["web-0"]
    world.run()
    assert world.images() == {"web-0": "nginx:2", "web-1": "nginx:1"}


def test_each_template_has_one_revision_and_an_old_one_gets_its_own_back() -> None:
    world = up(replicas=1)
    for image in ("nginx:2", "nginx:1"):
        world.change(template=a_template(image))
        world.run()
    known = sorted(world.revisions.values(), key=lambda revision: revision.revision)
    images = [template_of(revision)["spec"]["containers"][0]["image"] for revision in known]
    assert list(zip((revision.revision for revision in known), images, strict=True)) == [(2, "nginx:2"), (3, "nginx:1")]
    for revision in known:
        short = revision.metadata.labels["controller.kubernetes.io/hash"]
        assert revision.metadata.name == f"web-{short}"
        assert revision.data["spec"]["template"]["$patch"] == "replace"


def test_old_revisions_go_beyond_the_limit() -> None:
    world = up(replicas=1, revision_history_limit=1)
    for number in range(2, 6):
        world.change(template=a_template(f"nginx:{number}"))
        world.run()
    world.run()
    assert sorted(revision.revision for revision in world.revisions.values()) == [4, 5]


@pytest.mark.parametrize(
    ("deleted", "scaled", "kept", "condemned"),
    [
        ("Retain", "Retain", [], []),
        ("Delete", "Retain", ["StatefulSet"], ["StatefulSet"]),
        ("Retain", "Delete", [], ["Pod"]),
        ("Delete", "Delete", ["StatefulSet"], ["Pod"]),
    ],
)
def test_claims_belong_to_whom_the_policy_says(
    deleted: str, scaled: str, kept: list[str], condemned: list[str]
) -> None:
    policy = {"whenDeleted": deleted, "whenScaled": scaled}
    world = up(replicas=2, volume_claim_templates=[CLAIM], persistent_volume_claim_retention_policy=policy)
    world.change(replicas=1)
    world.step()
    owners = {name: [owner.kind for owner in claim.metadata.owner_references] for name, claim in world.claims.items()}
    assert owners == {"data-web-0": kept, "data-web-1": condemned}


def test_a_pod_waits_until_the_claim_of_the_one_scaled_away_is_gone() -> None:
    policy = {"whenDeleted": "Retain", "whenScaled": "Delete"}
    world = up(replicas=2, volume_claim_templates=[CLAIM], persistent_volume_claim_retention_policy=policy)
    world.change(replicas=1)
    world.step()
    world.change(replicas=2)
    world.step()
    assert list(world.pods) == ["web-0"]
    del world.claims["data-web-1"]
    world.step()
    assert list(world.pods) == ["web-0", "web-1"]


def test_a_change_of_policy_reaches_claims_that_are_there() -> None:
    world = up(replicas=1, volume_claim_templates=[CLAIM])
    world.change(persistent_volume_claim_retention_policy={"whenDeleted": "Delete", "whenScaled": "Retain"})
    world.step()
    assert [owner.kind for owner in world.claims["data-web-0"].metadata.owner_references] == ["StatefulSet"]
    world.change(persistent_volume_claim_retention_policy={"whenDeleted": "Retain", "whenScaled": "Retain"})
    world.step()
    assert world.claims["data-web-0"].metadata.owner_references == []


def test_orphans_of_its_name_are_adopted_and_labelled() -> None:
    world = up(replicas=1)
    pod = world.pods["web-0"]
    bare = msgspec.structs.replace(pod.metadata, owner_references=[], labels={"app": "web"})
    world.pods["web-0"] = msgspec.structs.replace(pod, metadata=bare)
    stranger = Pod(metadata=ObjectMeta(name="web-x", namespace="n", uid="x", labels={"app": "web"}))
    world.pods["web-x"] = stranger
    assert [orphan.metadata.name for orphan in adopted(world.plan()) if isinstance(orphan, Pod)] == ["web-0"]


def test_a_set_that_is_being_deleted_does_nothing() -> None:
    world = World(a_set(2))
    metadata = msgspec.structs.replace(world.stateful.metadata, deletion_timestamp="2026-01-01T11:00:00Z")
    world.world.put(msgspec.structs.replace(world.stateful, metadata=metadata))
    world.revisions.clear()
    plan = world.plan()
    assert [child for child in created(plan) if isinstance(child, dict) and child["kind"] == "Pod"] == []


@pytest.mark.parametrize(
    ("outcome", "reason", "message"),
    [
        (
            Outcome("create", {"kind": "Pod", "metadata": {"name": "web-0"}}),
            "SuccessfulCreate",
            "create Pod web-0 in StatefulSet web successful",
        ),
        (
            Outcome("create", {"kind": "Pod", "metadata": {"name": "web-0"}}, Forbidden("no more")),
            "FailedCreate",
            "create Pod web-0 in StatefulSet web failed error: no more",
        ),
        (
            Outcome("delete", Pod(metadata=ObjectMeta(name="web-2"))),
            "SuccessfulDelete",
            "delete Pod web-2 in StatefulSet web successful",
        ),
        (
            Outcome("create", {"kind": "PersistentVolumeClaim", "metadata": {"name": "data-web-1"}}),
            "SuccessfulCreate",
            "create Claim data-web-1 Pod web-1 in StatefulSet web success",
        ),
    ],
)
def test_what_was_done_is_told_in_kubernetes_words(outcome: Outcome, reason: str, message: str) -> None:
    note = stateful_sets.event_for(a_set(), outcome)
    assert note is not None
    assert (note.reason, note.message, note.warning) == (reason, message, outcome.error is not None)


Act = tuple[str, int]
ACTS = st.lists(st.tuples(st.sampled_from(("scale", "image", "kill", "break", "fail")), st.integers(0, 4)), max_size=12)


@given(ACTS, st.sampled_from(("OrderedReady", "Parallel")))
def test_whatever_happens_it_comes_to_rest_as_the_set_says(acts: list[Act], policy: str) -> None:
    world = World(a_set(2, pod_management_policy=policy, volume_claim_templates=[CLAIM]))
    for act, number in acts:
        name = f"web-{number}"
        if act == "scale":
            world.change(replicas=number)
        elif act == "image":
            world.change(template=a_template(f"nginx:{number}"))
        elif name in world.pods:
            if act == "kill":
                del world.pods[name]
            else:
                world.set_status(name, "Running" if act == "break" else "Failed")
        world.step()
    world.run()
    spec = world.stateful.spec
    image = spec.template["spec"]["containers"][0]["image"]
    assert world.images() == {f"web-{number}": image for number in range(spec.replicas or 0)}


async def test_a_set_is_filled_and_rolled_on_the_server(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    claim = {**CLAIM, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}}
    wanted = a_set(2, volume_claim_templates=[claim])
    kind, pod = KINDS.of(StatefulSet), KINDS.of(Pod)
    async with managed(client, stateful_sets.CONTROLLER):
        await client.create(msgspec.structs.replace(wanted, metadata=ObjectMeta(name="web", namespace=room)))

        async def come_up() -> bool:
            for one in (await client.list(Pod, room)).items:
                if one.status.phase == "Pending":
                    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
                    await client.set_status(pod, one.metadata.key, status)
            return True

        async def settled(image: str) -> bool:
            await come_up()
            images = [one.spec.containers[0].image for one in (await client.list(Pod, room)).items]
            status = (await client.get(StatefulSet, "web", room)).status
            return images == [image] * 2 and status.ready_replicas == 2 and status.updated_replicas == 2

        await until(lambda: settled("nginx:1"))
        await client.patch(kind, Key(room, "web"), {"spec": {"template": a_template("nginx:2")}})

        async def gone_ones_are_gone() -> bool:
            for one in (await client.list(Pod, room)).items:
                if one.metadata.deletion_timestamp is not None:
                    await client.delete(pod, one.metadata.key, grace_seconds=0)
            return await settled("nginx:2")

        await until(gone_ones_are_gone)
        claims = (await client.list(PersistentVolumeClaim, room)).items
        assert [one.metadata.name for one in claims] == ["data-web-0", "data-web-1"]
        assert len((await client.list(ControllerRevision, room)).items) == 2

        async def told() -> bool:
            messages = {event.message for event in (await client.list(Event, room)).items}
            return "delete Pod web-1 in StatefulSet web successful" in messages

        await until(told)
