"""The file browser of a volume: its pages and its REST API.

It uses the standard library alone, runs no commands, and trusts the gateway before it, which it recognises by a token:
files are changed only by requests that the gateway has marked with the header `x-windlass-may-write: true`. Files are
sent in a way that keeps their scripts from running in the gateway's origin.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import sys
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, quote, urlsplit

from windlass.formats.server_token import HEADER, HEALTH_PATH, REFUSAL, VARIABLE, is_gateway

from . import volume_changes as changes
from .previews import IMAGES, extension, preview
from .volume_paths import PRIVATE, Refused, Volume, names_in, split, walk_files

if TYPE_CHECKING:
    from collections.abc import Callable

MAY_WRITE = "x-windlass-may-write"
MAX_ENTRIES, MAX_JSON, MAX_PIECE = 20_000, 1 << 20, 64 << 20
PAGES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
STATUSES = {
    errno.ENOENT: 404,
    errno.EEXIST: 409,
    errno.ENOTEMPTY: 409,
    errno.EACCES: 403,
    errno.EPERM: 403,
    errno.EROFS: 403,
    errno.ENOSPC: 507,
    errno.EDQUOT: 507,
    errno.EINVAL: 400,
    errno.EISDIR: 400,
    errno.ENOTDIR: 400,
    errno.ENAMETOOLONG: 400,
}


def list_folder(volume: Volume, path: str) -> dict[str, Any]:
    """Return the entries of a folder; names that are not UTF-8 can be seen but not opened."""
    entries: list[dict[str, Any]] = []
    with volume.folder(path) as folder:
        names = [name for name in names_in(folder) if split(path) or name != PRIVATE]
        for name in names[:MAX_ENTRIES]:
            try:
                info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            shown = name.encode(errors="surrogateescape").decode(errors="replace")
            entry: dict[str, Any] = {"name": shown, "type": kind_of(info.st_mode), "size": info.st_size}
            entry["modified"] = info.st_mtime
            if shown != name:
                entry["unreadable"] = True
            if entry["type"] == "link":
                target = os.readlink(name, dir_fd=folder)
                entry["target"] = target.encode(errors="surrogateescape").decode(errors="replace")
                entry["leadsTo"] = linked_kind(volume, f"{path}/{name}")
            entries.append(entry)
    return {"path": "/".join(split(path)), "entries": entries, "truncated": len(names) > MAX_ENTRIES}


def linked_kind(volume: Volume, path: str) -> str:
    """Return what a link leads to; empty if that is outside the volume, or not there."""
    for kind, opening in (("folder", volume.folder), ("file", volume.file)):
        try:
            with opening(path):
                return kind
        except (OSError, Refused):
            continue
    return ""


def kind_of(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISLNK(mode):
        return "link"
    return "file" if stat.S_ISREG(mode) else "other"


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the first byte and the byte after the last of a Range; None to send all. Raises Refused (416)."""
    unit, _, wanted = header.partition("=")
    if unit.strip() != "bytes" or "," in wanted:
        return None
    first, dash, last = wanted.strip().partition("-")
    if not dash or not (first or last) or not (first + last).isdecimal():
        return None
    start = int(first) if first else max(0, size - int(last))
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        raise Refused(416, f"the file has {size} bytes")
    return start, end


class ChunkedWriter:
    """The body of an answer whose length is not known yet."""

    def __init__(self, write: Callable[[bytes], Any]) -> None:
        self._write = write

    def write(self, data: bytes) -> int:
        if data:
            self._write(b"%x\r\n%b\r\n" % (len(data), bytes(data)))
        return len(data)

    def flush(self) -> None:
        """Pieces are sent as they are written."""

    def close(self) -> None:
        self._write(b"0\r\n\r\n")


