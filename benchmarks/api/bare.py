"""The least that a durable API server must do: the bare handler that Windlass is measured against.

An ASGI application on uvicorn, httptools and uvloop, with TLS and keep-alive. A POST is decoded, stamped, written and
synced (many in one write, by Windlass' own journal, and to nothing else) and answered; a GET answers stored bytes; a
list splices them; a PATCH merges and writes; a watch streams each change. No authentication, no validation, no
defaults, no field owners, no data file.

    python -m benchmarks.api.bare --port 9443 --pki DIR --store FILE
"""

import argparse
import asyncio
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from windlass.apiserver.store.commit import Entry
from windlass.apiserver.store.journal import create

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_JSON = [(b"content-type", b"application/json")]
_CHUNK = 256 * 1024


class Log:
    """Group commit: what gathers in one turn of the event loop is one write."""

    def __init__(self, path: Path) -> None:
        journal = create(path)
        assert journal is not None, f"no room for a journal beside {path}"
        self._journal = journal
        self._newest = 0
        self._waiting: list[tuple[Entry, asyncio.Future[None]]] = []

    def append(self, row: Entry) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._commit)
        self._waiting.append((row, future))
        return future

    def _commit(self) -> None:
        batch, self._waiting = self._waiting, []
        rows = [row for row, _ in batch]
        record = self._journal.prepare(rows, self._newest)
        assert record is not None, "the batch is larger than a record of the journal can be"
        self._journal.write(record)
        self._newest = rows[-1][0]
        self._journal.release(self._newest)
        for _, future in batch:
            future.set_result(None)


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
        await self._log.append((self._revision, "/pods", name, 1, self._revision, value))
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
    parser.add_argument("--store", type=Path, required=True, help="file that the journal lies beside")
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
