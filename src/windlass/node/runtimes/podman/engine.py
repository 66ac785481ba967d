"""A client of podman's or docker's API on their Unix socket."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp

from windlass.kube.json import Object, dig, dig_list

_ANSWER_WITHIN = 120.0


class Refused(Exception):
    """The engine refused a request; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Engine:
    """One engine. Calls raise OSError if it does not answer, Refused if it refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.version = ""
        self.rootless = False
        self.is_podman = False
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        self._session = aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(self.path), limit=0))
        version, info = await self.get("/version"), await self.get("/info")
        names = [str(each.get("Name")) for each in dig_list(version, "Components")]
        self.version = f"{next(iter(names), 'engine')} {dig(version, 'Version') or ''}".strip()
        self.is_podman = any("podman" in each.lower() for each in names)
        self.rootless = any("rootless" in str(each) for each in dig_list(info, "SecurityOptions"))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, **query: Any) -> Any:
        return await self._ask("GET", path, query)

    async def post(self, path: str, body: Object | bytes | None = None, **query: Any) -> Any:
        return await self._ask("POST", path, query, body)

    async def delete(self, path: str, **query: Any) -> Any:
        return await self._ask("DELETE", path, query)

    async def _ask(self, method: str, path: str, query: Mapping[str, Any], body: Object | bytes | None = None) -> Any:
        async with self._request(method, path, query, body, _ANSWER_WITHIN) as response:
            text = await response.text()
            if response.status >= 400:
                raise Refused(response.status, _message(text))
            return json.loads(text) if text.strip().startswith(("{", "[")) else None

    def _request(
        self, method: str, path: str, query: Mapping[str, Any], body: Object | bytes | None, within: float | None
    ) -> "aiohttp.client._RequestContextManager":  # pyright: ignore[reportPrivateUsage] - it has no other name
        assert self._session is not None
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        kind = "application/x-tar" if isinstance(body, bytes) else "application/json"
        return self._session.request(
            method, address(path, query), data=data, headers={"Content-Type": kind},
            timeout=aiohttp.ClientTimeout(total=within, sock_connect=10),
        )  # fmt: skip

    async def chunks(self, method: str, path: str, **query: Any) -> AsyncIterator[bytes]:
        """Yield a streaming response as it arrives."""
        async with self._request(method, path, query, None, None) as response:
            if response.status >= 400:
                raise Refused(response.status, _message(await response.text()))
            async for chunk in response.content.iter_any():
                yield chunk

    async def lines(self, method: str, path: str, **query: Any) -> AsyncIterator[Object]:
        """Yield a stream of JSON objects, one per line."""
        rest = b""
        async for chunk in self.chunks(method, path, **query):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                if line.strip():
                    yield json.loads(line)
        if rest.strip():
            yield json.loads(rest)

    async def hijack(
        self, path: str, body: Object | None = None, **query: Any
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection that carries a process' streams after the request."""
        reader, writer = await asyncio.open_unix_connection(str(self.path))
        try:
            writer.write(hijacking(path, query, body))
            await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            if status >= 400:
                raise Refused(status, _message((await reader.read(65536)).decode(errors="replace")))
        except asyncio.IncompleteReadError as error:
            writer.close()
            raise ConnectionError("the engine hung up") from error
        except BaseException:
            writer.close()
            raise
        return reader, writer


def address(path: str, query: Mapping[str, Any]) -> str:
    given = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    return f"http://engine{path}" + (f"?{urlencode(given)}" if given else "")


def hijacking(path: str, query: Mapping[str, Any], body: Object | None) -> bytes:
    """Encode the request that turns a connection into a process' streams."""
    content = b"" if body is None else json.dumps(body).encode()  # podman hands a body to attach on as input
    target = address(path, query).removeprefix("http://engine")
    lines = [
        f"POST {target} HTTP/1.1",
        "Host: engine",
        "Content-Type: application/json",
        "Connection: Upgrade",
        "Upgrade: tcp",
        f"Content-Length: {len(content)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + content


def _message(text: str) -> str:
    try:
        answer = json.loads(text[text.index("{") :])
    except ValueError:
        return text.strip()
    return str(answer.get("message") or answer.get("cause") or text).strip()


def candidates(data: Path) -> list[Path]:
    """Return sockets where an engine may listen; `run/engine.sock` in the data directory links to the preferred one."""
    own = Path(f"/run/user/{os.getuid()}")
    return [
        data / "run" / "engine.sock",
        *([own / "podman" / "podman.sock", own / "docker.sock"] if os.getuid() else []),
        Path("/run/podman/podman.sock"),
        Path("/var/run/docker.sock"),
    ]


async def connect(data: Path) -> Engine:
    """Connect to the first engine that answers. Raises OSError."""
    problems: list[str] = []
    for path in candidates(data):
        engine = Engine(path)
        try:
            await engine.open()
        except (OSError, aiohttp.ClientError, Refused) as error:
            await engine.close()
            problems.append(f"{path}: {error}")
        else:
            return engine
    raise OSError("; ".join(problems))
