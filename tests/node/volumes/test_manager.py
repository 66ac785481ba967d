"""Volumes on real files, of pods and objects of a real server."""

import asyncio
import os
import shutil
import socket
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.kube.live import until
from tests.node.volumes.mount_program import MountProgram
from windlass.apis.local_volumes import FOLDER_FINALIZER
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.node.ids import FIRST_HOST_ID
from windlass.node.sources import Sources
from windlass.node.volumes import BadMount, NotReady, Volumes
from windlass.node.volumes.base import NotInImage
from windlass.node.volumes.mounts import warnings
from windlass.node.volumes.persistent import PersistentFolders
from windlass.node.volumes.usage import over_limit

ROOT = os.geteuid() == 0


@pytest.fixture
def volumes(client: Client, tmp_path: Path) -> Volumes:
    (tmp_path / "shm").mkdir()
    return Volumes(tmp_path / "data", Sources(client, "laptop"), shared_memory=tmp_path / "shm")


def a_pod(room: str, *sources: Object, mounts: Object | None = None, **spec: Any) -> Object:
    listed = [{"name": f"v{index}", **source} for index, source in enumerate(sources)]
    seen = [{"name": volume["name"], "mountPath": f"/m/{volume['name']}", **(mounts or {})} for volume in listed]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": room, "uid": "uid-1", "labels": {"a": "1"}},
        "spec": {"containers": [{"name": "c", "image": "x", "volumeMounts": seen}], "volumes": listed, **spec},
    }


async def make(client: Client, kind: str, room: str, name: str, **fields: Any) -> Object:
    metadata: Object = {"name": name, **({"namespace": room} if room else {}), **fields.pop("metadata", {})}
    return await client.create({"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields})


async def folder_of(volumes: Volumes, pod: Object) -> Path:
    return Path((await volumes.prepare(pod))["v0"].path)


async def failure(volumes: Volumes, pod: Object) -> str:
    with pytest.raises(NotReady) as raised:
        await volumes.prepare(pod)
    return str(raised.value)


async def test_config_maps_and_secrets_are_files(client: Client, room: str, volumes: Volumes) -> None:
    await make(client, "ConfigMap", room, "m", data={"a": "1", "b": "2"}, binaryData={"c": "AAE="})
    await make(client, "Secret", room, "s", stringData={"k": "hush"})
    pod = a_pod(
        room,
        {"configMap": {"name": "m", "items": [{"key": "a", "path": "x/y", "mode": 0o400}]}},
        {"configMap": {"name": "m"}},
        {"secret": {"secretName": "s", "defaultMode": 0o440}},
    )
    prepared = await volumes.prepare(pod)
    one, two, three = (Path(prepared[name].path) for name in ("v0", "v1", "v2"))
    assert (one / "x" / "y").read_text() == "1"
    assert stat.S_IMODE((one / "x" / "y").stat().st_mode) == 0o400
    assert (two / "c").read_bytes() == b"\x00\x01"
    assert (three / "k").read_text() == "hush"
    assert three.is_relative_to(volumes.folders.memory or "")
    assert all(volume.read_only for volume in prepared.values())
    assert (one / "x" / "y").stat().st_uid == (FIRST_HOST_ID if ROOT else os.geteuid())
    await volumes.remove("uid-1")
    assert not one.exists()
    assert not three.exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"configMap": {"name": "y"}}, 'configmap "y" not found'),
        ({"secret": {"secretName": "y"}}, 'secret "y" not found'),
        ({"projected": {"sources": [{"configMap": {"name": "y"}}, {"secret": {"name": "z"}}]}},
         '[configmap "y" not found, secret "z" not found]'),
        ({"projected": {"sources": [{"clusterTrustBundle": {"path": "x"}}]}},
         "clusterTrustBundle sources are not supported by this node"),
        ({"image": {"reference": "a:1"}}, 'image "a:1" has not been pulled'),
        ({"nfs": {"server": "-o", "path": "/"}}, "nfs.server: '-o' is not the name or address of a server"),
        ({"iscsi": {"targetPortal": "a"}}, "iscsi volumes are not supported by this node"),
        ({"csi": {"driver": "x"}}, "csi volumes are not supported by this node"),
        ({"emptyDir": {"medium": "HugePages"}},
         'emptyDir volumes of medium "HugePages" are not supported by this node'),
        ({"hostPath": {"path": "/etc/passwd", "type": "Directory"}},
         "hostPath type check failed: /etc/passwd is not a directory"),
        ({"hostPath": {"path": "/nowhere", "type": "Socket"}},
         "hostPath type check failed: /nowhere is not a socket file"),
        ({"hostPath": {"path": "/"}}, "hostPath / is not allowed: Windlass keeps its data and credentials there"),
    ],
)  # fmt: skip
async def test_what_cannot_be_had_is_reported(volumes: Volumes, room: str, source: Object, message: str) -> None:
    told = await failure(volumes, a_pod(room, source))
    assert told == f'MountVolume.SetUp failed for volume "v0" : {message}'


