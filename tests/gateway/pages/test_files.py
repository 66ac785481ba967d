"""Which encoding of a built file a browser gets."""

from pathlib import Path

import pytest

from windlass.gateway.pages.files import accepts, read


@pytest.mark.parametrize(
    ("header", "encoding", "is_accepted"),
    [
        ("gzip, deflate, br, zstd", "br", True),
        ("gzip, deflate, br;q=0", "br", False),
        ("gzip;q=0.5", "gzip", True),
        ("gzip;q=0.000", "gzip", False),
        ("*", "br", True),
        ("*;q=0, gzip", "br", False),
        ("identity", "gzip", False),
        ("", "gzip", False),
        ("brotli", "br", False),
        ("br;q=x", "br", False),
    ],
)
def test_an_encoding_is_used_only_where_it_is_accepted(header: str, encoding: str, is_accepted: bool) -> None:
    assert accepts(header, encoding) is is_accepted


@pytest.mark.parametrize(
    "name",
    [
        "../secret.js",
        "assets/../../secret.js",
        "/etc/x.js",
        ".built",
        "assets/.x.js",
        "a.js\0",
        "assets",
        "a.py",
        "a.js/b.js",
    ],
)
def test_nothing_outside_the_built_files_is_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    for path in (
        tmp_path / "secret.js",
        folder / ".built",
        folder / "a.py",
        folder / "a.js",
        folder / "assets" / ".x.js",
    ):
        path.write_text("secret")

    assert read(folder, name, "br, gzip") is None


def test_the_smallest_accepted_form_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"plain")
    (tmp_path / "a.js.gz").write_bytes(b"gzip")

    found = [read(tmp_path, "a.js", accepted) for accepted in ("", "br", "br, gzip")]

    assert [(file.body, file.encoding) for file in found if file] == [(b"plain", ""), (b"plain", ""), (b"gzip", "gzip")]
