"""The REST API of the file browser, asked over HTTP."""

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.node.images.file_browser.volume_server import WRITER, Browser, browsing
from windlass.node.images.programs.file_browser import volume_changes
from windlass.node.images.programs.file_browser.volume_paths import PRIVATE


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    (tmp_path / "volume").mkdir()
    (tmp_path / "secret").write_text("secret")
    with browsing(tmp_path / "volume") as made:
        yield made


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path / "volume"


def test_a_folder_is_listed_with_its_links_and_without_the_bin(browser: Browser, top: Path) -> None:
    (top / "sub").mkdir()
    (top / "file").write_text("four")
    (top / "out").symlink_to("/etc")
    (top / "in").symlink_to("sub")
    (top / PRIVATE).mkdir()
    (top / os.fsdecode(b"\xff")).touch()

    entries = {entry["name"]: entry for entry in browser.get("/api/list?path=")["entries"]}

    assert sorted(entries) == ["file", "in", "out", "sub", "\ufffd"]
    assert (entries["file"]["type"], entries["file"]["size"]) == ("file", 4)
    assert (entries["in"]["leadsTo"], entries["out"]["leadsTo"]) == ("folder", "")
    assert entries["\ufffd"]["unreadable"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/folder"),
        ("POST", "/api/move"),
        ("POST", "/api/delete"),
        ("POST", "/api/restore"),
        ("POST", "/api/empty-bin"),
        ("POST", "/api/uploads"),
        ("PATCH", f"/api/uploads/{'0' * 32}"),
        ("DELETE", f"/api/uploads/{'0' * 32}"),
        ("GET", f"/api/uploads/{'0' * 32}"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"x-windlass-may-write": "false"}, {**WRITER, "sec-fetch-site": "cross-site"}])
def test_nothing_is_changed_without_the_gateways_word(
    browser: Browser, top: Path, method: str, path: str, headers: dict[str, str]
) -> None:
    (top / "kept").touch()
    body = json.dumps({"path": "new", "from": "kept", "to": "gone", "paths": ["kept"], "ids": [], "size": 0}).encode()

    status, _, _ = browser.ask(method, path, body, {"content-type": "application/json", **headers})

    assert status == 403
    assert [entry.name for entry in top.iterdir()] == ["kept"]


def test_who_may_not_write_sees_an_empty_bin_and_no_right(browser: Browser) -> None:
    _, _, body = browser.ask("GET", "/api/list?path=", headers={})
    assert json.loads(body)["mayWrite"] is False
    assert json.loads(browser.ask("GET", "/api/bin", headers={})[2]) == {"entries": []}


