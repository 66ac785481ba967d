"""A copy has what the folder had, and nothing of what its links lead to."""

import os
import stat
import threading
from pathlib import Path

import pytest

from windlass.node.volumes.copying import copy, copy_tree


def no_anchor() -> None:
    return None


def test_a_copy_has_contents_links_modes_times_and_holes(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "sub").mkdir(parents=True)
    file = source / "sub" / "file"
    file.write_bytes(b"x" * 70_000)
    file.chmod(0o640)
    os.utime(file, (1_000_000_000, 1_100_000_000))
    os.link(file, source / "twin")
    (source / "link").symlink_to("sub/file")
    (source / "out").symlink_to("/etc/passwd")
    os.mkfifo(source / "pipe")
    with (source / "sparse").open("wb") as sparse:
        sparse.seek(64 << 20)
        sparse.write(b"end")
    (source / "sub").chmod(0o2775)

    copy_tree(source, target)

    copied = target / "sub" / "file"
    assert copied.read_bytes() == b"x" * 70_000
    assert (copied.stat().st_mtime, stat.S_IMODE(copied.stat().st_mode)) == (1_100_000_000, 0o640)
    assert copied.stat().st_ino == (target / "twin").stat().st_ino != file.stat().st_ino
    assert (target / "link").readlink() == Path("sub/file")
    assert (target / "out").is_symlink()
    assert stat.S_ISFIFO((target / "pipe").stat().st_mode)
    assert (target / "sparse").stat().st_size == (64 << 20) + 3
    assert (target / "sparse").stat().st_blocks * 512 < 1 << 20
    assert stat.S_IMODE((target / "sub").stat().st_mode) == 0o2775


def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    outside, source = tmp_path / "outside", tmp_path / "source"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (source / "folder").mkdir(parents=True)
    (source / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (source / "folder").rename(source / "aside")
            (source / "link").rename(source / "folder")
            (source / "folder").rename(source / "link")
            (source / "aside").rename(source / "folder")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for number in range(200):
            copy_tree(source, tmp_path / f"copy-{number}")
    finally:
        stop.set()
        swapping.join()

    copies = tmp_path.glob("copy-*")
    assert [found for each in copies for _, _, files in os.walk(each) for found in files if found == "secret"] == []


async def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a").write_text("x")
    (tmp_path / ".target.partial").mkdir()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("windlass.node.volumes.copying._contents", full)
    with pytest.raises(OSError, match="No space"):
        await copy(source, tmp_path / "target", no_anchor)

    assert [entry.name for entry in tmp_path.iterdir()] == ["source"]


async def test_a_volume_that_no_pod_has_mounted_is_an_empty_folder(tmp_path: Path) -> None:
    await copy(tmp_path / "nothing", tmp_path / "target", no_anchor)

    assert list((tmp_path / "target").iterdir()) == []
    assert stat.S_IMODE((tmp_path / "target").stat().st_mode) == 0o777
