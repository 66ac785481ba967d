from typing import Any

import msgspec
import pytest

from tests.controllers.core.volume_builders import a_claim, a_user, a_volume, promised_to
from tests.kube.live import managed, until
from windlass.apis.core_v1 import (
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeStatus,
    Pod,
    ServiceAccount,
)
from windlass.apis.storage_v1 import CSIDriver, StorageClass
from windlass.controllers.core import persistent_volumes, volume_claims
from windlass.controllers.core.persistent_volumes import protect_claim, reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.objects import AnyObject
from windlass.kube.testing import patched

CLAIM, VOLUME = KINDS.of(PersistentVolumeClaim), KINDS.of(PersistentVolume)
PROVISIONED: dict[str, Any] = {"annotations": {"pv.kubernetes.io/provisioned-by": "windlass.dev/local-path"}}


@pytest.mark.parametrize(
    ("volume", "claims", "phase"),
    [
        ({}, [], "Available"),
        ({"claimRef": {"namespace": "n", "name": "c"}}, [], "Available"),
        ({"claimRef": promised_to()}, [a_claim(volume_name="v")], "Bound"),
        ({"claimRef": promised_to()}, [], "Released"),
        ({"claimRef": promised_to(uid="older")}, [a_claim(volume_name="v")], "Released"),
        ({"claimRef": promised_to(), "persistentVolumeReclaimPolicy": "Recycle"}, [], "Failed"),
        ({"claimRef": promised_to(), "persistentVolumeReclaimPolicy": "Delete"}, [], "Failed"),
        (
            {"claimRef": promised_to(), "persistentVolumeReclaimPolicy": "Delete", "metadata": PROVISIONED},
            [],
            "Released",
        ),
    ],
)
def test_a_volumes_phase(volume: Any, claims: list[AnyObject], phase: str) -> None:
    obj = a_volume(phase="Pending", **volume)
    status = reconcile(obj, Observed.just(obj, *claims, of=obj)).status
    assert isinstance(status, PersistentVolumeStatus)
    assert (status.phase, status.last_phase_transition_time) == (phase, "2026-01-01T00:00:00Z")
    assert bool(status.message) == (phase == "Failed")


def test_a_change_of_phase_leaves_the_reason_that_another_wrote() -> None:
    written = PersistentVolumeStatus(phase="Failed", message="once", reason="Told")
    obj = msgspec.structs.replace(a_volume(), status=written)
    status = reconcile(obj, Observed.just(obj, of=obj)).status
    assert isinstance(status, PersistentVolumeStatus)
    assert (status.phase, status.message, status.reason) == ("Available", "", "Told")


@pytest.mark.parametrize(
    ("annotations", "patch"),
    [
        ({}, {"spec": {"claimRef": {"uid": None, "resourceVersion": None}}}),
        (
            {volume_claims.BY_CONTROLLER: "yes"},
            {"spec": {"claimRef": None}, "metadata": {"annotations": {volume_claims.BY_CONTROLLER: None}}},
        ),
    ],
)
def test_a_volume_whose_claim_took_another_is_free_again(annotations: Any, patch: Any) -> None:
    volume = a_volume(claimRef=promised_to(), metadata={"annotations": annotations})
    plan = reconcile(volume, Observed.just(volume, a_claim(volume_name="other"), of=volume))
    assert patched(plan)[0][1] == patch


@pytest.mark.parametrize(
    ("going", "finalizers", "pods", "kept"),
    [
        (False, [], [], ["kubernetes.io/pvc-protection"]),
        (True, ["x", "kubernetes.io/pvc-protection"], [], ["x"]),
        (True, ["kubernetes.io/pvc-protection"], [a_user()], []),
        (True, ["kubernetes.io/pvc-protection"], [a_user(node="a")], None),
        (False, ["kubernetes.io/pvc-protection"], [], None),
    ],
)
def test_a_claim_stays_while_a_scheduled_pod_uses_it(going: bool, finalizers: Any, pods: Any, kept: Any) -> None:
    gone = "2026-01-01T00:00:00Z" if going else None
    claim = a_claim(metadata={"finalizers": finalizers, "deletion_timestamp": gone})
    plan = protect_claim(claim, Observed.just(claim, *pods, of=claim))
    assert [patch["metadata"]["finalizers"] for _, patch in patched(plan)] == ([] if kept is None else [kept])


ALL = (
    volume_claims.CONTROLLER,
    persistent_volumes.CONTROLLER,
    persistent_volumes.RECLAIM,
    persistent_volumes.VOLUME_PROTECTION,
    persistent_volumes.CLAIM_PROTECTION_CONTROLLER,
    persistent_volumes.FURNISHING,
)


async def test_the_life_of_a_claim_of_the_default_class(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    await client.create(Node(metadata=ObjectMeta(name=room, labels={"kubernetes.io/hostname": room})))

    async def claim() -> PersistentVolumeClaim:
        return await client.get(PersistentVolumeClaim, "c", room)

    async def has(count: str) -> bool:
        found = (await claim()).status
        return found.phase == "Bound" and found.capacity.get("storage") == count

    async with managed(client, *ALL):

        async def furnished() -> bool:
            names = {found.metadata.name for found in (await client.list(StorageClass)).items}
            return {"local-path", "windlass-shared"} <= names

        await until(furnished)
        assert (await client.get(CSIDriver, "local-path.windlass.dev")).spec["attachRequired"] is False
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        meta = {"name": "c", "namespace": room}
        made = await client.create(
            {"apiVersion": CLAIM.api_version, "kind": CLAIM.name, "metadata": meta, "spec": spec}
        )
        assert made["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
        assert made["spec"]["storageClassName"] == "local-path"
        pod: Any = {
            "containers": [{"name": "c", "image": "i"}],
            "nodeName": room,
            "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "c"}}],
        }
        pod_meta = {"name": "p", "namespace": room}
        await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": pod_meta, "spec": pod})
        await until(lambda: has("1Gi"))

        volume = f"pvc-{made['metadata']['uid']}"

        async def phase(expected: str) -> bool:
            return (await client.get(PersistentVolume, volume)).status.phase == expected

        await until(lambda: phase("Bound"))
        await client.delete(CLAIM, Key(room, "c"))
        assert (await claim()).metadata.deletion_timestamp
        await client.delete(KINDS.of(Pod), Key(room, "p"), grace_seconds=0)

        async def only_the_folder_is_left() -> bool:
            try:
                await claim()
                return False
            except NotFound:
                pass
            found = (await client.get(PersistentVolume, volume)).metadata
            return bool(found.deletion_timestamp) and found.finalizers == ["local-path.windlass.dev/folder"]

        await until(only_the_folder_is_left)
        await client.patch(VOLUME, Key("", volume), {"metadata": {"finalizers": []}})
        with pytest.raises(NotFound):
            await client.get(PersistentVolume, volume)


async def test_a_claim_grows_only_where_its_class_lets_it(client: Client, room: str) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "none"}
    meta = {"name": "c", "namespace": room}
    await client.create({"apiVersion": "v1", "kind": CLAIM.name, "metadata": meta, "spec": spec})
    await client.set_status(CLAIM, Key(room, "c"), {"phase": "Bound", "capacity": {"storage": "1Gi"}})
    with pytest.raises(Forbidden, match="must support resize"):
        await client.patch(CLAIM, Key(room, "c"), {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