async def test_missing_keys_are_reported_unless_optional(client: Client, room: str, volumes: Volumes) -> None:
    await make(client, "ConfigMap", room, "m", data={"a": "1"})
    source: Object = {"name": "m", "items": [{"key": "no", "path": "x"}]}
    told = await failure(volumes, a_pod(room, {"configMap": source}))
    assert told.endswith("configmap references non-existent config key: no")
    optional = a_pod(
        room, {"configMap": {**source, "optional": True}}, {"secret": {"secretName": "n", "optional": True}}
    )
    assert not (await folder_of(volumes, optional) / "x").exists()


async def test_volumes_that_nobody_mounts_are_not_made(volumes: Volumes, room: str) -> None:
    pod = a_pod(room, {"nfs": {}})
    pod["spec"]["containers"][0]["volumeMounts"] = []
    assert await volumes.prepare(pod) == {}


async def real_pod(client: Client, room: str, *sources: Object) -> Object:
    await make(client, "ServiceAccount", room, "default")
    pod = a_pod(room, *sources, automountServiceAccountToken=False)
    del pod["metadata"]["uid"]
    return await client.create(pod)


async def test_a_token_is_the_pods_and_renewed_when_due(client: Client, room: str, volumes: Volumes) -> None:
    part = {"serviceAccountToken": {"path": "token", "expirationSeconds": 600}}
    pod = await real_pod(client, room, {"projected": {"sources": [part]}})
    folder = await folder_of(volumes, pod)
    token = (folder / "token").read_text()
    assert token.count(".") == 2
    await volumes.refresh(pod)
    assert (folder / "token").read_text() == token
    uid = pod["metadata"]["uid"]
    due = volumes._due[uid]
    assert 400 < due - time.time() < 490
    volumes._sources.forget(uid)
    volumes._due[uid] = 0.0
    assert await asyncio.wait_for(anext(volumes.changes()), 60) == uid
    await volumes.refresh(pod)
    assert volumes._due[uid] >= due


