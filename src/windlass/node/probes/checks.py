"""One question to a container (a command, an HTTP request, a connection, a gRPC health check) and its answer.

Pods live in another network: every connection is made by `dial`. A check answers None when all is well, else what
kubelet would say of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.kube.json import Object, dig, dig_list
from windlass.node.lifecycle.moments import duration
from windlass.node.probes import http
from windlass.node.probes.http import Dial, dial_error

Exec: TypeAlias = Callable[[list[str]], Awaitable[tuple[int, bytes]]]
"""Runs a command in the container: its exit code and output. It is cancelled when its time is over."""

USER_AGENT = "kube-probe/1.35"
MOST_OUTPUT = 10 * 1024


class Errored(Exception):
    """The question could not be put: the answer says nothing about the container, and does not count."""


class Reach:
    """How a container is reached: its pod's address, its named ports, and the means."""

    def __init__(self, container: Object, address: str, dial: Dial, exec: Exec) -> None:
        self.address, self.dial, self.exec = address, dial, exec
        self._ports = {each["name"]: each["containerPort"] for each in dig_list(container, "ports") if "name" in each}

    def port(self, port: object) -> int:
        """A number, or the name of one of the container's ports; ValueError with kubelet's words."""
        found = self._ports.get(port, port)
        text = str(found)
        if not text.removeprefix("-").isdecimal():
            raise ValueError(f'strconv.Atoi: parsing "{text}": invalid syntax')
        if not 0 < int(text) < 65536:
            raise ValueError(f"invalid port number: {text}")
        return int(text)


async def check(probe: Object, reach: Reach) -> str | None:
    """Ask what the probe says, within its `timeoutSeconds`. Raises Errored."""
    within = float(probe.get("timeoutSeconds") or 1)
    try:
        if "exec" in probe:
            return await _exec(dig_list(probe, "exec", "command"), reach, within)
        if "httpGet" in probe:
            return await _http(probe["httpGet"], reach, within)
        if "tcpSocket" in probe:
            return await _tcp(probe["tcpSocket"], reach, within)
        return await _grpc(dig(probe, "grpc") or {}, reach, within)
    except ValueError as error:
        raise Errored(str(error)) from error


async def _exec(command: list[str], reach: Reach, within: float) -> str | None:
    limit = asyncio.timeout(within)
    try:
        async with limit:
            code, output = await reach.exec(command)
    except OSError as error:
        if limit.expired():
            return f'command timed out: "{" ".join(command)}" timed out after {duration(within)}'
        raise Errored(str(error)) from error
    return None if code == 0 else output[:MOST_OUTPUT].decode(errors="replace")


async def _tcp(action: Object, reach: Reach, within: float) -> str | None:
    host, port = action.get("host") or reach.address, reach.port(action.get("port"))
    try:
        async with asyncio.timeout(within):
            (await reach.dial(host, port)).close()
    except OSError as error:
        return dial_error(host, port, error)
    return None


async def _grpc(action: Object, reach: Reach, within: float) -> str | None:
    from windlass.node.probes.grpc import health  # here: its tables take longer to load than all of the agent

    port = reach.port(action.get("port"))
    where, connected = f"{reach.address}:{port}", False
    try:
        async with asyncio.timeout(within):
            connection = await reach.dial(reach.address, port)
            connected = True
            return await health(connection, action.get("service") or "", where, USER_AGENT)
    except TimeoutError:
        passed = f"within {duration(within)}"
        late = f'failed to connect service "{where}" {passed}: context deadline exceeded'
        return f"timeout: {f'health rpc did not complete {passed}' if connected else late}"
    except OSError as error:
        return f'error: failed to connect service at "{where}": {dial_error(reach.address, port, error)}'


async def _http(action: Object, reach: Reach, within: float) -> str | None:
    """Any answer from 200 to 399 is well."""
    answer = await http_get(action, reach, within, USER_AGENT)
    if isinstance(answer, str):
        return answer
    return None if 200 <= answer < 400 else f"HTTP probe failed with statuscode: {answer}"


async def http_get(action: Object, reach: Reach, within: float, user_agent: str) -> int | str:
    """The status of what an `httpGet` is answered with, or why there was no answer. Raises ValueError."""
    url = _url(action, reach)
    given = ((str(each.get("name")), str(each.get("value") or "")) for each in dig_list(action, "httpHeaders"))
    try:
        async with asyncio.timeout(within):
            return await http.get(url, http.with_defaults(given, user_agent), reach.dial)
    except TimeoutError:
        return f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    except http.NoAnswer as error:
        return f'Get "{url}": {error}'


def _url(action: Object, reach: Reach) -> str:
    host, port = action.get("host") or reach.address, reach.port(action.get("port"))
    scheme, path = (action.get("scheme") or "HTTP").lower(), action.get("path") or "/"
    return f"{scheme}://{host}:{port}{path if path.startswith('/') else '/' + path}"
