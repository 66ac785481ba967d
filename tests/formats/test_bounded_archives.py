"""Archives whose headers and directories ask for more memory than there is."""

import io
import tarfile
import time
import zipfile
from typing import Any

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


def block(type: bytes, content: bytes) -> bytes:
    return header(type, len(content)) + content + bytes(-len(content) % 512)


FILE = block(tarfile.REGTYPE, b"a: 1") + bytes(1024)
RECORDS = b"".join(b"11 k%04d=a\n" % number for number in range(300))
HOSTILE = {
    "names in a row": (block(tarfile.GNUTYPE_LONGNAME, b"x\0") * 2_000, "in a row"),
    "headers in a row": (block(tarfile.XHDTYPE, b"11 path=ab\n") * 2_000, "in a row"),
    "global headers in a row": (block(tarfile.XGLTYPE, b"11 path=ab\n") * 2_000, "in a row"),
    "digits": (block(tarfile.XHDTYPE, b"200010 a=" + b"1" * 200_000 + b"\n"), "more than 64 digits"),
    "digits without a key": (block(tarfile.XHDTYPE, b"1" * 200_000), "not valid"),
    "overlapping records": (block(tarfile.XHDTYPE, b"2 " * 100_000 + b"="), "not valid"),
    "records without a line feed": (block(tarfile.XHDTYPE, b"5 a=b"), "not valid"),
    "many records": (block(tarfile.XHDTYPE, RECORDS), "more than 256 records"),
    "many records of two headers": (
        block(tarfile.XGLTYPE, RECORDS[: 11 * 200]) + block(tarfile.XHDTYPE, RECORDS[: 11 * 100]),
        "more than 256 records",
    ),
    "no number": (block(tarfile.XHDTYPE, b"22 GNU.sparse.map=a,b\n"), "cannot be read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_headers_that_tarfile_reads_with_much_time_or_memory_are_refused(name: str) -> None:
    content, problem = HOSTILE[name]
    begin = time.process_time()
    with pytest.raises(tarfile.ReadError, match=problem):
        opened(content + FILE)
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("mode", ["r:", "r|", "r:*"])
def test_extended_headers_are_read_in_every_mode(mode: Any) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "a"}) as tar:
        for name in ("a" * 300, "b", "ü" * 200):
            info = tarfile.TarInfo(name)
            info.mtime, info.size, info.pax_headers = 1.5, 3, {"SCHILY.xattr.user.a": "x\ny=z"}
            tar.addfile(info, io.BytesIO(b"abc"))
    made.seek(0)
    with tarfile.open(fileobj=made, mode=mode, tarinfo=BoundedTarInfo) as tar:
        read = [(member.name, member.mtime, file.read()) for member in tar if (file := tar.extractfile(member))]
    assert read == [("a" * 300, 1.5, b"abc"), ("b", 1.5, b"abc"), ("ü" * 200, 1.5, b"abc")]


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
