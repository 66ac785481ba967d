"""Snapshots and copies of volumes on a real API server, with the controllers and the node's part of the work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.kube.live import managed, until
from windlass.apis.core_v1 import Node, PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_volumes import Source
from windlass.apis.snapshot_storage_v1 import VolumeSnapshot, VolumeSnapshotContent
from windlass.controllers.core import persistent_volumes, volume_claims, volume_snapshots
from windlass.kube.client import Client
from windlass.kube.errors import NotFound
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, ObjectMeta
from windlass.node.volumes.persistent import PersistentFolders, source_of
from windlass.node.volumes.snapshots import SnapshotFolders

CLAIM, SNAPSHOT = KINDS.of(PersistentVolumeClaim), KINDS.of(VolumeSnapshot)
CONTENT, VOLUME = KINDS.of(VolumeSnapshotContent), KINDS.of(PersistentVolume)
CONTROLLERS = (
    volume_claims.CONTROLLER,
    volume_snapshots.CONTROLLER,
    persistent_volumes.CONTROLLER,
    persistent_volumes.RECLAIM,
    persistent_volumes.VOLUME_PROTECTION,
    persistent_volumes.CLAIM_PROTECTION_CONTROLLER,
    persistent_volumes.FURNISHING,
)


@asynccontextmanager
async def node(client: Client, data: Path) -> AsyncIterator[None]:
    volumes = PersistentFolders(client, data)
    tasks = [asyncio.create_task(each.run()) for each in (volumes, SnapshotFolders(client, data, volumes))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def claim(client: Client, room: str, name: str, **spec: Object) -> str:
    """Create a claim of the shared class; returns the folder of its volume."""
    wish: Object = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    wish["storageClassName"] = "windlass-shared"
    meta = {"name": name, "namespace": room}
    await client.create(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": {**wish, **spec}}
    )

    async def bound() -> bool:
        return (await client.get(PersistentVolumeClaim, name, room)).status.phase == "Bound"

    await until(bound)
    bound_to = (await client.get(PersistentVolumeClaim, name, room)).spec.volume_name
    return str((await client.get(PersistentVolume, bound_to)).spec["csi"]["volumeHandle"])


async def gone(client: Client, room: str, name: str) -> bool:
    try:
        await client.get(VolumeSnapshot, name, room)
    except NotFound:
        return True
    return False


async def test_a_snapshot_is_taken_restored_cloned_and_removed(client: Client, room: str, tmp_path: Path) -> None:
    await client.create(Node(metadata=ObjectMeta(name=room, labels={"kubernetes.io/hostname": room})))
    volumes, snapshots = tmp_path / "volumes", tmp_path / "snapshots"
    async with managed(client, *CONTROLLERS), node(client, tmp_path):
        volume = await claim(client, room, "old")
        (volumes / volume).mkdir(parents=True)
        (volumes / volume / "file").write_text("before")
        source = {"persistentVolumeClaimName": "old"}
        meta = {"name": "s", "namespace": room}
        await client.create(
            {
                "apiVersion": SNAPSHOT.api_version,
                "kind": SNAPSHOT.name,
                "metadata": meta,
                "spec": {"source": source, "volumeSnapshotClassName": "windlass-shared"},
            }
        )

        async def ready() -> bool:
            return bool((await client.get(VolumeSnapshot, "s", room)).status.ready_to_use)

        await until(ready)
        status = (await client.get(VolumeSnapshot, "s", room)).status
        assert status.restore_size == "1Gi"
        (volumes / volume / "file").write_text("after")

        restore: Object = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
        restored = await claim(client, room, "restored", dataSource=restore)
        cloned = await claim(client, room, "cloned", dataSource={"kind": "PersistentVolumeClaim", "name": "old"})
        for name, text in ((restored, "before"), (cloned, "after")):
            await until(lambda name=name: _is_there(volumes / name / "file"))
            assert (volumes / name / "file").read_text() == text

        for name, copied in (("restored", restored), ("cloned", cloned)):
            await client.delete(CLAIM, Key(room, name))
            await until(lambda copied=copied: _is_gone(volumes / copied))
        await client.delete(SNAPSHOT, Key(room, "s"))
        await until(lambda: gone(client, room, "s"))
        assert list(snapshots.iterdir()) == []
        with pytest.raises(NotFound):
            await client.get(CONTENT, status.bound_volume_snapshot_content_name or "")


async def _is_gone(path: Path) -> bool:
    return not await _is_there(path)


async def _is_there(path: Path) -> bool:
    return await asyncio.to_thread(path.exists)


async def test_content_of_a_snapshot_that_does_not_exist_has_an_error(
    client: Client, room: str, tmp_path: Path
) -> None:
    ref = {"namespace": room, "name": "s"}
    spec = {"deletionPolicy": "Delete", "driver": "shared.windlass.dev", "volumeSnapshotRef": ref}
    await client.create(
        {
            "apiVersion": CONTENT.api_version,
            "kind": CONTENT.name,
            "metadata": {"name": room},
            "spec": {**spec, "source": {"snapshotHandle": "nothing"}},
        }
    )

    async def failed() -> bool:
        error = (await client.get(VolumeSnapshotContent, room)).status.error
        return error is not None and error.message == 'the snapshot "nothing" does not exist'

    async with node(client, tmp_path):
        await until(failed)
    await client.delete(CONTENT, Key("", room))


@pytest.mark.parametrize(
    ("driver", "attribute", "source"),
    [
        ("shared.windlass.dev", "volumes/a", Source("volumes", "a")),
        ("shared.windlass.dev", "snapshots/b", Source("snapshots", "b")),
        ("shared.windlass.dev", "etc/c", None),
        ("example.com", "volumes/a", None),
    ],
)
def test_only_volumes_of_our_drivers_have_a_source(driver: str, attribute: str, source: Source | None) -> None:
    csi = {"driver": driver, "volumeAttributes": {"windlass.dev/source": attribute}}

    assert source_of({"spec": {"csi": csi}}) == source