class Handler(BaseHTTPRequestHandler):
    """Serves one connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "windlass-files", ""
    timeout = 120
    volume: Volume
    token: str

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing for each request: the gateway does."""

    def do_GET(self) -> None:
        self._serve(self._get)

    def do_HEAD(self) -> None:
        self._serve(self._get)

    def do_POST(self) -> None:
        self._serve(self._change)

    def do_PATCH(self) -> None:
        self._serve(self._change)

    def do_DELETE(self) -> None:
        self._serve(self._change)

    def _serve(self, answer: Callable[[str, dict[str, list[str]]], None]) -> None:
        url = urlsplit(self.path)
        self._begun = False
        try:
            if url.path == HEALTH_PATH:
                return self._body(200, "text/plain", b"ok")
            if not is_gateway(self.token, self.headers.get(HEADER)):
                raise Refused(403, REFUSAL)
            answer(url.path, parse_qs(url.query, keep_blank_values=True))
        except Refused as error:
            self._problem(error.status, error.message)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True
        except OSError as error:
            status = STATUSES.get(error.errno or 0, 500)
            self._problem(status, (error.strerror or "the volume cannot be read").capitalize())
        except (ValueError, KeyError, RecursionError):
            self._problem(400, "the request is not valid")

    # --- answers

    def _start(self, status: int, headers: dict[str, str]) -> None:
        self._begun = True
        self.send_response(status)
        common = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}
        for name, value in {**common, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _body(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self._start(status, {"content-type": kind, "content-length": str(len(body)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _json(self, value: Any, status: int = 200) -> None:
        self._body(status, "application/json", json.dumps(value).encode())

    def _problem(self, status: int, message: str) -> None:
        """Answer an error; the connection ends, because the request's body may not have been read."""
        self.close_connection = True
        if not self._begun:
            self._body(status, "application/json", json.dumps({"error": message}).encode(), {"connection": "close"})

    # --- reading

    def _get(self, path: str, query: dict[str, list[str]]) -> None:
        wanted = query.get("path", [""])
        if path in PAGES:
            name, kind = PAGES[path]
            page = Path(__file__).with_name(name).read_bytes()
            self._body(200, f"{kind}; charset=utf-8", page, {"content-security-policy": PAGE_POLICY})
        elif path == "/api/list":
            self._json({**list_folder(self.volume, wanted[0]), "mayWrite": self._may_write()})
        elif path == "/api/preview":
            with self.volume.file(wanted[0]) as opened:
                info = os.fstat(opened)
                shown = preview(opened, wanted[0])
            self._json({"size": info.st_size, "modified": info.st_mtime, **shown})
        elif path == "/api/file":
            self._file(wanted[0], is_inline="inline" in query)
        elif path == "/api/zip":
            self._zip(wanted)
        elif path == "/api/bin":
            self._json({"entries": changes.deleted_entries(self.volume) if self._may_write() else []})
        elif path.startswith("/api/uploads/"):
            self._check_may_write()
            self._json(changes.upload_state(self.volume, path.removeprefix("/api/uploads/")))
        else:
            raise Refused(404, "there is no such page")

    def _file(self, path: str, *, is_inline: bool) -> None:
        with self.volume.file(path) as opened:
            info, name = os.fstat(opened), split(path)[-1]
            image = IMAGES.get(extension(name)) if is_inline else None
            tag = f'"{info.st_mtime_ns:x}-{info.st_size:x}"'
            headers = {
                "content-type": image or "application/octet-stream",
                "content-security-policy": FILE_POLICY,
                "content-disposition": f"{'inline' if image else 'attachment'}; {_file_name(name)}",
                "accept-ranges": "bytes",
                "etag": tag,
            }
            start, end, status = 0, info.st_size, 200
            wanted = self.headers.get("range")
            if wanted and self.headers.get("if-range", tag) == tag and (found := byte_range(wanted, info.st_size)):
                (start, end), status = found, 206
                headers["content-range"] = f"bytes {start}-{end - 1}/{info.st_size}"
            self._start(status, {**headers, "content-length": str(end - start)})
            if self.command != "HEAD":
                self._send(opened, start, end)

    def _send(self, opened: int, start: int, end: int) -> None:
        while start < end:
            data = os.pread(opened, min(1 << 20, end - start), start)
            if not data:  # it has been truncated: the client must not take it for complete
                self.close_connection = True
                return
            self.wfile.write(data)
            start += len(data)

    def _zip(self, paths: list[str]) -> None:
        """Send files and folders as an archive while it is made. Links are left out."""
        names = [split(path) for path in paths]
        title = names[0][-1] if len(names) == 1 and names[0] else "files"
        kind = {"content-type": "application/zip", "transfer-encoding": "chunked"}
        kind["content-disposition"] = f"attachment; {_file_name(f'{title}.zip')}"
        first = [self._check_readable(path) for path in paths]
        self._start(200, {**kind, "content-security-policy": FILE_POLICY})
        if self.command == "HEAD":
            return
        self.close_connection = True  # until the archive is complete
        body = ChunkedWriter(self.wfile.write)
        with zipfile.ZipFile(cast("Any", body), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path, name, is_folder in zip(paths, names, first):  # noqa: B905 - Python 3.9 has no strict
                if is_folder:
                    with self.volume.folder(path) as folder:
                        for inside, opened in walk_files(folder, name[-1] if name else ""):
                            _add(archive, inside, opened)
                else:
                    with self.volume.file(path) as opened:
                        _add(archive, name[-1], opened)
        body.close()
        self.close_connection = False

    def _check_readable(self, path: str) -> bool:
        """Return whether a path is a folder; raises for one that cannot be read, while an error can be answered."""
        try:
            with self.volume.folder(path):
                return True
        except Refused as error:
            if error.status != 400:
                raise
        with self.volume.file(path):
            return False

    # --- changing

    def _may_write(self) -> bool:
        return self.headers.get(MAY_WRITE, "") == "true"

    def _check_may_write(self) -> None:
        if not self._may_write():
            raise Refused(403, "you may look at this volume, not change it")
        if self.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "the request comes from another site")

    def _change(self, path: str, query: dict[str, list[str]]) -> None:
        self._check_may_write()
        if path.startswith("/api/uploads/"):
            self._upload(path.removeprefix("/api/uploads/"))
        elif self.command != "POST":
            raise Refused(405, "the method is not allowed")
        else:
            self._json(self._changed(path, self._request_json()))

    def _changed(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        if path == "/api/folder":
            changes.make_folder(self.volume, str(request["path"]))
        elif path == "/api/move":
            changes.move(self.volume, str(request["from"]), str(request["to"]))
        elif path == "/api/delete":
            return {"deleted": [changes.delete(self.volume, str(each)) for each in request["paths"]]}
        elif path == "/api/restore":
            return {"restored": [changes.restore(self.volume, str(each)) for each in request["ids"]]}
        elif path == "/api/empty-bin":
            changes.empty_bin(self.volume)
        elif path == "/api/uploads":
            wanted, size = str(request["path"]), int(request["size"])
            return changes.start_upload(self.volume, wanted, size, replace=bool(request.get("replace")))
        else:
            raise Refused(404, "there is no such action")
        return {}

    def _upload(self, number: str) -> None:
        if self.command == "DELETE":
            changes.cancel_upload(self.volume, number)
            self._json({})
            return
        length = self._length(MAX_PIECE)
        offset = int(self.headers.get("upload-offset", ""))
        self._json(changes.append(self.volume, number, offset, length, self.rfile))

    def _request_json(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "the request must be JSON")
        value = json.loads(self.rfile.read(self._length(MAX_JSON)))
        if not isinstance(value, dict):
            raise Refused(400, "the request must be a JSON object")
        return cast("dict[str, Any]", value)

    def _length(self, largest: int) -> int:
        length = self.headers.get("content-length", "")
        if not length.isdecimal():
            raise Refused(411, "the request needs a content-length")
        if int(length) > largest:
            raise Refused(413, f"the request has more than {largest} bytes")
        return int(length)


def _file_name(name: str) -> str:
    return f"filename*=UTF-8''{quote(name, safe='')}"


def _add(archive: zipfile.ZipFile, name: str, opened: int) -> None:
    entry = zipfile.ZipInfo(name.encode(errors="surrogateescape").decode(errors="replace"))
    entry.date_time = max(time.localtime(os.fstat(opened).st_mtime)[:6], (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(entry, "w", force_zip64=True) as target, os.fdopen(os.dup(opened), "rb") as source:
        shutil.copyfileobj(source, target, 1 << 20)


def serve(root: str, port: int, token: str, host: str = "") -> ThreadingHTTPServer:
    """Return a server of a folder for who sends the token, listening; call its `serve_forever`."""
    handler = type("VolumeHandler", (Handler,), {"volume": Volume(root), "token": token})
    server = ThreadingHTTPServer((host, port), handler)
    server.daemon_threads = True
    return server


def main(arguments: list[str]) -> None:
    root, port = (arguments[0] if arguments else "/data"), int(arguments[1]) if len(arguments) > 1 else 8080
    token = os.environ.get(VARIABLE, "")
    if not token:
        sys.exit(f"{VARIABLE} is not set: without a token nobody could be admitted")
    os.umask(0)  # the volume's pods run as other users
    # Without a network of its own the pod has an address of the machine's loopback.
    server = serve(root, port, token, os.environ.get("WINDLASS_POD_IP", ""))
    try:
        changes.remove_expired(cast("Any", server.RequestHandlerClass).volume)
    except OSError as error:  # a volume that is mounted read-only can be looked at
        sys.stderr.write(f"the bin is not available: {error}\n")
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
