"""The part of HTTP that the API server uses with a node: one request per connection, then a response or an upgrade."""

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote

from windlass.kube.errors import ApiError
from windlass.kube.json import encode

MAX_HEAD = 64 << 10
_HEAD_TIMEOUT = 30.0


class BadHttp(Exception):
    """The request is malformed."""


@dataclass(frozen=True)
class Request:
    """A request. Header names are in lower case; repeated headers are joined by commas."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: dict[str, str]

    def first(self, *names: str) -> str:
        """Return the first value of a query parameter by any of its names."""
        return next((value for name, value in self.query if name in names), "")

    def all_values(self, *names: str) -> list[str]:
        return [value for name, value in self.query if name in names]

    def flag(self, *names: str) -> bool:
        """Parse a boolean as Kubernetes does: true unless it says no, also `?follow` alone, and Python's `True`."""
        values = self.all_values(*names)
        return bool(values) and values[0].lower() not in ("0", "f", "false")

    def listed(self, header: str) -> list[str]:
        """Return a header's values as a list."""
        return [part.strip() for part in self.headers.get(header, "").split(",") if part.strip()]


async def read_request(reader: asyncio.StreamReader) -> Request:
    try:
        async with asyncio.timeout(_HEAD_TIMEOUT):
            head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError) as error:
        raise BadHttp("no request came") from error
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    target, _, version = rest.rpartition(" ")
    if not target.startswith("/") or not version.startswith("HTTP/1."):
        raise BadHttp("malformed request")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            key = name.strip().lower()
            headers[key] = f"{headers[key]}, {value.strip()}" if key in headers else value.strip()
    path, _, query = target.partition("?")
    return Request(method, unquote(path), tuple(parse_qsl(query, keep_blank_values=True)), headers)


@dataclass(frozen=True)
class Answer:
    """A complete response."""

    code: int
    body: bytes
    content_type: str = "application/json"


def json(value: object, code: int = 200) -> Answer:
    return Answer(code, encode(value))


def text(message: str, code: int = 200, content_type: str = "text/plain; charset=utf-8") -> Answer:
    return Answer(code, message.encode(), content_type)


def status(error: ApiError) -> Answer:
    """Return a Status, which every client can parse; it is passed on unchanged."""
    return json(error.status(), error.code)


def head(code: int, headers: Iterable[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {code} {HTTPStatus(code).phrase}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def send(writer: asyncio.StreamWriter, answer: Answer) -> None:
    length = ("Content-Length", str(len(answer.body)))
    writer.write(head(answer.code, [("Content-Type", answer.content_type), length, ("Connection", "close")]))
    writer.write(answer.body)
    await writer.drain()


class Chunks:
    """A response of unknown length."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def begin(self, content_type: str = "text/plain") -> None:
        headers = [("Content-Type", content_type), ("Transfer-Encoding", "chunked"), ("Connection", "close")]
        self._writer.write(head(200, headers))
        await self._writer.drain()

    async def write(self, data: bytes) -> None:
        if data:
            self._writer.writelines((b"%x\r\n" % len(data), data, b"\r\n"))
            await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(5):
            await writer.wait_closed()
