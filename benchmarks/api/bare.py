"""The least that a durable API server must do: the bare handler that Windlass is measured against.

An ASGI application on uvicorn, httptools and uvloop, with TLS and keep-alive. A POST is decoded, stamped, committed to
SQLite with fsync (many in one commit, by the same writer thread as Windlass') and answered; a GET answers stored bytes;
a list splices them; a PATCH merges and commits; a watch streams each change. No authentication, no validation, no
defaults, no field owners.

    python -m benchmarks.api.bare --port 9443 --pki DIR --store FILE
"""

import argparse
import asyncio
import sqlite3
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from windlass.apiserver.store.writer import Writer

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Row = tuple[int, str, bytes]

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_JSON = [(b"content-type", b"application/json")]
_CHUNK = 256 * 1024


class Log:
    """Group commit: what gathers during one fsync is the next transaction."""

    def __init__(self, path: Path) -> None:
        self._writer = Writer(partial(_connect, path))
        self._waiting: list[tuple[Row, asyncio.Future[None]]] = []

    def append(self, row: Row) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        if not self._waiting and not self._writer.busy:
            loop.call_soon(self._commit)
        self._waiting.append((row, future))
        return future

    def _commit(self) -> None:
        if self._waiting and not self._writer.busy:
            batch, self._waiting = self._waiting, []
            self._writer.submit(partial(_insert, rows=[row for row, _ in batch]), partial(self._done, batch))

    def _done(self, batch: list[tuple[Row, asyncio.Future[None]]], _: None, error: Exception | None) -> None:
        for _row, future in batch:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
        self._commit()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 2000")
    connection.execute("CREATE TABLE IF NOT EXISTS log (rev INTEGER PRIMARY KEY, name TEXT, value BLOB)")
    return connection


def _insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
    connection.execute(
        "INSERT INTO log VALUES " + ", ".join(["(?, ?, ?)"] * len(rows)), [value for row in rows for value in row]
    )


class Bare:
    """The application."""

    def __init__(self, store: Path) -> None:
        self._log = Log(store)
        self._objects: dict[str, bytes] = {}
        self._revision = 0
        self._watchers: set[asyncio.Queue[bytes]] = set()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        method, path = scope["method"], scope["path"]
        if method == "POST":
            obj = _decode(await _body(receive))
            await self._answer(send, 201, await self._create(obj))
        elif method == "PATCH":
            patch = _decode(await _body(receive))
            await self._answer(send, 200, await self._patch(path.rsplit("/", 1)[1], patch))
        elif path.endswith("/pods"):
            await (self._watch(send) if b"watch=true" in scope["query_string"] else self._list(send))
        elif path == "/readyz":
            await self._answer(send, 200, b"ok")
        else:
            value = self._objects.get(path.rsplit("/", 1)[1])
            await self._answer(send, 200 if value else 404, value or b"{}")

    async def _create(self, obj: dict[str, Any]) -> bytes:
        metadata = obj["metadata"]
        metadata["uid"] = str(uuid.uuid4())
        metadata["creationTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return await self._commit(obj, b"ADDED")

    async def _patch(self, name: str, patch: dict[str, Any]) -> bytes:
        return await self._commit(_merged(_decode(self._objects[name]), patch), b"MODIFIED")

    async def _commit(self, obj: dict[str, Any], kind: bytes) -> bytes:
        self._revision += 1
        name: str = obj["metadata"]["name"]
        obj["metadata"]["resourceVersion"] = str(self._revision)
        value = _encode(obj)
        await self._log.append((self._revision, name, value))
        self._objects[name] = value
        if self._watchers:
            event = b'{"type":"%b","object":%b}\n' % (kind, value)
            for queue in self._watchers:
                queue.put_nowait(event)
        return value

    async def _list(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _JSON})
        head = b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[' % self._revision
        piece, size = [head], 0
        for value in [self._objects[name] for name in sorted(self._objects)]:
            piece += (value, b",")
            size += len(value)
            if size >= _CHUNK:
                await send({"type": "http.response.body", "body": b"".join(piece), "more_body": True})
                piece, size = [], 0
        if piece and self._objects:
            piece.pop()
        await send({"type": "http.response.body", "body": b"".join([*piece, b"]}"])})

    async def _watch(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _JSON})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._watchers.add(queue)
        try:
            while True:
                await send({"type": "http.response.body", "body": await queue.get(), "more_body": True})
        finally:
            self._watchers.discard(queue)

    async def _answer(self, send: Send, status: int, body: bytes) -> None:
        headers = [*_JSON, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive) -> bytes:
    message = await receive()
    body: bytes = message["body"]
    while message["more_body"]:
        message = await receive()
        body += message["body"]
    return body


def _merged(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged


def main() -> None:
    parser = argparse.ArgumentParser(description="The bare handler that Windlass is measured against.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pki", type=Path, required=True, help="directory with server.crt and server.key")
    parser.add_argument("--store", type=Path, required=True, help="SQLite file")
    options = parser.parse_args()
    uvicorn.run(
        Bare(options.store),
        host="127.0.0.1",
        port=options.port,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        timeout_graceful_shutdown=1,  # its watchers never end by themselves
        access_log=False,
        log_level="error",
        ssl_certfile=options.pki / "server.crt",
        ssl_keyfile=options.pki / "server.key",
    )


if __name__ == "__main__":
    main()
