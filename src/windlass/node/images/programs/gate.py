"""Runs a server that has no tokens of its own behind a gate: `gate.py PORT PROGRAM [OPTION…]`.

The program listens on the Unix socket that takes the place of `@SOCKET@` in its options. The gate listens on the port,
and opens a connection to the program for clients whose first request has the token of JUPYTER_TOKEN: a client that has
sent it once on a connection is the gateway, so what follows passes unread. Without a token everybody is admitted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine

PLACEHOLDER = "@SOCKET@"
VARIABLE = "JUPYTER_TOKEN"
MAX_HEAD, PIECE = 64 << 10, 64 << 10
HEAD_TIMEOUT_SECONDS = 60.0


def header_of(head: bytes, name: str) -> str | None:
    """Return a header of a request's head; None where it is missing or sent twice."""
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    values = [value.strip() for key, _, value in lines if key.decode("latin-1").lower() == name]
    return values[0].decode("latin-1") if len(values) == 1 else None


def path_of(head: bytes) -> str:
    words = head.split(b"\r\n", 1)[0].split(b" ")
    return words[1].partition(b"?")[0].decode("latin-1") if len(words) == 3 else ""


def plain_answer(status: str, text: str) -> bytes:
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


class Gate:
    def __init__(self, socket: str, token: str) -> None:
        self._socket, self._token = socket, token

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_TIMEOUT_SECONDS)
            await self._admit(head, reader, writer)
        writer.close()

    async def _admit(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from windlass.formats.server_token import HEADER, HEALTH_PATH, REFUSAL, is_gateway

        is_admitted = not self._token or is_gateway(self._token, header_of(head, HEADER))
        if not is_admitted and path_of(head) != HEALTH_PATH:
            writer.write(plain_answer("403 Forbidden", REFUSAL))
            await writer.drain()
            return
        # Where the program does not listen yet, the connection is closed without an answer.
        from_program, to_program = await asyncio.open_unix_connection(self._socket, limit=PIECE)
        try:
            if is_admitted:
                to_program.write(head)
                await first_ended(_copy(reader, to_program), _copy(from_program, writer))
            else:  # a probe learns that the program listens, and nothing of what it serves
                writer.write(plain_answer("200 OK", "ok"))
                await writer.drain()
        finally:
            to_program.close()


async def first_ended(*directions: Coroutine[None, None, None]) -> None:
    """Run both directions of a connection until one of them has ended."""
    copying = [asyncio.ensure_future(direction) for direction in directions]
    _, open_ones = await asyncio.wait(copying, return_when=asyncio.FIRST_COMPLETED)
    for one in open_ones:
        one.cancel()
    await asyncio.gather(*copying, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while piece := await source.read(PIECE):
        target.write(piece)
        await target.drain()


async def run(port: int, command: list[str]) -> int:
    """Run the program until it ends; returns its exit code."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the path in TMPDIR may be too long for a socket
        socket = str(Path(folder) / "server.sock")
        program = await asyncio.create_subprocess_exec(*(word.replace(PLACEHOLDER, socket) for word in command))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, program.send_signal, number)
        gate = Gate(socket, os.environ.get(VARIABLE, ""))
        address = os.environ.get("WINDLASS_POD_IP") or "0.0.0.0"
        server = await asyncio.start_server(gate.accept, address, port, limit=MAX_HEAD)
        code = await program.wait()
        server.close()
        return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
    sys.exit(asyncio.run(run(int(sys.argv[1]), sys.argv[2:])))
