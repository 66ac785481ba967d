"""NFS: where the node can mount it, what it mounts, and that unmounting never removes files of the server."""

import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from tests.node.volumes.mount_program import ABLE, MountProgram
from windlass.node.volumes import nfs
from windlass.node.volumes.base import Failed, Prepared, Request
from windlass.node.volumes.nfs import Machine, Share, is_shared, mount_arguments, obstacle, share_of, ways_out
from windlass.node.volumes.volume_folders import VolumeFolders

DOCUMENTED: dict[str, Any] = {"server": "172.22.132.41", "path": "/nfs-data"}


@pytest.mark.parametrize(
    ("machine", "part"),
    [
        (ABLE, ""),
        (ABLE._replace(is_root=False), "does not run as root"),
        (ABLE._replace(has_file_system=False), "the kernel of this machine has no NFS"),
        (ABLE._replace(has_program=False), "nfs-common"),
        (ABLE._replace(is_shared=False), "--make-rshared"),
    ],
)
def test_a_node_mounts_nfs_only_where_everything_is_there(machine: Machine, part: str) -> None:
    why = obstacle(machine)

    assert part in why
    assert bool(why) == bool(part)


def test_the_message_names_both_ways_out() -> None:
    said = ways_out(share_of(DOCUMENTED), "the kernel of this machine has no NFS")

    assert said.startswith("nfs volumes are not supported by this node: the kernel of this machine has no NFS. ")
    assert "Mount 172.22.132.41:/nfs-data on this machine and use a hostPath volume" in said
    assert "windlass-shared" in said


def test_options_of_the_volume_come_before_those_that_protect_the_machine() -> None:
    share = share_of({**DOCUMENTED, "readOnly": True}, ["nfsvers=4.2", "suid"])

    assert mount_arguments(share, Path("/d/v")) == [
        "mount", "-t", "nfs", "-o", "nfsvers=4.2,suid,ro,retry=0,nosuid,nodev", "--", "172.22.132.41:/nfs-data", "/d/v",
    ]  # fmt: skip
    assert Share("fd00::1", "/x").address == "[fd00::1]:/x"


@pytest.mark.parametrize(
    ("source", "options", "field"),
    [
        ({"server": "", "path": "/x"}, [], "nfs.server"),
        ({"server": "-o", "path": "/x"}, [], "nfs.server"),
        ({"server": "a b", "path": "/x"}, [], "nfs.server"),
        ({"server": "a", "path": "x"}, [], "nfs.path"),
        ({"server": "a", "path": "/x\n"}, [], "nfs.path"),
        (DOCUMENTED, ["ro,exec"], "mountOptions"),
        (DOCUMENTED, ["a=b,dev"], "mountOptions"),
        (DOCUMENTED, [""], "mountOptions"),
    ],
)
def test_invalid_values_are_refused_by_field(source: dict[str, Any], options: list[str], field: str) -> None:
    with pytest.raises(Failed, match=field):
        share_of(source, options)


def test_the_mount_around_a_folder_says_whether_later_mounts_reach_containers() -> None:
    table = (
        "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "30 27 0:30 / /data rw,relatime - ext4 /dev/vdb rw\n"
        "31 30 0:31 / /data/a\\040b rw,relatime shared:7 master:2 - tmpfs tmpfs rw\n"
    )

    assert [is_shared(table, folder) for folder in ("/x", "/data/node", "/data/a b/node", "/database")] == [
        True, False, True, True,
    ]  # fmt: skip


# --- mounting


class Namespaces:
    """The sources of a pod whose namespace enforces a Pod Security Standard, or none."""

    def __init__(self, level: str) -> None:
        self._labels = {"pod-security.kubernetes.io/enforce": level} if level else {}

    async def namespace(self, name: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "labels": self._labels}}


def a_request(folder: Path, level: str = "") -> Request:
    pod: dict[str, Any] = {"metadata": {"name": "p", "namespace": "team", "uid": "uid-1"}}
    folders = VolumeFolders(folder / "data", folder)
    return Request(pod, {"name": "v"}, cast(Any, Namespaces(level)), folders, cast(Any, None), set(), [], {})


