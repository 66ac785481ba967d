"""NFS: where the node can mount it, what it mounts, and that unmounting never removes files of the server."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from windlass.node.volumes import nfs
from windlass.node.volumes.base import Failed
from windlass.node.volumes.nfs import Machine, Share, is_shared, mount_arguments, obstacle, share_of, ways_out

ABLE = Machine(is_root=True, has_file_system=True, has_program=True, is_shared=True)
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
