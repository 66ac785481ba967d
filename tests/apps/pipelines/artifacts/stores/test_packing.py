"""Archives of files in a volume."""

import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from windlass.apps.pipelines.artifacts.stores import packing
from windlass.apps.pipelines.artifacts.stores.packing import pack, unpack


def write(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)


def files_at(path: Path) -> Any:
    """The content of a file, or of all files below a folder."""
    if path.is_file():
        return path.read_text()
    return {str(one.relative_to(path)): one.read_text() for one in sorted(path.rglob("*")) if one.is_file()}


@pytest.mark.parametrize("archive", ["tgz", "zip"])
@pytest.mark.parametrize(
    "files", [{"out": "one file"}, {"out/a": "1", "out/deep/b": "2"}, {"out/only": "1"}], ids=["file", "folder", "one"]
)
def test_what_is_packed_is_unpacked_again(tmp_path: Path, archive: Any, files: dict[str, str]) -> None:
    write(tmp_path, files)
    pack(tmp_path, "out", "packed", name="model", archive=archive, level=6)

    unpack(tmp_path, "packed", "in/data", archive)

    assert files_at(tmp_path / "in/data") == files_at(tmp_path / "out")
    assert not (tmp_path / "packed").exists()
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["data"]


def test_entries_have_the_name_of_the_artifact(tmp_path: Path) -> None:
    write(tmp_path, {"out/a": "1"})
    pack(tmp_path, "out", "packed", name="model", archive="tgz", level=1)

    with tarfile.open(tmp_path / "packed") as tar:
        assert tar.getnames() == ["model/a"]


def test_links_are_not_packed(tmp_path: Path) -> None:
    write(tmp_path, {"out/a": "1", "secret": "x"})
    (tmp_path / "out/link").symlink_to(tmp_path / "secret")
    pack(tmp_path, "out", "packed", name="m", archive="zip", level=6)

    assert zipfile.ZipFile(tmp_path / "packed").namelist() == ["m/a"]


@pytest.mark.parametrize("archive", ["tgz", "none"])
def test_what_is_no_archive_is_moved_as_it_is(tmp_path: Path, archive: Any) -> None:
    write(tmp_path, {"plain": "text", "folder/a": "1"})

    unpack(tmp_path, "plain", "x", archive)
    unpack(tmp_path, "folder", "y", archive)

    assert (files_at(tmp_path / "x"), files_at(tmp_path / "y")) == ("text", {"a": "1"})


def test_an_archive_stays_packed_with_the_format_none(tmp_path: Path) -> None:
    write(tmp_path, {"out": "1"})
    pack(tmp_path, "out", "packed", name="m", archive="tgz", level=6)
    content = (tmp_path / "packed").read_bytes()

    unpack(tmp_path, "packed", "x", "none")

    assert (tmp_path / "x").read_bytes() == content


def tar_of(*entries: tarfile.TarInfo) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for entry in entries:
            entry.size = 1 if entry.isreg() else 0
            tar.addfile(entry, io.BytesIO(b"x"))
    return made.getvalue()


def entry(name: str, type: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = type, target
    return made


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x"])
def test_an_entry_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "packed").write_bytes(tar_of(entry(name)))

    with pytest.raises(ValueError, match="leads outside"):
        unpack(tmp_path, "packed", "x", "tgz")


def test_links_in_an_archive_are_left_out_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    volume = tmp_path / "volume"
    volume.mkdir()
    entries = [entry("a/link", tarfile.SYMTYPE, str(outside)), entry("a/link/x"), entry("a/y")]
    (volume / "packed").write_bytes(tar_of(*entries))

    unpack(volume, "packed", "x", "tgz")

    assert files_at(volume / "x") == {"link/x": "x", "y": "x"}
    assert list(outside.iterdir()) == []


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    content = tar_of(*(entry(f"f{number}") for number in range(2000)))
    (tmp_path / "packed").write_bytes(content[: len(content) // 2])
    (tmp_path / "zip").write_bytes(b"PK no archive")

    with pytest.raises(ValueError, match="damaged"):
        unpack(tmp_path, "packed", "x", "tgz")
    with pytest.raises(ValueError, match="not an archive of zip"):
        unpack(tmp_path, "zip", "x", "zip")


def bomb(archive: str) -> bytes:
    """An archive of 64 MiB of zeros."""
    made = io.BytesIO()
    if archive == "zip":
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.writestr("a/zeros", bytes(64 << 20))
    else:
        with tarfile.open(fileobj=made, mode="w:gz") as tar:
            zeros = tarfile.TarInfo("a/zeros")
            zeros.size = 64 << 20
            tar.addfile(zeros, io.BytesIO(bytes(zeros.size)))
    return made.getvalue()


@pytest.mark.parametrize("archive", ["tgz", "zip"])
def test_an_archive_fills_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: Any) -> None:
    monkeypatch.setattr(packing, "spare_bytes", lambda _: 1 << 20)
    (tmp_path / "packed").write_bytes(bomb(archive))

    with pytest.raises(ValueError, match="more than the disk has left"):
        unpack(tmp_path, "packed", "x", archive)

    assert [path.name for path in tmp_path.iterdir()] == ["packed"]


@pytest.mark.parametrize("archive", ["tgz", "zip"])
def test_an_archive_has_a_limited_number_of_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: Any
) -> None:
    monkeypatch.setattr(packing, "MAX_ENTRIES", 3)
    write(tmp_path, {f"out/{number}": "x" for number in range(4)})
    pack(tmp_path, "out", "packed", name="m", archive=archive, level=6)

    with pytest.raises(ValueError, match="more than 3 entries"):
        unpack(tmp_path, "packed", "x", archive)


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x"])
def test_an_entry_of_a_zip_that_leads_outside_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "packed", "w") as zipped:
        zipped.writestr(name, "x")

    with pytest.raises(ValueError, match="leads outside"):
        unpack(tmp_path, "packed", "x", "zip")
