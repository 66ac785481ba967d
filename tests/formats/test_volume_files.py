"""Files of volumes, which are users' and may contain links to anywhere."""

import os
import stat
from pathlib import Path

import pytest

from windlass.formats.volume_files import (
    copy_tree,
    create_file,
    files_below,
    list_folder,
    make_folder,
    move_file,
    open_folder,
    read_file,
    remove_empty_folder,
    remove_tree,
    write_file,
)


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    root = tmp_path / "volume"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "file-link").symlink_to(tmp_path / "outside" / "secret")
    os.mkfifo(root / "pipe")
    return root


def test_a_file_is_written_with_its_folders_and_read_up_to_a_limit(volume: Path) -> None:
    write_file(volume, "a/b/c.txt", b"first")
    write_file(volume, "a/b/c.txt", b"second")

    assert read_file(volume, "a/b/c.txt", 100) == b"second"
    assert read_file(volume, "/a//b/./c.txt", 3) == b"sec"
    assert [path.name for path in (volume / "a" / "b").iterdir()] == ["c.txt"]


@pytest.mark.parametrize("path", ["link/secret", "file-link", "../outside/secret", "pipe", "nothing", "a\0b", ""])
def test_nothing_outside_and_nothing_but_files_is_read(volume: Path, path: str) -> None:
    assert read_file(volume, path, 100) is None


@pytest.mark.parametrize("path", ["link/new", "../outside/new", "a/../../outside/new"])
def test_nothing_is_written_outside(volume: Path, path: str) -> None:
    with pytest.raises(OSError):
        write_file(volume, path, b"x")
    assert not (volume.parent / "outside" / "new").exists()


def test_a_link_at_the_place_of_a_file_is_replaced_and_not_followed(volume: Path) -> None:
    write_file(volume, "file-link", b"mine")

    assert (volume.parent / "outside" / "secret").read_text() == "secret"
    assert read_file(volume, "file-link", 100) == b"mine"


def test_a_tree_is_removed_without_following_links(volume: Path) -> None:
    write_file(volume, "tree/deep/file", b"x")
    (volume / "tree" / "link").symlink_to(volume.parent / "outside")

    remove_tree(volume, "tree")
    remove_tree(volume, "link/secret")
    remove_tree(volume, "..")
    remove_tree(volume, "missing")

    assert not (volume / "tree").exists()
    assert (volume.parent / "outside" / "secret").exists()
    assert open_folder(volume, "link") is None


def test_a_new_file_is_written_beside_and_then_takes_the_place_of_the_old_one(volume: Path) -> None:
    write_file(volume, "a/b", b"old")
    with os.fdopen(create_file(volume, "new/part"), "wb") as file:
        file.write(b"new")

    move_file(volume, "new/part", "a/b")
    with os.fdopen(create_file(volume, "new/part"), "wb") as file:
        file.write(b"other")
    move_file(volume, "new/part", "c/d/e")

    assert read_file(volume, "a/b", 100) == b"new"
    assert read_file(volume, "c/d/e", 100) == b"other"
    with pytest.raises(FileNotFoundError):
        move_file(volume, "nowhere/part", "a/b")


@pytest.mark.parametrize("path", ["link/new", "../outside/new", "pipe", "file-link"])
def test_no_file_is_created_outside_or_in_place_of_another(volume: Path, path: str) -> None:
    with pytest.raises(OSError):
        create_file(volume, path)


@pytest.mark.parametrize("path", ["link/new", "../outside/new"])
def test_no_file_is_moved_outside(volume: Path, path: str) -> None:
    write_file(volume, "a", b"x")

    with pytest.raises(OSError):
        move_file(volume, "a", path)


def test_regular_files_alone_are_listed_and_copied(volume: Path, tmp_path: Path) -> None:
    write_file(volume, "folder/a", b"1")
    write_file(volume, "folder/deep/b", b"2")
    (volume / "folder" / "link").symlink_to(tmp_path / "outside" / "secret")
    (volume / "folder" / "folder-link").symlink_to(tmp_path / "outside")
    os.mkfifo(volume / "folder" / "pipe")
    other = tmp_path / "other"
    other.mkdir()

    assert list(files_below(volume, "folder")) == ["a", "deep/b"]
    assert list(files_below(volume, "link")) == []
    assert copy_tree((volume, "folder"), (other, "copy")) == 2
    assert copy_tree((volume, "folder/a"), (other, "single")) == 1
    assert copy_tree((volume, "file-link"), (other, "nothing")) == 0
    assert list(files_below(other, "")) == ["single", "copy/a", "copy/deep/b"]
    assert read_file(other, "copy/deep/b", 100) == b"2"


def test_folders_are_made_with_the_mode_of_the_volume_and_removed_when_empty(volume: Path) -> None:
    volume.chmod(0o777)
    make_folder(volume, "new/deep")
    write_file(volume, "new/file", b"x")

    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (volume / "new", volume / "new" / "deep")} == {0o777}
    assert remove_empty_folder(volume, "new/deep")
    assert not remove_empty_folder(volume, "new")
    assert not remove_empty_folder(volume, "new/file")
    assert not remove_empty_folder(volume, "link")
    for path in ("link/new", "../outside/new"):
        with pytest.raises(OSError):
            make_folder(volume, path)


def test_a_listing_has_files_and_folders_and_no_links(volume: Path) -> None:
    for name in ("folder/a", "folder/deep/b"):
        write_file(volume, name, b"x")
    (volume / "folder" / "link").symlink_to("a")
    os.mkfifo(volume / "folder" / "pipe")

    assert sorted(list_folder(volume, "folder") or []) == [("a", False), ("deep", True)]
    assert list_folder(volume, "link") is None
    assert list_folder(volume, "folder/a") is None