@asynccontextmanager
async def watching(volumes: Volumes) -> AsyncIterator[None]:
    task = asyncio.create_task(volumes._sources.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_changed_config_map_is_reported_and_shown(client: Client, room: str, volumes: Volumes) -> None:
    await make(client, "ConfigMap", room, "m", data={"a": "1"})
    pod = a_pod(room, {"configMap": {"name": "m"}})
    folder = await folder_of(volumes, pod)
    async with watching(volumes):
        kind = KINDS.find("v1", "ConfigMap")
        assert kind is not None
        await client.patch(kind, Key(room, "m"), {"data": {"a": "2"}})

        async def shown() -> bool:
            assert await asyncio.wait_for(anext(volumes.changes()), 60) == "uid-1"
            await volumes.refresh(pod)
            return (folder / "a").read_text() == "2"

        await until(shown)


async def test_a_pods_labels_are_shown_as_they_are_now(room: str, volumes: Volumes) -> None:
    items = [
        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
        {"path": "cpu", "resourceFieldRef": {"containerName": "c", "resource": "requests.cpu"}},
    ]
    pod = a_pod(room, {"downwardAPI": {"items": items}})
    folder = await folder_of(volumes, pod)
    assert ((folder / "labels").read_text(), (folder / "cpu").read_text()) == ('a="1"', "0")
    pod["metadata"]["labels"]["b"] = '"2"'
    await volumes.refresh(pod)
    assert (folder / "labels").read_text() == 'a="1"\nb="\\"2\\""'


async def test_empty_dirs_are_everybodys_and_measured(room: str, volumes: Volumes) -> None:
    pod = a_pod(room, {"emptyDir": {"sizeLimit": "1Mi"}}, {"emptyDir": {"medium": "Memory"}})
    prepared = await volumes.prepare(pod)
    folder, memory = Path(prepared["v0"].path), Path(prepared["v1"].path)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777
    assert memory.is_relative_to(volumes.folders.memory or "")
    (folder / "big").write_bytes(b"x" * (2 << 20))
    (memory / "m").write_bytes(b"x" * 4096)
    used = await volumes.usage("uid-1")
    assert used["v1"] == 4096
    assert over_limit(pod, used) == 'Usage of EmptyDir volume "v0" exceeds the limit "1Mi". '
    await volumes.prepare(pod)
    assert (folder / "big").exists()


def test_a_pods_whole_ephemeral_storage_is_limited() -> None:
    pod: Object = {"spec": {"containers": [{"resources": {"limits": {"ephemeral-storage": "1Mi"}}}]}}
    assert over_limit(pod, {}, 1 << 20) is None
    assert over_limit(pod, {}, (1 << 20) + 1) == (
        "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. "
    )


async def test_fs_group_may_read_and_write(client: Client, room: str, volumes: Volumes) -> None:
    await make(client, "ConfigMap", room, "m", data={"a": "1"})
    group = {"securityContext": {"fsGroup": 2000}}
    prepared = await volumes.prepare(a_pod(room, {"emptyDir": {}}, {"configMap": {"name": "m"}}, **group))
    folder, file = Path(prepared["v0"].path), Path(prepared["v1"].path) / "a"
    assert folder.stat().st_mode & stat.S_ISGID
    if ROOT:
        assert folder.stat().st_gid == file.stat().st_gid == FIRST_HOST_ID + 2000
    assert "beyond" in await failure(volumes, a_pod(room, {"emptyDir": {}}, securityContext={"fsGroup": 70000}))


async def test_host_paths_are_checked_made_and_refused_by_policy(
    client: Client, room: str, volumes: Volumes, tmp_path: Path
) -> None:
    made = tmp_path / "host" / "new"
    pod = a_pod(room, {"hostPath": {"path": str(made), "type": "DirectoryOrCreate"}})
    assert await folder_of(volumes, pod) == made
    assert made.is_dir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        assert await folder_of(volumes, a_pod(room, {"hostPath": {"path": str(tmp_path / "s"), "type": "Socket"}}))
    (tmp_path / "link").symlink_to(volumes.folders.data)
    volumes.folders.data.mkdir(exist_ok=True)
    assert "not allowed" in await failure(volumes, a_pod(room, {"hostPath": {"path": str(tmp_path / "link")}}))
    kind = KINDS.find("v1", "Namespace")
    assert kind is not None
    labels = {"pod-security.kubernetes.io/enforce": "baseline"}
    await client.patch(kind, Key("", room), {"metadata": {"labels": labels}})
    assert "not allowed in namespace" in await failure(volumes, pod)


async def bound(client: Client, room: str, name: str, **source: Any) -> tuple[Object, Object]:
    """A claim and the volume that it is bound to, as the controllers leave them."""
    wish: Object = {"accessModes": ["ReadWriteOnce"], "volumeName": name, "storageClassName": ""}
    claim = await make(
        client, "PersistentVolumeClaim", room, name, spec={**wish, "resources": {"requests": {"storage": "1Gi"}}}
    )
    claim_kind = KINDS.find("v1", "PersistentVolumeClaim")
    assert claim_kind is not None
    await client.set_status(claim_kind, Key(room, name), {"phase": "Bound"})
    reference = {"kind": "PersistentVolumeClaim", "namespace": room, "name": name, "uid": claim["metadata"]["uid"]}
    spec: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "claimRef": reference, **source}
    volume = await make(
        client,
        "PersistentVolume",
        "",
        name,
        metadata={"finalizers": [FOLDER_FINALIZER]},
        spec={"persistentVolumeReclaimPolicy": "Delete", **spec},
    )
    return claim, volume


