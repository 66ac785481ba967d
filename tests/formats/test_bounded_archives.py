"""Archives whose headers and directories ask for more memory than there is."""

import io
import tarfile
import zipfile

import pytest

from windlass.formats import bounded_archives
from windlass.formats.bounded_archives import BoundedTarInfo, open_zip


def opened(content: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:", tarinfo=BoundedTarInfo) as tar:
        return tar.getnames()


def header(type: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = type, size
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("type", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_an_extended_header_has_a_limit(type: bytes) -> None:
    with pytest.raises(tarfile.ReadError, match="extended header"):
        opened(header(type, 1 << 40))


def test_maps_of_sparse_files_are_not_read() -> None:
    with pytest.raises(tarfile.ReadError, match="sparse file"):
        opened(header(b"S", 0))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("holes")
        info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "holes"}
        tar.addfile(info)
    with pytest.raises(tarfile.ReadError, match="sparse file"):
        opened(made.getvalue())


def test_long_names_are_read() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("x" * 300))

    assert opened(made.getvalue()) == ["x" * 300]


def zipped(count: int) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number:04}", "")
        archive.comment = b"with a comment"
    return made


def test_a_zip_archive_has_a_limited_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_zip(zipped(50)) as archive:
        assert len(archive.namelist()) == 50
    monkeypatch.setattr(bounded_archives, "MAX_DIRECTORY", 1000)

    with pytest.raises(zipfile.BadZipFile, match="its directory has 2500 bytes"):
        open_zip(zipped(50))


def test_what_is_no_zip_archive_is_refused() -> None:
    for content in (b"", b"PK", b"no archive"):
        with pytest.raises(zipfile.BadZipFile):
            open_zip(io.BytesIO(content))
