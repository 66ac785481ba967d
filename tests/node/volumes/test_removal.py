"""Removing never follows a link, and closed folders are no obstacle."""

import os
from pathlib import Path

import pytest

from windlass.apis.local_volumes import FOLDER_FINALIZER
from windlass.kube.json import Object
from windlass.node.volumes.base import Failed
from windlass.node.volumes.claims import persistent_folder
from windlass.node.volumes.owner import Owner
from windlass.node.volumes.persistent import must_go
from windlass.node.volumes.removal import remove_tree


def test_links_are_removed_and_not_what_they_lead_to(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    inside = tmp_path / "inside"
    (inside / "closed").mkdir(parents=True)
    (inside / "closed" / "link").symlink_to(outside)
    (inside / "closed").chmod(0)
    (tmp_path / "top").symlink_to(outside)
    remove_tree(inside)
    remove_tree(tmp_path / "top")
    remove_tree(tmp_path / "nothing")
    assert [entry.name for entry in tmp_path.iterdir()] == ["outside"]
    assert (outside / "precious").exists()


@pytest.mark.parametrize("handle", ["", ".", "..", "a/b", "../x", "/etc", "a\0"])
def test_a_handle_that_is_no_plain_name_is_refused(tmp_path: Path, handle: str) -> None:
    with pytest.raises(Failed):
        persistent_folder(tmp_path, handle)


@pytest.mark.parametrize(
    ("deleted", "finalizers", "due"),
    [
        (True, [FOLDER_FINALIZER], True),
        (False, [FOLDER_FINALIZER], False),
        (True, [], False),
        (True, [FOLDER_FINALIZER, "kubernetes.io/pv-protection"], False),
    ],
)
def test_a_folder_goes_when_nobody_uses_its_volume(deleted: bool, finalizers: list[str], due: bool) -> None:
    meta: Object = {"finalizers": finalizers, **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if deleted else {})}
    assert must_go({"metadata": meta}) is due


def test_a_group_is_given_all_files_and_links_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o600)
    top = tmp_path / "top"
    (top / "sub").mkdir(parents=True)
    (top / "sub" / "file").write_text("x")
    (top / "sub" / "file").chmod(0o600)
    (top / "link").symlink_to(outside)
    os.mkfifo(top / "pipe")
    Owner({"spec": {"securityContext": {"fsGroup": 2000}}}, root=os.geteuid() == 0).give_group(top)
    assert (top / "sub" / "file").stat().st_mode & 0o660 == 0o660
    assert (top / "sub").stat().st_mode & 0o2770 == 0o2770
    assert outside.stat().st_mode & 0o777 == 0o600