def target_of(request: Request) -> Path:
    return request.folders.network / "uid-1" / "v"


async def test_a_share_is_mounted_once_for_a_pod(tmp_path: Path, mount_program: MountProgram) -> None:
    request = a_request(tmp_path)
    target = target_of(request)

    found = [await nfs.nfs(request, {**DOCUMENTED, "readOnly": True}) for _ in range(3)]

    assert found == [Prepared(str(target), True)] * 3
    assert mount_program.calls() == [f"-t nfs -o ro,retry=0,nosuid,nodev -- 172.22.132.41:/nfs-data {target}"]
    assert [folder.stat().st_mode & 0o077 for folder in (target, target.parent)] == [0, 0]


def test_a_mount_that_fails_is_reported_in_its_words_and_tried_again(
    tmp_path: Path, mount_program: MountProgram
) -> None:
    request = a_request(tmp_path)
    mount_program.fail("mount.nfs: access denied by server\n  while mounting 172.22.132.41:/nfs-data\n")

    for _ in range(2):
        with pytest.raises(Failed) as raised:
            nfs.at(request, share_of(DOCUMENTED))
        assert str(raised.value) == (
            "mount of 172.22.132.41:/nfs-data failed: mount.nfs: access denied by server while mounting "
            "172.22.132.41:/nfs-data"
        )
    assert mount_program.calls() == []


def test_a_server_that_does_not_answer_is_given_up(
    tmp_path: Path, mount_program: MountProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin" / "mount").write_text("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr(nfs, "MOUNT_TIMEOUT_SECONDS", 0.1)

    with pytest.raises(Failed, match=r"mount of 172\.22\.132\.41:/nfs-data took more than 0\.1 s"):
        nfs.at(a_request(tmp_path), share_of(DOCUMENTED))


def test_a_machine_that_cannot_mount_is_not_asked_to(
    tmp_path: Path, mount_program: MountProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nfs, "this_machine", lambda _: ABLE._replace(has_program=False))

    with pytest.raises(Failed, match="nfs-common"):
        nfs.at(a_request(tmp_path), share_of(DOCUMENTED))
    assert mount_program.calls() == []


@pytest.mark.parametrize("level", ["baseline", "restricted"])
async def test_pods_of_a_namespace_that_enforces_a_standard_mount_no_share_of_their_own(
    tmp_path: Path, mount_program: MountProgram, level: str
) -> None:
    request = a_request(tmp_path, level)

    with pytest.raises(Failed) as raised:
        await nfs.nfs(request, DOCUMENTED)

    assert str(raised.value) == (
        f'nfs volumes of pods are not allowed in namespace "team", which enforces the Pod Security Standard {level}: '
        "use a claim that is bound to a PersistentVolume with this share"
    )
    assert mount_program.calls() == []
    assert not target_of(request).exists()


async def test_the_standard_privileged_allows_shares(tmp_path: Path, mount_program: MountProgram) -> None:
    await nfs.nfs(a_request(tmp_path, "privileged"), DOCUMENTED)

    assert len(mount_program.calls()) == 1


# --- unmounting


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")
def test_unmounting_leaves_no_mount_and_removes_no_file_that_is_mounted(tmp_path: Path) -> None:
    server, target = tmp_path / "server", tmp_path / "pod" / "v"
    target.mkdir(parents=True)
    server.mkdir()
    (server / "file").write_text("kept")
    subprocess.run(["mount", "--bind", str(server), str(target)], check=True)
    assert (target / "file").exists()

    nfs.unmount(tmp_path / "pod")

    assert not (tmp_path / "pod").exists()
    assert (server / "file").read_text() == "kept"
    assert str(target) not in nfs.mount_points()
    nfs.unmount(tmp_path / "pod")


def test_a_mount_point_with_files_of_its_own_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "pod" / "v").mkdir(parents=True)
    (tmp_path / "pod" / "v" / "file").write_text("kept")

    with pytest.raises(OSError, match="not empty"):
        nfs.unmount(tmp_path / "pod")
    assert (tmp_path / "pod" / "v" / "file").exists()