@pytest.mark.parametrize(
    ("range_header", "status", "data"),
    [
        ("", 200, b"0123456789"),
        ("bytes=2-4", 206, b"234"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=5-99", 206, b"56789"),
        ("bytes=10-", 416, None),
        ("bytes=0-1,3-4", 200, b"0123456789"),
        ("lines=1-2", 200, b"0123456789"),
    ],
)
def test_a_file_is_sent_whole_or_a_range_of_it(
    browser: Browser, top: Path, range_header: str, status: int, data: bytes | None
) -> None:
    (top / "f").write_bytes(b"0123456789")

    found, _, body = browser.ask("GET", "/api/file?path=f", headers={"range": range_header} if range_header else {})

    assert found == status
    assert data is None or body == data


@pytest.mark.parametrize("name", ["evil.html", "evil.svg", "x.js", "image.png", 'a"; b.txt', "ü\n"])
def test_no_file_runs_in_the_gateways_origin(browser: Browser, top: Path, name: str) -> None:
    (top / name).write_text("<script>alert(1)</script>")

    for more in ("", "&inline"):
        status, headers, _ = browser.ask("GET", f"/api/file?path={quote(name)}{more}")
        assert status == 200
        assert headers["content-security-policy"].endswith("sandbox")
        assert headers["x-content-type-options"] == "nosniff"
        is_image = headers["content-type"].startswith("image/")
        assert headers["content-disposition"].startswith("inline" if is_image else "attachment")
        assert "html" not in headers["content-type"]


@pytest.mark.parametrize("path", ["../secret", "%2e%2e/secret", "..%2fsecret", "/../secret", "out", "folder/secret"])
def test_files_outside_are_not_sent(browser: Browser, top: Path, path: str) -> None:
    (top / "out").symlink_to("../secret")
    (top / "folder").symlink_to("..")

    for action in ("file", "preview", "list", "zip"):
        status, _, body = browser.ask("GET", f"/api/{action}?path={path}")
        assert status in (400, 403, 404)
        assert b'"secret"' not in body


@pytest.mark.parametrize(
    ("action", "request_body", "status"),
    [
        ("folder", {"path": "folder/new"}, 403),
        ("folder", {"path": "../new"}, 400),
        ("folder", {"path": ""}, 400),
        ("folder", {"path": "there"}, 409),
        ("folder", {"path": "x" * 300}, 400),
        ("folder", {}, 400),
        ("move", {"from": "there", "to": "folder/gone"}, 403),
        ("move", {"from": "folder/secret", "to": "mine"}, 403),
        ("move", {"from": "there", "to": "there/inner"}, 400),
        ("move", {"from": "nothing", "to": "x"}, 404),
        ("delete", {"paths": ["folder/secret"]}, 403),
        ("delete", {"paths": [PRIVATE]}, 403),
        ("restore", {"ids": ["../.."]}, 404),
        ("restore", {"ids": ["0" * 32]}, 404),
        ("uploads", {"path": "folder/secret", "size": 3, "replace": True}, 403),
        ("uploads", {"path": "a", "size": -1}, 400),
        ("nonsense", {}, 404),
    ],
)
def test_what_cannot_be_changed_is_answered_with_a_reason(
    browser: Browser, top: Path, action: str, request_body: Any, status: int
) -> None:
    (top / "there").mkdir()
    (top / "folder").symlink_to("..")

    found, answer = browser.post(action, request_body)

    assert (found, list(answer)) == (status, ["error"])
    assert (top.parent / "secret").read_text() == "secret"
    assert sorted(entry.name for entry in top.parent.iterdir()) == ["secret", "volume"]


def test_files_are_made_moved_deleted_and_restored(browser: Browser, top: Path) -> None:
    assert browser.post("folder", {"path": "new"})[0] == 200
    (top / "new" / "file").write_text("x")
    assert browser.post("move", {"from": "new/file", "to": "renamed"})[0] == 200
    assert browser.names() == ["new", "renamed"]

    status, answer = browser.post("delete", {"paths": ["renamed", "new"]})
    assert (status, browser.names()) == (200, [])
    assert {entry["path"] for entry in browser.get("/api/bin")["entries"]} == {"renamed", "new"}
    assert browser.post("restore", {"ids": answer["deleted"]})[0] == 200
    assert ((top / "renamed").read_text(), browser.names()) == ("x", ["new", "renamed"])

    (again,) = browser.post("delete", {"paths": ["renamed"]})[1]["deleted"]
    (top / "renamed").touch()
    assert browser.post("restore", {"ids": [again]})[0] == 409
    assert browser.post("empty-bin", {})[0] == 200
    assert browser.get("/api/bin") == {"entries": []}


def test_an_upload_in_pieces_continues_where_it_stopped(browser: Browser, top: Path) -> None:
    _, part = browser.post("uploads", {"path": "a/b/file", "size": 6})
    url = f"/api/uploads/{part['id']}"

    def piece(data: bytes, offset: int) -> int:
        return browser.ask("PATCH", url, data, {**WRITER, "upload-offset": str(offset)})[0]

    assert piece(b"abc", 0) == 200
    assert browser.names("a/b") == []
    assert piece(b"abc", 0) == 409, "that piece has arrived already"
    assert browser.get(url)["offset"] == 3
    assert piece(b"toolong", 3) == 400
    assert piece(b"def", 3) == 200
    assert (top / "a" / "b" / "file").read_bytes() == b"abcdef"
    assert browser.get(url) == 404
    assert browser.post("uploads", {"path": "a/b/file", "size": 1})[0] == 409
    assert browser.post("uploads", {"path": "a/b/file", "size": 0, "replace": True})[1]["done"]
    assert (top / "a" / "b" / "file").read_bytes() == b""


def test_an_upload_that_is_cancelled_or_forgotten_leaves_nothing(
    browser: Browser, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [browser.post("uploads", {"path": "f", "size": 9})[1]["id"] for _ in range(2)]
    assert browser.ask("DELETE", f"/api/uploads/{numbers[0]}")[0] == 200
    monkeypatch.setattr(volume_changes, "BIN_SECONDS", -60)
    volume_changes.remove_expired(volume_changes.Volume(str(top)))

    assert list((top / PRIVATE / "uploads").iterdir()) == []


def test_an_archive_has_files_of_folders_and_no_links(browser: Browser, top: Path) -> None:
    (top / "sub" / "deep").mkdir(parents=True)
    (top / "sub" / "deep" / "a").write_text("A")
    (top / "b").write_bytes(os.urandom(3 << 20))
    (top / "sub" / "out").symlink_to("../../secret")

    _, headers, body = browser.ask("GET", "/api/zip?path=sub&path=b", headers={})

    archive = zipfile.ZipFile(io.BytesIO(body))
    assert archive.namelist() == ["sub/deep/a", "b"]
    assert archive.read("b") == (top / "b").read_bytes()
    assert headers["content-type"] == "application/zip"
    assert browser.ask("GET", "/api/zip?path=nothing")[0] == 404


def test_previews_show_text_tables_and_notebooks(browser: Browser, top: Path) -> None:
    (top / "t.csv").write_text("a,b\n1,2\n")
    (top / "t.md").write_text("# Hi")
    (top / "t.bin").write_bytes(b"\0\1")
    (top / "t.png").write_bytes(b"x")
    (top / "broken.ipynb").write_text("[1]")
    outputs = [
        {"output_type": "display_data", "data": {"image/png": "AAAA", "text/html": "<script>"}},
        {"output_type": "display_data", "data": {"image/png": '"><script>'}},
    ]
    cells = [{"cell_type": "code", "source": ["1\n", "2"], "outputs": outputs}, "nonsense"]
    (top / "t.ipynb").write_text(json.dumps({"cells": cells}))

    def shown(name: str) -> Any:
        return browser.get(f"/api/preview?path={name}")

    assert shown("t.csv")["rows"] == [["a", "b"], ["1", "2"]]
    assert shown("t.md")["text"] == "# Hi"
    assert (shown("t.bin")["kind"], shown("t.png")["kind"], shown("broken.ipynb")["kind"]) == (
        "binary",
        "image",
        "text",
    )
    assert shown("t.ipynb")["cells"][0] == {
        "type": "code",
        "source": "1\n2",
        "outputs": [{"type": "image", "url": "data:image/png;base64,AAAA"}],
    }


def test_the_page_is_complete_in_itself(browser: Browser) -> None:
    for path in ("/", "/page.css", "/page.js"):
        status, headers, body = browser.ask("GET", path, headers={})
        assert status == 200
        assert "script-src 'self'" in headers["content-security-policy"]
        assert b"https://" not in body.replace(b"http://www.w3.org", b"")
    assert browser.ask("GET", "/volume_paths.py")[0] == 404


def test_a_full_disk_is_reported(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    _, part = browser.post("uploads", {"path": "f", "size": 3})

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(volume_changes, "_receive", full)
    status, _, body = browser.ask("PATCH", f"/api/uploads/{part['id']}", b"abc", {**WRITER, "upload-offset": "0"})

    assert (status, json.loads(body)) == (507, {"error": "No space left on device"})


@pytest.mark.parametrize("token", ["", "a", "b" * 64, "ä" * 64])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/api/list?path="), ("POST", "/api/empty-bin")])
def test_only_the_gateway_is_answered(browser: Browser, token: str, method: str, path: str) -> None:
    headers = {
        **WRITER,
        "content-type": "application/json",
        "x-windlass-server-token": token.encode().decode("latin-1"),
    }

    status, _, body = browser.ask(method, path, b"{}" if method == "POST" else None, headers)

    assert (status, json.loads(body)) == (403, {"error": "this server answers the gateway only: open its page there"})


def test_a_probe_needs_no_token(browser: Browser) -> None:
    status, _, body = browser.ask("GET", "/healthz", headers={"x-windlass-server-token": ""})

    assert (status, body) == (200, b"ok")
