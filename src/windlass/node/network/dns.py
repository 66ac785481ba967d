"""The cluster's DNS server: answers cluster names from memory and forwards all others to the host's resolvers."""

import asyncio
import logging
import random
import socket
import struct
import time
from contextlib import suppress
from typing import cast

from windlass.node.network import dns_message as wire
from windlass.node.network.dns_message import BadMessage, Question
from windlass.node.network.dns_names import TTL, Names, Resolution, is_ours
from windlass.node.network.host_names import HostResolver, host_names, host_resolver
from windlass.node.network.plan import DOMAIN

log = logging.getLogger(__name__)

_ASK_WITHIN = 2.0
_LEFT_ALONE = 10.0  # seconds for which a resolver that did not answer is not asked
_MAX_CONCURRENT = 512


class Dns:
    """Serves DNS on a UDP and a TCP socket that were created in the node's network."""

    def __init__(self, names: Names, host: HostResolver | None = None, port: int = 53) -> None:
        self._names, self._host, self._port = names, host, port
        self._silent: dict[str, float] = {}
        self._transport: asyncio.DatagramTransport | None = None
        self._server: asyncio.Server | None = None
        self._busy: set[asyncio.Task[None]] = set()

    async def start(self, udp: socket.socket, tcp: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(self), sock=udp)
        self._transport = transport
        self._server = await asyncio.start_server(self._stream, sock=tcp)

    async def stop(self) -> None:
        if self._transport:
            self._transport.close()
        if self._server:
            self._server.close()
        for task in self._busy:
            task.cancel()

    async def _stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, BadMessage):
            while True:
                async with asyncio.timeout(30):
                    length = struct.unpack(">H", await reader.readexactly(2))[0]
                    message = await reader.readexactly(length)
                answer = await self.answer(message, 65535)
                writer.write(struct.pack(">H", len(answer)) + answer)
                await writer.drain()
        writer.close()

    def soon(self, message: bytes, reply: "_Reply") -> None:
        """Answer a datagram: immediately if the name is the cluster's, else after forwarding it."""
        try:
            question = wire.parse(message)
        except BadMessage:
            return
        known = self.known(question, question.size)
        if known is not None:
            reply(known)
        elif len(self._busy) < _MAX_CONCURRENT:
            task = asyncio.create_task(self._later(question, message, reply))
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)
        else:
            reply(wire.answer(question, [], wire.SERVER_FAILURE))

    async def _later(self, question: Question, message: bytes, reply: "_Reply") -> None:
        reply(await self._elsewhere(question, message, question.size))

    async def answer(self, message: bytes, limit: int) -> bytes:
        """Answer a query. Raises `BadMessage`."""
        question = wire.parse(message)
        known = self.known(question, limit)
        return known if known is not None else await self._elsewhere(question, message, limit)

    def known(self, question: Question, limit: int) -> bytes | None:
        """Return the answer from memory; None if the query must be forwarded."""
        if is_ours(question.name):
            found = self._names.find(question.name, question.type)
            if found.alias and is_ours(found.alias):
                more = self._names.find(found.alias, question.type)
                found = Resolution(True, [*found.records, *more.records], more.additional)
            elif found.alias and question.type != wire.CNAME:
                return None
            return self._authoritative(question, found, limit)
        listed = host_names().get(question.name)
        if listed and question.type in (wire.A, wire.AAAA, wire.ANY):
            records = [wire.address_record(question.name, each, TTL) for each in listed]
            return wire.answer(question, records if question.type != wire.AAAA else [], limit=limit)
        return None

    def _authoritative(self, question: Question, found: Resolution, limit: int) -> bytes:
        code = wire.NO_ERROR if found.exists else wire.NO_SUCH_NAME
        soa = None if found.records else wire.soa_record(DOMAIN, TTL)
        return wire.answer(question, found.records, code, authority=soa, additional=found.additional, limit=limit)

    async def _elsewhere(self, question: Question, message: bytes, limit: int) -> bytes:
        found = self._names.find(question.name, question.type) if is_ours(question.name) else None
        if found is None or not found.alias:
            answer = await self._asked(message, limit)
            return answer or wire.answer(question, [], wire.SERVER_FAILURE)
        name = wire.name_bytes(found.alias) + struct.pack(">HH", question.type, 1)
        asked = struct.pack(">6H", random.getrandbits(16), 0x0100, 1, 0, 0, 0) + name
        answer = await self._asked(asked, 4096)
        more = wire.addresses_in(answer, found.alias) if answer and question.type == wire.A else []
        return wire.answer(question, [*found.records, *more], limit=limit)

    async def _asked(self, message: bytes, limit: int) -> bytes | None:
        host = self._host or host_resolver()
        now = time.monotonic()
        for server in host.servers:
            if self._silent.get(server, 0) > now:
                continue
            try:
                async with asyncio.timeout(_ASK_WITHIN):
                    answer = await self._ask(server, message)
                    if answer[2] & 0x02 and limit > 4096:
                        answer = await self._ask_by_tcp(server, message)
                    return answer
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                log.debug("a resolver does not answer server=%s error=%s", server, error or "timed out")
                self._silent[server] = time.monotonic() + _LEFT_ALONE
        return None

    async def _ask(self, server: str, message: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        family = socket.AF_INET6 if ":" in server else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.setblocking(False)
            asking.connect((server, self._port))
            await loop.sock_sendall(asking, message)
            while True:
                answer = await loop.sock_recv(asking, 65535)
                if len(answer) >= 12 and answer[:2] == message[:2] and answer[2] & 0x80:
                    return answer

    async def _ask_by_tcp(self, server: str, message: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(server, self._port)
        try:
            writer.write(struct.pack(">H", len(message)) + message)
            return await reader.readexactly(struct.unpack(">H", await reader.readexactly(2))[0])
        finally:
            writer.close()


class _Reply:
    """Sends the answer to a datagram."""

    __slots__ = ("_to", "_transport")

    def __init__(self, transport: asyncio.DatagramTransport, to: tuple[str, int]) -> None:
        self._transport, self._to = transport, to

    def __call__(self, answer: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(answer, self._to)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, dns: Dns) -> None:
        self._dns = dns
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        assert self._transport is not None
        self._dns.soon(data, _Reply(self._transport, addr))
