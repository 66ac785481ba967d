"""Layers become a folder, and nothing in them reaches anything outside it."""

import contextlib
import gzip
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.oci.builders import entry, folder, hard_link, layer, link, tar
from windlass.node.ids import FIRST_HOST_ID
from windlass.node.images.image import PullFailed
from windlass.node.oci.unpacking import Stopped, Unpacking


def unpack(top: Path, *layers: bytes, max_bytes: int = 1 << 20) -> Path:
    root = top / "root"
    unpacking = Unpacking(root, max_bytes=max_bytes)
    for number, content in enumerate(layers):
        blob = top / f"layer-{number}"
        blob.write_bytes(content)
        unpacking.layer(blob)
    unpacking.finish()
    return root


def files(root: Path) -> dict[str, str]:
    """Contents of files, and targets of links, by path."""
    found: dict[str, str] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_text()
        elif not any(path.iterdir()):
            found[name] = "/"
    return found


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([[entry("models/a", b"1")]], {"models/a": "1"}),
        ([[entry("./models/a", b"1"), entry("/abs", b"2")]], {"models/a": "1", "abs": "2"}),
        ([[entry("a", b"1")], [entry("a", b"2")]], {"a": "2"}),
        ([[entry("a/b", b"1")], [entry("a", b"2")]], {"a": "2"}),
        ([[entry("a", b"1")], [folder("a"), entry("a/b", b"2")]], {"a/b": "2"}),
        ([[entry("a/b", b"1"), entry("a/c", b"2")], [entry("a/.wh.b")]], {"a/c": "2"}),
        ([[entry("a/b/c", b"1")], [entry("a/.wh.b")]], {"a": "/"}),
        ([[entry("a/b", b"1")], [entry("a/.wh..wh..opq"), entry("a/c", b"2")]], {"a/c": "2"}),
        ([[entry("a/b", b"1")], [entry("a/c", b"2"), entry("a/.wh..wh..opq")]], {"a/c": "2"}),
        ([[entry("a/b", b"1")], [entry("a/d/c", b"2"), entry("a/.wh..wh..opq")]], {"a/d/c": "2"}),
        ([[entry("a", b"1")], [folder("a"), entry("a/b", b"2"), entry(".wh.a")]], {"a/b": "2"}),
        ([[entry(".wh..wh.plnk", b"x"), entry("a", b"1")]], {"a": "1"}),
        ([[entry("a", b"1"), hard_link("b", "a")]], {"a": "1", "b": "1"}),
        ([[entry("a", b"1"), hard_link("b", "/a")], [entry("a", b"2")]], {"a": "2", "b": "1"}),
        (
            [[folder("usr/lib"), link("lib", "usr/lib")], [entry("lib/x", b"1")]],
            {"lib": "-> usr/lib", "usr/lib/x": "1"},
        ),
        ([[folder("usr"), link("lib", "/usr")], [entry("lib/x", b"1")]], {"lib": "-> /usr", "usr/x": "1"}),
        ([[link("up", "../../..")], [entry("up/x", b"1")]], {"up": "-> ../../..", "x": "1"}),
        ([[link("a", "/etc/passwd")], [entry("a", b"1")]], {"a": "1"}),
        ([[entry("dev", type=tarfile.CHRTYPE), entry("pipe", type=tarfile.FIFOTYPE), entry("a", b"1")]], {"a": "1"}),
    ],
)
def test_later_layers_change_earlier_ones(
    tmp_path: Path, layers: list[list[tuple[tarfile.TarInfo, bytes]]], expected: dict[str, str]
) -> None:
    root = unpack(tmp_path, *(layer(*entries) for entries in layers))

    assert files(root) == expected


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([entry("../outside", b"1")], "leads outside the image"),
        ([entry("a/../../outside", b"1")], "leads outside the image"),
        ([entry("a/.wh...")], "leads outside the image"),
        ([hard_link("a", "../outside")], "leads outside the image"),
        ([hard_link("a", "missing")], "not a file of the image"),
        ([link("b", "/etc/passwd"), hard_link("a", "b")], "not a file of the image"),
        ([link("a", "a"), entry("a/b", b"1")], "too many links"),
        ([entry("a", b"1"), entry("a/b", b"1")], "which is not a folder"),
        ([entry("a", b"x" * 2000)], "files exceed 1000 bytes"),
    ],
)
def test_what_cannot_be_unpacked_is_refused(
    tmp_path: Path, entries: list[tuple[tarfile.TarInfo, bytes]], reason: str
) -> None:
    with pytest.raises(PullFailed, match=reason):
        unpack(tmp_path, layer(*entries), max_bytes=1000)

    assert not (tmp_path / "outside").exists()


