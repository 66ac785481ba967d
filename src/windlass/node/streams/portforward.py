"""Port-forward: a connection into the pod per connection of the client, over SPDY, SPDY in WebSocket or WebSocket."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

from aiohttp import web

from windlass.node.streams import http, upgrade
from windlass.node.streams.duplex import Spdy, Stream, Tcp, WebSocket, keep_alive

PROTOCOL = "portforward.k8s.io"
TUNNEL = f"{upgrade.SPDY}+{PROTOCOL}"
WEBSOCKET_PROTOCOLS = (TUNNEL, "v4.channel.k8s.io", "")
_CHUNK = 64 << 10
_PAIR_WITHIN = 30.0
Dial = Callable[[int], Awaitable[socket.socket]]
Words = Callable[[int, Exception], str]


class BadPorts(upgrade.Refused):
    """The ports in the query are invalid."""


async def serve(request: web.Request, dial: Dial, words: Words) -> None:
    """Forward until the client goes. Raises `upgrade.NoUpgrade` or BadPorts before the response begins."""
    if upgrade.wants(request, "websocket"):
        protocol = upgrade.chosen(request, "sec-websocket-protocol", WEBSOCKET_PROTOCOLS)
        ports = [] if protocol == TUNNEL else _ports(request)
        with upgrade.to_websocket(request, protocol) as websocket:
            if protocol == TUNNEL:
                await _Forwarding(websocket, dial, words).run()
            else:
                await _over_websocket(websocket, ports, dial, words)
    elif upgrade.wants(request, upgrade.SPDY):
        protocol = upgrade.chosen(request, "x-stream-protocol-version", (PROTOCOL,))
        with upgrade.to_spdy(request, protocol) as wire:
            await _Forwarding(wire, dial, words).run()
    else:
        raise upgrade.NoUpgrade("you must specify one of SPDY/3.1 or websocket in the Upgrade header")


def _ports(request: web.Request) -> list[int]:
    asked = [part for value in http.all_values(request, "port", "ports") for part in value.split(",")]
    if not asked:
        raise BadPorts('query parameter "port" is required')
    for text in asked:
        if not text.isdigit() or not 0 < int(text) < 65536:
            raise BadPorts(f'unable to parse "{text}" as a port')
    return [int(text) for text in asked]


class _Forwarding:
    """Pairs of SPDY streams, one for data and one for errors, each a connection."""

    def __init__(self, wire: Tcp | WebSocket, dial: Dial, words: Words) -> None:
        self._connection = Spdy(wire, self._opened)
        self._dial, self._words = dial, words
        self._halves: dict[str, dict[str, Stream]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        signing = asyncio.create_task(keep_alive(self._connection.ping))
        reading = asyncio.create_task(self._connection.run())
        try:
            await asyncio.wait([signing, reading], return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = [signing, reading, *self._tasks]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _opened(self, stream: Stream) -> None:
        kind, request = stream.headers.get("streamtype", ""), stream.headers.get("requestid", "")
        port = stream.headers.get("port", "")
        if kind not in ("data", "error") or not port.isdigit() or not 0 < int(port) < 65536:
            await stream.reset()
            return
        if not request:  # the oldest clients number no requests: a data stream follows its error stream
            request = str(stream.number if kind == "error" else stream.number - 2)
        pair = self._halves.setdefault(request, {})
        pair[kind] = stream
        if len(pair) == 2:
            del self._halves[request]
            self._start(self._forward(int(port), pair["data"], pair["error"]))
        elif len(pair) == 1:
            self._start(self._expire(request, pair))

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _expire(self, request: str, pair: dict[str, Stream]) -> None:
        await asyncio.sleep(_PAIR_WITHIN)
        if self._halves.get(request) is pair:
            del self._halves[request]
            for stream in pair.values():
                await stream.reset()

    async def _forward(self, port: int, data: Stream, error: Stream) -> None:
        with contextlib.suppress(OSError):
            try:
                await joined(await self._dial(port), data.read, data.write, data.close)
            except OSError as failure:
                await error.write(self._words(port, failure).encode())
            await data.close()
            await error.close()
            data.ignore()


async def joined(
    connection: socket.socket,
    read: Callable[[], Awaitable[bytes]],
    write: Callable[[bytes], Awaitable[None]],
    close: Callable[[], Awaitable[None]],
) -> None:
    """Copy bytes both ways until the pod has closed; the client's end closes only its own half.

    Raises OSError if the pod's side broke off.
    """
    loop = asyncio.get_running_loop()

    async def inward() -> None:
        while data := await read():
            await loop.sock_sendall(connection, data)
        connection.shutdown(socket.SHUT_WR)

    async def outward() -> None:
        while data := await loop.sock_recv(connection, _CHUNK):
            await write(data)
        await close()

    tasks = [asyncio.create_task(inward()), asyncio.create_task(outward())]
    try:
        await asyncio.wait([tasks[1]])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        connection.close()
    tasks[1].result()


async def _over_websocket(websocket: WebSocket, ports: list[int], dial: Dial, words: Words) -> None:
    """One connection per port: channel 2n is its data, 2n+1 its errors; each begins with the port's number."""
    inputs: list[asyncio.Queue[bytes]] = [asyncio.Queue(8) for _ in ports]

    async def forward(number: int, port: int) -> None:
        async def write(data: bytes) -> None:
            await websocket.send(bytes((2 * number,)) + data)

        async def close() -> None:
            return  # this protocol cannot close one channel

        try:
            await joined(await dial(port), inputs[number].get, write, close)
        except OSError as failure:
            await websocket.send(bytes((2 * number + 1,)) + words(port, failure).encode())

    for number, port in enumerate(ports):
        for channel in (2 * number, 2 * number + 1):
            await websocket.send(bytes((channel,)) + port.to_bytes(2, "little"))
    forwards = [asyncio.create_task(forward(number, port)) for number, port in enumerate(ports)]
    reading = asyncio.create_task(_sort(websocket, inputs))
    everything = asyncio.gather(*forwards, return_exceptions=True)
    signing = asyncio.create_task(keep_alive(websocket.ping))
    try:
        await asyncio.wait([reading, everything, signing], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (*forwards, reading, signing):
            task.cancel()
        await asyncio.gather(reading, signing, *forwards, return_exceptions=True)
    with contextlib.suppress(OSError):
        await websocket.close()
        await websocket.linger()


async def _sort(websocket: WebSocket, inputs: list[asyncio.Queue[bytes]]) -> None:
    while (message := await websocket.receive()) is not None:
        channel = message.data[0] if message.data else 1
        if channel % 2 == 0 and channel // 2 < len(inputs) and len(message.data) > 1:
            await inputs[channel // 2].put(message.data[1:])
