"""Output artifacts as Argo would store them."""

import io
import tarfile
import zipfile
from typing import Any

import pytest

from windlass.apps.pipelines.argo.artifacts.archive_formats import packed, packed_object, stored_name


def an_artifact(**archive: Any) -> dict[str, Any]:
    return {"name": "model", "path": "/out/model.json", **({"archive": archive} if archive else {})}


def files_of_tgz(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def files_of_zip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def a_folder(**files: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


@pytest.mark.parametrize(
    ("archive", "name"),
    [
        ({}, "model.tgz"),
        ({"tar": {"compressionLevel": 0}}, "model.tgz"),
        ({"zip": {}}, "model.zip"),
        ({"none": {}}, "model"),
    ],
)
def test_a_key_says_how_the_object_is_packed(archive: dict[str, Any], name: str) -> None:
    assert stored_name(an_artifact(**archive)) == name


def test_a_file_is_packed_under_the_name_of_its_path() -> None:
    assert files_of_tgz(packed(an_artifact(), b"{}", is_folder=False)) == {"model.json": b"{}"}
    assert files_of_zip(packed(an_artifact(zip={}), b"{}", is_folder=False)) == {"model.json": b"{}"}
    assert packed(an_artifact(none={}), b"{}", is_folder=False) == b"{}"


def test_a_folder_is_packed_with_its_files() -> None:
    folder = a_folder(a=b"1", b=b"2")

    assert files_of_tgz(packed(an_artifact(), folder, is_folder=True)) == {"model.json/a": b"1", "model.json/b": b"2"}


def test_what_is_packed_already_is_not_packed_again() -> None:
    once = packed_object("artifacts/w/p/model.tgz", b"text", is_folder=False)

    assert files_of_tgz(once) == {"model": b"text"}
    assert packed_object("artifacts/w/p/model.tgz", once, is_folder=False) == once
    assert packed_object("artifacts/w/p/model", b"text", is_folder=False) == b"text"
