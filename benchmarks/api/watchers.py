"""Many watchers in one process: counts the events that reach them and how long each took since its writer sent it.

    python -m benchmarks.api.watchers PORT TOKEN COUNT REVISION

Says `ready` when every watch is open, reads from its input how many events each watcher will see, and prints what it
found as JSON once they all have.
"""

import asyncio
import json
import ssl
import sys
import time

import uvloop

from benchmarks.api.pods import PODS, SENT

_MARK = f'"{SENT}":"'.encode()
_DIGITS = 20  # the writer's clock in nanoseconds, with leading zeros
_PATIENCE = 60.0


class Tally:
    """What all watchers saw together."""

    def __init__(self) -> None:
        self.delays: list[int] = []
        self.last = 0
        self.opened = 0
        self.wanted = 0
        self.changed = asyncio.Event()

    @property
    def complete(self) -> bool:
        return self.wanted > 0 and len(self.delays) >= self.wanted


class WatchClient(asyncio.Protocol):
    """One watch on a connection of its own."""

    def __init__(self, tally: Tally, request: bytes) -> None:
        self._tally = tally
        self._request = request
        self._rest = b""
        self._opened = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self._request)  # pyright: ignore[reportAttributeAccessIssue] - uvloop's TLS transport has it

    def data_received(self, data: bytes) -> None:
        tally = self._tally
        if not self._opened:
            if not data.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"no watch: {data[:300]!r}")
            self._opened = True
            tally.opened += 1
            tally.changed.set()
        now = time.monotonic_ns()
        data = self._rest + data if self._rest else data
        end = 0
        while (found := data.find(_MARK, end)) >= 0 and found + len(_MARK) + _DIGITS <= len(data):
            end = found + len(_MARK) + _DIGITS
            tally.delays.append(now - int(data[end - _DIGITS : end]))
            tally.last = now
        self._rest = data[max(end, len(data) - len(_MARK) - _DIGITS) :]
        if tally.complete:
            tally.changed.set()


async def _until_opened(tally: Tally, count: int) -> None:
    while tally.opened < count:
        tally.changed.clear()
        await tally.changed.wait()


async def _until_complete(tally: Tally) -> None:
    while not tally.complete:
        tally.changed.clear()
        await tally.changed.wait()


async def watch(port: int, token: str, count: int, revision: str) -> None:
    loop = asyncio.get_running_loop()
    tls = ssl.create_default_context()
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    tally = Tally()
    path = f"{PODS}?watch=true&resourceVersion={revision}"
    request = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n\r\n".encode()
    for _ in range(count):
        await loop.create_connection(lambda: WatchClient(tally, request), "127.0.0.1", port, ssl=tls)
    async with asyncio.timeout(_PATIENCE):
        await _until_opened(tally, count)
    print("ready", flush=True)
    tally.wanted = count * int(await loop.run_in_executor(None, sys.stdin.readline))
    async with asyncio.timeout(_PATIENCE):
        await _until_complete(tally)
    delays = sorted(tally.delays)
    found = {
        "events": len(delays),
        "last": tally.last,
        "p50": delays[len(delays) // 2] / 1e9,
        "p99": delays[len(delays) * 99 // 100] / 1e9,
        "cpu": time.process_time(),
    }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(watch(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]))
