"""Real servers on loopback for the probes' tests, and a container that is reached there."""

import asyncio
import contextlib
import datetime
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.loops import turns
from windlass.node.probes.checks import Exec, ProbeTarget

HOST = "127.0.0.1"


async def dial(host: str, port: int) -> socket.socket:
    """As the node's network does: a connected, non-blocking socket, or OSError."""
    connection = socket.socket()
    connection.setblocking(False)
    try:
        await asyncio.get_running_loop().sock_connect(connection, (host, port))
    except BaseException:
        connection.close()
        raise
    return connection


async def no_exec(command: list[str]) -> tuple[int, bytes]:
    raise AssertionError(f"nothing is executed here, but {command}")


def target(exec: Exec = no_exec, **ports: int) -> ProbeTarget:
    listed = [{"name": name, "containerPort": port} for name, port in ports.items()]
    return ProbeTarget({"name": "main", "ports": listed}, HOST, dial, exec)


@contextlib.asynccontextmanager
async def web_server(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """All paths go to `handler`; the port."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0, ssl_context=tls)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def raw_server(
    talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]],
) -> AsyncIterator[int]:
    """Each connection is `talk`ed to, then closed; the port."""
    tasks: set[asyncio.Task[Any]] = set()
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        writers.append(writer)
        try:
            await talk(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await turns()  # a connection that was just accepted comes to `serve`, and can be closed
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await turns()


async def says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


def closed_port() -> int:
    """One at which nobody listens."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return found.getsockname()[1]


def self_signed(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nobody.example")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    path = folder / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
