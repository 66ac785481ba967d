"""One question to a container (a command, an HTTP request, a connection, a gRPC health check) and its answer.

Pods live in another network: every connection is made by `dial`. A check answers None when all is well, else what
kubelet would say of it.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from windlass.kube.json import Object, dig, dig_list
from windlass.node.probes.grpc import health

Dial: TypeAlias = Callable[[str, int], Awaitable[socket.socket]]
Exec: TypeAlias = Callable[[list[str]], Awaitable[tuple[int, bytes]]]
"""Runs a command in the container: its exit code and output. It is cancelled when its time is over."""

USER_AGENT = "kube-probe/1.35"
MOST_REDIRECTS = 10
MOST_OUTPUT = 10 * 1024


class Reach:
    """How a container is reached: its pod's address, its named ports, and the means."""

    def __init__(self, container: Object, address: str, dial: Dial, exec: Exec) -> None:
        self.address, self.dial, self.exec = address, dial, exec
        self._ports = {each["name"]: each["containerPort"] for each in dig_list(container, "ports") if "name" in each}

    def port(self, port: object) -> int:
        """A number, or the name of one of the container's ports; ValueError with kubelet's words."""
        if isinstance(port, int):
            return port
        found = self._ports.get(str(port))
        if found is None:
            found = int(str(port)) if str(port).isdecimal() else None
        if found is None:
            raise ValueError(f'couldn\'t find port: "{port}" in container')
        return found


async def check(probe: Object, reach: Reach) -> str | None:
    """Ask what the probe says, within its `timeoutSeconds`."""
    within = float(probe.get("timeoutSeconds") or 1)
    try:
        if "exec" in probe:
            return await _exec(dig_list(probe, "exec", "command"), reach, within)
        if "httpGet" in probe:
            return await http_get(probe["httpGet"], reach, within)
        if "tcpSocket" in probe:
            return await _tcp(probe["tcpSocket"], reach, within)
        return await _grpc(dig(probe, "grpc") or {}, reach, within)
    except ValueError as error:
        return str(error)


async def _exec(command: list[str], reach: Reach, within: float) -> str | None:
    try:
        async with asyncio.timeout(within):
            code, output = await reach.exec(command)
    except TimeoutError:
        return f'command timed out: "{" ".join(command)}" timed out after {within:g}s'
    except OSError as error:
        return str(error)
    return None if code == 0 else output[:MOST_OUTPUT].decode(errors="replace")


async def _tcp(action: Object, reach: Reach, within: float) -> str | None:
    host, port = action.get("host") or reach.address, reach.port(action.get("port"))
    try:
        async with asyncio.timeout(within):
            (await reach.dial(host, port)).close()
    except TimeoutError:
        return f"dial tcp {host}:{port}: i/o timeout"
    except OSError as error:
        return dial_error(host, port, error)
    return None


async def _grpc(action: Object, reach: Reach, within: float) -> str | None:
    port = reach.port(action.get("port"))
    try:
        async with asyncio.timeout(within):
            return await health(await reach.dial(reach.address, port), action.get("service") or "")
    except TimeoutError:
        return (
            f'timeout: failed to connect service "{reach.address}:{port}" within {within:g}s: context deadline exceeded'
        )
    except OSError as error:
        return f"error: {dial_error(reach.address, port, error)}"


def dial_error(host: str, port: int, error: OSError) -> str:
    return f"dial tcp {host}:{port}: connect: {(error.strerror or str(error)).lower()}"


# HTTP


async def http_get(action: Object, reach: Reach, within: float) -> str | None:
    """Any answer from 200 to 399 is well; redirects are followed on the same host only."""
    host, port = action.get("host") or reach.address, reach.port(action.get("port"))
    scheme = (action.get("scheme") or "HTTP").lower()
    path = action.get("path") or "/"
    url = f"{scheme}://{host}:{port}{path if path.startswith('/') else '/' + path}"
    headers = {str(each.get("name")): str(each.get("value") or "") for each in dig_list(action, "httpHeaders")}
    try:
        async with asyncio.timeout(within):
            status = await _follow(url, headers, reach)
    except TimeoutError:
        return f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    except _Refused as refused:
        return f'Get "{url}": {refused}'
    return None if 200 <= status < 400 else f"HTTP probe failed with statuscode: {status}"


class _Refused(Exception):
    """No answer, and why not."""


async def _follow(url: str, headers: dict[str, str], reach: Reach) -> int:
    first = urlsplit(url).hostname
    for _ in range(MOST_REDIRECTS):
        status, location = await _ask(url, headers, reach)
        if status not in (301, 302, 303, 307, 308) or not location:
            return status
        url = urljoin(url, location)
        if urlsplit(url).hostname != first:  # another host's health is not the container's
            return status
    raise _Refused(f"stopped after {MOST_REDIRECTS} redirects")


async def _ask(url: str, headers: dict[str, str], reach: Reach) -> tuple[int, str]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        connection = await reach.dial(host, port)
    except OSError as error:
        raise _Refused(dial_error(host, port, error)) from error
    try:
        tls = _unverified() if parts.scheme == "https" else None
        reader, writer = await asyncio.open_connection(sock=connection, ssl=tls, server_hostname=host if tls else None)
    except (OSError, ssl.SSLError) as error:
        connection.close()
        raise _Refused(str(error)) from error
    try:
        writer.write(_request(parts.path + (f"?{parts.query}" if parts.query else ""), parts.netloc, headers))
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        raise _Refused("EOF") from error
    except (OSError, asyncio.LimitOverrunError) as error:
        raise _Refused(str(error).lower()) from error
    finally:
        writer.close()
    return _answer(head)


def _request(target: str, host: str, headers: dict[str, str]) -> bytes:
    sent = {"Host": host, "User-Agent": USER_AGENT, "Accept": "*/*"}
    for name, value in headers.items():
        sent.pop(next((known for known in sent if known.lower() == name.lower()), ""), None)
        sent[name] = value
    lines = [f"GET {target or '/'} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value)]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


def _answer(head: bytes) -> tuple[int, str]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdecimal():
        raise _Refused(f'net/http: HTTP/1.x transport connection broken: malformed HTTP response "{first}"')
    found = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("location:"))
    return int(words[1]), next(found, "")


def _unverified() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