async def test_the_share_of_a_claims_volume_is_mounted_with_the_volumes_options(
    client: Client, room: str, volumes: Volumes, mount_program: MountProgram
) -> None:
    name = f"pv-{room}"
    share = {"server": "files.example", "path": "/team", "readOnly": True}
    await bound(client, room, name, nfs=share, mountOptions=["nfsvers=4.2", "hard"])
    kind = KINDS.find("v1", "Namespace")
    assert kind is not None
    labels = {"pod-security.kubernetes.io/enforce": "baseline"}
    await client.patch(kind, Key("", room), {"metadata": {"labels": labels}})
    pod = a_pod(room, {"persistentVolumeClaim": {"claimName": name}})

    prepared = [(await volumes.prepare(pod))["v0"] for _ in range(2)]

    target = volumes.folders.network / "uid-1" / "v0"
    assert [(volume.path, volume.read_only) for volume in prepared] == [(str(target), True)] * 2
    assert mount_program.calls() == [
        f"-t nfs -o nfsvers=4.2,hard,ro,retry=0,nosuid,nodev -- files.example:/team {target}"
    ]


async def test_a_volume_with_an_option_that_is_none_is_not_mounted(
    client: Client, room: str, volumes: Volumes, mount_program: MountProgram
) -> None:
    name = f"pv-{room}"
    await bound(client, room, name, nfs={"server": "files.example", "path": "/"}, mountOptions=["ro,exec"])

    message = await failure(volumes, a_pod(room, {"persistentVolumeClaim": {"claimName": name}}))

    assert "mountOptions: 'ro,exec' is not an option of mount" in message
    assert mount_program.calls() == []


async def test_a_claims_data_stay_until_its_volume_is_deleted(client: Client, room: str, volumes: Volumes) -> None:
    name = f"pv-{room}"
    await bound(client, room, name, csi={"driver": "local-path.windlass.dev", "volumeHandle": name})
    pod = a_pod(room, {"persistentVolumeClaim": {"claimName": name}}, securityContext={"fsGroup": 7})
    folder = await folder_of(volumes, pod)
    assert folder == volumes.folders.persistent / name
    (folder / "kept").write_text("x")
    (folder / "out").symlink_to("/etc")
    await volumes.remove("uid-1")
    await volumes.sweep([])
    assert (folder / "kept").exists()
    kind = KINDS.find("v1", "PersistentVolume")
    assert kind is not None
    folders = PersistentFolders(client, volumes.folders.data)
    task = asyncio.create_task(folders.run())
    await client.patch(kind, Key("", name), {"metadata": {"finalizers": [FOLDER_FINALIZER]}})
    await client.delete(kind, Key("", name))

    async def gone() -> bool:
        return not folder.exists() and name not in [v["metadata"]["name"] for v in (await client.list(kind)).items]

    await until(gone)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert Path("/etc/passwd").exists()


async def test_claims_that_cannot_be_used_are_reported(client: Client, room: str, volumes: Volumes) -> None:
    pod = a_pod(room, {"persistentVolumeClaim": {"claimName": "c"}})
    assert await failure(volumes, pod) == (
        f'error processing PVC {room}/c: failed to fetch PVC from API server: persistentvolumeclaim "c" not found'
    )
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    await make(client, "PersistentVolumeClaim", room, "c", spec=spec)
    assert await failure(volumes, pod) == f"error processing PVC {room}/c: PVC is not bound"
    await make(client, "PersistentVolumeClaim", room, "p-v0", spec=spec)
    assert "(pod is not owner)" in await failure(volumes, a_pod(room, {"ephemeral": {}}))
    name = f"other-{room}"
    await bound(client, room, name, csi={"driver": "other", "volumeHandle": "x"})
    told = await failure(volumes, a_pod(room, {"persistentVolumeClaim": {"claimName": name}}))
    assert told.endswith("csi volumes of driver other are not supported by this node")


