"""No path, link or race leads outside the volume."""

import os
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.node.images.programs.file_browser.volume_paths import (
    PRIVATE,
    Refused,
    Volume,
    names_in,
    remove_tree,
    split,
)

NAMES = st.sampled_from(["a", "b", "c", "up", "out", "far", "loop", "secret", "..", ".", "", "%2e%2e", "..\\", "\0"])
TARGETS = ["..", "../..", "../../secret", "/", "/etc", "a/../..", "a/../../secret", "b", "up", ".", "a/b", "./../a"]


def read(volume: Volume, path: str) -> bytes | None:
    try:
        with volume.file(path) as opened:
            return os.read(opened, 100)
    except (OSError, Refused):
        return None


def listed(volume: Volume, path: str) -> list[str]:
    try:
        with volume.folder(path) as opened:
            return names_in(opened)
    except (OSError, Refused):
        return []


@given(
    path=st.lists(NAMES, max_size=6).map("/".join),
    links=st.dictionaries(st.sampled_from(["up", "out", "far", "a/up", "a/b/far"]), st.sampled_from(TARGETS)),
)
def test_whatever_is_asked_only_the_volume_is_read(path: str, links: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as outside:
        (Path(outside) / "secret").write_text("secret")
        top = Path(outside) / "volume"
        (top / "a" / "b").mkdir(parents=True)
        (top / "a" / "c").write_text("inside")
        (top / "loop").symlink_to("loop")
        for name, target in links.items():
            (top / name).symlink_to(target)
        volume = Volume(str(top))

        assert read(volume, path) in (None, b"inside")
        assert "volume" not in listed(volume, path)
        assert not {"passwd", "hosts"} & set(listed(volume, path))


def test_links_inside_the_volume_are_followed(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "1").write_text("weights")
    (tmp_path / "snapshots" / "main").mkdir(parents=True)
    (tmp_path / "snapshots" / "main" / "model").symlink_to("../../blobs/1")
    (tmp_path / "latest").symlink_to("snapshots/main")

    assert read(Volume(str(tmp_path)), "latest/model") == b"weights"


@pytest.mark.parametrize("path", ["..", "a/../b", "./a", "a\0b", f"{PRIVATE}/bin", f"/{PRIVATE}", "\udcff"])
def test_a_path_that_is_no_plain_path_is_refused(path: str) -> None:
    with pytest.raises(Refused):
        split(path)


def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    top = tmp_path / "volume"
    (top / "folder").mkdir(parents=True)
    (top / "folder" / "secret").write_text("inside")
    (top / "link").symlink_to("..")
    volume, stop = Volume(str(top)), threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (top / "folder").rename(top / "aside")
            (top / "link").rename(top / "folder")
            (top / "folder").rename(top / "link")
            (top / "aside").rename(top / "folder")

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        found = {read(volume, "folder/secret") for _ in range(3000)}
    finally:
        stop.set()
        swapping.join()

    assert b"secret" not in found
    assert b"inside" in found


def test_removing_removes_links_and_not_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "gone" / "sub").mkdir(parents=True)
    (tmp_path / "gone" / "sub" / "link").symlink_to(tmp_path / "kept")
    with Volume(str(tmp_path)).folder("") as top:
        remove_tree(top, "gone")

    assert [entry.name for entry in tmp_path.rglob("*")] == ["kept", "file"]
