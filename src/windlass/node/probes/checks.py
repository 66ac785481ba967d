"""Single checks of a container (a command, an HTTP request, a connection, a gRPC health check).

Pods are in another network, so every connection is made by `dial`. A check returns None on success, else kubelet's
message.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.kube.json import Object, dig, dig_list
from windlass.node.lifecycle.times import format_duration
from windlass.node.probes import http
from windlass.node.probes.http import Dial, dial_error

Exec: TypeAlias = Callable[[list[str]], Awaitable[tuple[int, bytes]]]
"""Runs a command in the container; returns its exit code and output. Cancelled when it times out."""

USER_AGENT = "kube-probe/1.35"
MAX_OUTPUT = 10 * 1024


class ProbeError(Exception):
    """The check could not be performed; the result does not count."""


class ProbeTarget:
    """How to reach a container: its pod's address, its named ports, and functions to connect and to execute."""

    def __init__(self, container: Object, address: str, dial: Dial, exec: Exec) -> None:
        self.address, self.dial, self.exec = address, dial, exec
        self._ports = {each["name"]: each["containerPort"] for each in dig_list(container, "ports") if "name" in each}

    def port(self, port: object) -> int:
        """Return the number of a port or of a named port of the container. Raises ValueError with kubelet's message."""
        found = self._ports.get(port, port)
        text = str(found)
        if not text.removeprefix("-").isdecimal():
            raise ValueError(f'strconv.Atoi: parsing "{text}": invalid syntax')
        if not 0 < int(text) < 65536:
            raise ValueError(f"invalid port number: {text}")
        return int(text)


async def check(probe: Object, target: ProbeTarget) -> str | None:
    """Perform a probe within its `timeoutSeconds`. Raises ProbeError."""
    within = float(probe.get("timeoutSeconds") or 1)
    try:
        if "exec" in probe:
            return await _exec(dig_list(probe, "exec", "command"), target, within)
        if "httpGet" in probe:
            return await _http(probe["httpGet"], target, within)
        if "tcpSocket" in probe:
            return await _tcp(probe["tcpSocket"], target, within)
        return await _grpc(dig(probe, "grpc") or {}, target, within)
    except ValueError as error:
        raise ProbeError(str(error)) from error


async def _exec(command: list[str], target: ProbeTarget, within: float) -> str | None:
    limit = asyncio.timeout(within)
    try:
        async with limit:
            code, output = await target.exec(command)
    except OSError as error:
        if limit.expired():
            return f'command timed out: "{" ".join(command)}" timed out after {format_duration(within)}'
        raise ProbeError(str(error)) from error
    return None if code == 0 else output[:MAX_OUTPUT].decode(errors="replace")


async def _tcp(action: Object, target: ProbeTarget, within: float) -> str | None:
    host, port = action.get("host") or target.address, target.port(action.get("port"))
    try:
        async with asyncio.timeout(within):
            (await target.dial(host, port)).close()
    except OSError as error:
        return dial_error(host, port, error)
    return None


async def _grpc(action: Object, target: ProbeTarget, within: float) -> str | None:
    from windlass.node.probes.grpc import health  # here: its tables take longer to load than all of the agent

    port = target.port(action.get("port"))
    where, connected = f"{target.address}:{port}", False
    try:
        async with asyncio.timeout(within):
            connection = await target.dial(target.address, port)
            connected = True
            return await health(connection, action.get("service") or "", where, USER_AGENT)
    except TimeoutError:
        passed = f"within {format_duration(within)}"
        late = f'failed to connect service "{where}" {passed}: context deadline exceeded'
        return f"timeout: {f'health rpc did not complete {passed}' if connected else late}"
    except OSError as error:
        return f'error: failed to connect service at "{where}": {dial_error(target.address, port, error)}'


async def _http(action: Object, target: ProbeTarget, within: float) -> str | None:
    """Any status from 200 to 399 is a success."""
    answer = await http_get(action, target, within, USER_AGENT)
    if isinstance(answer, str):
        return answer
    return None if 200 <= answer < 400 else f"HTTP probe failed with statuscode: {answer}"


async def http_get(action: Object, target: ProbeTarget, within: float, user_agent: str) -> int | str:
    """Return the status of the response to an `httpGet`, or why there was none. Raises ValueError."""
    url = _url(action, target)
    given = ((str(each.get("name")), str(each.get("value") or "")) for each in dig_list(action, "httpHeaders"))
    try:
        async with asyncio.timeout(within):
            return await http.get(url, http.with_defaults(given, user_agent), target.dial)
    except TimeoutError:
        return f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    except http.NoAnswer as error:
        return f'Get "{url}": {error}'


def _url(action: Object, target: ProbeTarget) -> str:
    host, port = action.get("host") or target.address, target.port(action.get("port"))
    scheme, path = (action.get("scheme") or "HTTP").lower(), action.get("path") or "/"
    return f"{scheme}://{host}:{port}{path if path.startswith('/') else '/' + path}"