async def test_an_image_volume_is_its_image_for_the_life_of_the_pod(
    room: str, volumes: Volumes, tmp_path: Path
) -> None:
    image = tmp_path / "image"
    (image / "models").mkdir(parents=True)
    pod = a_pod(room, {"image": {"reference": "a:1"}}, mounts={"subPath": "models"})

    first = await volumes.prepare(pod, {"v0": str(image)})
    again = await volumes.prepare(pod)
    (mount,) = volumes.mounts(pod, pod["spec"]["containers"][0], again, {})
    usage = await volumes.usage("uid-1")
    await volumes.remove("uid-1")

    assert first == again
    assert (mount.source, mount.read_only, mount.executable) == (str(image / "models"), True, False)
    assert "v0" not in usage
    assert (image / "models").is_dir()


async def test_what_an_image_does_not_have_cannot_be_mounted(room: str, volumes: Volumes, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.mkdir()
    pod = a_pod(room, {"image": {"reference": "a:1"}}, mounts={"subPath": "models"})
    prepared = await volumes.prepare(pod, {"v0": str(image)})

    with pytest.raises(NotInImage, match='image "a:1" of volumeMount "v0" of container "c" has no "models"') as caught:
        volumes.mounts(pod, pod["spec"]["containers"][0], prepared, {})

    assert caught.value.reason == "ImageVolumeMountFailed"


async def test_sub_paths_are_made_expanded_and_stay_inside(room: str, volumes: Volumes) -> None:
    pod = a_pod(room, {"emptyDir": {}})
    prepared = await volumes.prepare(pod)
    folder = Path(prepared["v0"].path)
    (folder / "out").symlink_to("/etc")

    def mount(**fields: Any) -> str:
        container = {"name": "c", "volumeMounts": [{"name": "v0", "mountPath": "/m", **fields}]}
        return volumes.mounts(pod, container, prepared, {"A": "x"})[0].source

    assert mount(subPath="a/b") == str(folder / "a" / "b")
    assert mount(subPathExpr="$(A)/y") == str(folder / "x" / "y")
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o777
    for fields, message in [
        ({"subPath": "out/passwd"}, "leads outside the volume"),
        ({"subPathExpr": "$(NO)"}, "missing value for NO"),
        ({"subPath": "../x"}, "must not contain '..'"),
        ({"subPath": "/x"}, "must not be an absolute path"),
        ({"name": "none"}, 'cannot find volume "none" to mount into container "c"'),
    ]:
        with pytest.raises(BadMount, match=message.replace("(", r"\(").replace("..", r"\.\.")):
            mount(**fields)


async def test_mounts_are_ordered_from_outer_to_inner(room: str, volumes: Volumes) -> None:
    pod = a_pod(room, {"emptyDir": {}}, {"emptyDir": {}})
    prepared = await volumes.prepare(pod)
    seen = [{"name": "v0", "mountPath": "/a/b/", "readOnly": True}, {"name": "v1", "mountPath": "/a"}]
    found = volumes.mounts(pod, {"name": "c", "volumeMounts": seen}, prepared, {})
    assert [(mount.target, mount.read_only) for mount in found] == [("/a", False), ("/a/b", True)]


def test_propagation_without_effect_is_warned_of_by_name() -> None:
    pod = a_pod("r", {"emptyDir": {}}, mounts={"mountPropagation": "Bidirectional"})
    assert warnings(pod)[0].startswith('mountPropagation Bidirectional of volume "v0" in container "c"')


async def test_left_overs_of_unknown_pods_are_swept(room: str, volumes: Volumes) -> None:
    pod = a_pod(room, {"emptyDir": {}}, {"emptyDir": {"medium": "Memory"}})
    prepared = await volumes.prepare(pod)
    await volumes.sweep(["uid-1"])
    assert all(Path(volume.path).exists() for volume in prepared.values())
    await volumes.sweep([])
    assert not any(Path(volume.path).exists() for volume in prepared.values())


async def test_a_disk_that_refuses_is_a_volume_that_is_not_ready(room: str, volumes: Volumes) -> None:
    (volumes.folders.data / "node").mkdir(parents=True)
    (volumes.folders.data / "node" / "pods").write_text("in the way")
    told = await failure(volumes, a_pod(room, {"emptyDir": {}}))
    assert told.startswith('MountVolume.SetUp failed for volume "v0" : ')
    shutil.rmtree(volumes.folders.data / "node")