NAMES = st.lists(st.sampled_from(["a", "b", "..", ".", "", ".wh.a", ".wh..wh..opq", "..."]), min_size=1, max_size=4)
PATHS = st.builds(lambda parts, start: start + "/".join(parts), NAMES, st.sampled_from(["", "/", "./"]))
ENTRIES = st.one_of(
    st.builds(lambda name: entry(name, b"new"), PATHS),
    st.builds(folder, PATHS),
    st.builds(link, PATHS, PATHS),
    st.builds(hard_link, PATHS, PATHS),
)


@given(st.lists(st.lists(ENTRIES, max_size=6), max_size=3))
def test_no_layer_changes_anything_outside_the_folder(
    tmp_path_factory: pytest.TempPathFactory, layers: list[list[tuple[tarfile.TarInfo, bytes]]]
) -> None:
    top = tmp_path_factory.mktemp("unpacked")
    inner = top / "x" / "y"
    inner.mkdir(parents=True)
    for name in ("a", "b"):
        (top / name).write_text("old")
        (top / "x" / name).write_text("old")

    with contextlib.suppress(PullFailed):  # refused, which is one way to stay inside
        unpack(inner, *(layer(*entries) for entries in layers))

    assert {(top / path).read_text() for path in ("a", "b", "x/a", "x/b")} == {"old"}
    assert {path.name for path in top.iterdir()} == {"a", "b", "x"}
    assert {path.name for path in (top / "x").iterdir()} == {"a", "b", "y"}
    assert all(path.name.startswith(("layer-", "root")) for path in inner.iterdir())


def test_files_keep_owner_and_time_and_lose_write_permissions(tmp_path: Path) -> None:
    closed = folder("closed", mode=0o700)
    own = entry("closed/tool", b"1", mode=0o4750, uid=1000, gid=70000, mtime=1_000_000)

    root = unpack(tmp_path, layer(closed, own))

    info = (root / "closed" / "tool").stat()
    assert info.st_mtime == 1_000_000
    if os.geteuid() == 0:
        assert (info.st_uid, info.st_gid) == (FIRST_HOST_ID + 1000, FIRST_HOST_ID + 65534)
        assert stat.S_IMODE(info.st_mode) == 0o550
        assert stat.S_IMODE((root / "closed").stat().st_mode) == 0o500
    else:  # owners cannot be kept, so that all users of a container may read
        assert stat.S_IMODE(info.st_mode) == 0o555


def zstd(content: bytes) -> bytes:
    return pytest.importorskip("backports.zstd").compress(content)


@pytest.mark.parametrize("packed", [bytes, gzip.compress, zstd])
def test_layers_may_be_plain_or_compressed(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    root = unpack(tmp_path, packed(tar(entry("a", b"1"))))

    assert files(root) == {"a": "1"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "not a tar archive"),
        (b"", "not a tar archive"),
        (layer(entry("a", b"1" * 5000))[:-20], "damaged|not a tar archive"),
    ],
)
def test_a_layer_that_is_not_an_archive_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(PullFailed, match=reason):
        unpack(tmp_path, content)


def test_a_header_larger_than_memory_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 40

    with pytest.raises(PullFailed, match="extended header"):
        unpack(tmp_path, info.tobuf(tarfile.GNU_FORMAT))


def test_the_map_of_a_sparse_file_takes_no_memory(tmp_path: Path) -> None:
    """It may be as long as the layer, which gzip makes a thousand times shorter."""
    info = tarfile.TarInfo("holes")
    info.type = b"S"

    with pytest.raises(PullFailed, match="sparse file"):
        unpack(tmp_path, info.tobuf(tarfile.GNU_FORMAT))


def test_unpacking_stops_when_asked(tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    blob = tmp_path / "layer"
    blob.write_bytes(layer(entry("a", b"1")))

    with pytest.raises(Stopped):
        Unpacking(tmp_path / "root", max_bytes=100, stop=stop).layer(blob)
