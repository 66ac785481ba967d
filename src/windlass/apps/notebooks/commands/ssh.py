"""`windlass ssh`: a shell, or one command, in the server of a notebook."""

import asyncio
import json
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import click

from windlass.cli.connection import connect, namespace_of
from windlass.cli.failure import Failure
from windlass.cli.settings import RemoteFlags, takes
from windlass.kube import errors

if TYPE_CHECKING:
    import aiohttp

    from windlass.apps.notebooks.kinds import Notebook
    from windlass.kube.client import Client

SUBPROTOCOL = "v4.channel.k8s.io"
STDIN, STDOUT, STDERR, STATUS, SIZE = range(5)  # channels of Kubernetes' exec protocol
SHELL = ("sh", "-c", 'cd "$HOME" && exec "${SHELL:-sh}" -i')
READ_BYTES = 32 << 10
API = "/api/k8s"
"""Where a gateway serves the Kubernetes API, with the rights of the user."""


@click.command()
@click.option("-n", "--namespace", metavar="NAME", help="Namespace of the notebook.  [default: that of the context]")
@takes(RemoteFlags)
@click.argument("notebook")
@click.argument("command", nargs=-1)
def ssh(settings: RemoteFlags, namespace: str | None, notebook: str, command: tuple[str, ...]) -> None:
    """Open a shell in a notebook's server, or run a command there.

    The shell runs as the notebook's user, on its volumes. No SSH server or key is needed.
    """
    import aiohttp

    if problem := why_no_gateway(settings.url, settings.token):
        raise Failure(problem, exit_code=2)
    where = namespace or ("default" if settings.url else namespace_of(settings, None))
    try:
        code = asyncio.run(_run(settings, where, notebook, command))
    except aiohttp.WSServerHandshakeError as error:
        raise Failure(why_refused(error.status, f"{where}/{notebook}")) from error
    except errors.ServiceUnavailable as error:
        raise Failure(str(error)) from error
    if code:
        raise click.exceptions.Exit(code)


def why_no_gateway(url: str, token: str) -> str:
    """What is wrong with the flags of a gateway; empty if nothing is, or none is wanted."""
    if url and not url.startswith(("http://", "https://")):
        return f"--url: {url!r} is no address of a gateway; it starts with https:// or http://"
    if url and not token:
        return "--token: a gateway needs an access token. Make one on the page Account, and put it into WINDLASS_TOKEN"
    if token and not url:
        return "--url: a token is for a gateway. Give its address too, in the flag or in WINDLASS_URL"
    return ""


def why_refused(status: int, notebook: str) -> str:
    if status == 403:
        return f"you may not run commands in notebook {notebook}: that needs the right to create pods/exec"
    return f"the server refused the connection to notebook {notebook}: HTTP {status}"


async def _run(settings: RemoteFlags, namespace: str, name: str, command: Sequence[str]) -> int:
    from windlass.kube.transport import Request

    has_terminal = not command and sys.stdin.isatty() and sys.stdout.isatty()
    async with await _client(settings) as client:
        container = await _server_container(client, namespace, name)
        path = exec_path(namespace, f"{name}-0", container, command or SHELL, has_terminal=has_terminal)
        async with client.websocket(Request("GET", path), SUBPROTOCOL) as socket:
            if not has_terminal:
                return await _session(socket)
            with _raw_terminal():
                _follow_size(socket)
                return await _session(socket)


def exec_path(namespace: str, pod: str, container: str, command: Sequence[str], *, has_terminal: bool) -> str:
    """Path and query of an exec. With a terminal, stderr comes with stdout."""
    query = [("container", container), ("stdin", "true"), ("stdout", "true")]
    query += [("tty", "true")] if has_terminal else [("stderr", "true")]
    query += [("command", word) for word in command]
    return f"/api/v1/namespaces/{quote(namespace)}/pods/{quote(pod)}/exec?{urlencode(query)}"


async def _client(settings: RemoteFlags) -> "Client":
    from windlass.kube.connect import by_address

    if not settings.url:
        return await connect(settings)
    return by_address(settings.url.rstrip("/") + API, token=settings.token)


async def _server_container(client: "Client", namespace: str, name: str) -> str:
    """The container of the server. Raises Failure where none runs."""
    from windlass.apps.notebooks.kinds import Notebook
    from windlass.kube.view import typed

    try:
        notebook = await client.get(typed(Notebook), name, namespace)
    except errors.NotFound as error:
        raise Failure(f"there is no notebook {name} in namespace {namespace}. See: kubectl get notebooks -A") from error
    except errors.Unauthorized as error:
        raise Failure(f"the server does not accept the token: {error}") from error
    except errors.ApiError as error:
        raise Failure(f"the server refused the request: {error}") from error
    problem = why_not_running(notebook)
    if problem:
        raise Failure(f"notebook {name} {problem}")
    return str(notebook.spec.template.spec["containers"][0]["name"])


def why_not_running(notebook: "Notebook") -> str:
    from windlass.apps.notebooks.names import STOPPED
    from windlass.kube.json import dig

    name = notebook.metadata.name
    if STOPPED in notebook.metadata.annotations:
        return f"is stopped. Start it: kubectl annotate notebook {name} {STOPPED}-"
    if notebook.status.ready_replicas == 1:
        return ""
    waiting = dig(notebook.status.container_state or {}, "waiting") or {}
    return (
        f"is not running yet: {waiting.get('reason') or 'its pod is not ready'} {waiting.get('message') or ''}".rstrip()
    )


async def _session(socket: "aiohttp.ClientWebSocketResponse") -> int:
    """Copy between the terminal and the server until the command ends; its exit code."""
    sending = asyncio.create_task(_send_input(socket))
    try:
        async for message in socket:
            channel, data = message.data[0], message.data[1:]
            if channel == STATUS:
                return exit_code(data)
            stream = sys.stderr.buffer if channel == STDERR else sys.stdout.buffer
            stream.write(data)
            stream.flush()
        raise Failure("the connection to the notebook has ended")
    finally:
        sending.cancel()


async def _send_input(socket: "aiohttp.ClientWebSocketResponse") -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    except (ValueError, PermissionError):  # a file, or /dev/null: nothing to wait for
        data = await asyncio.to_thread(sys.stdin.buffer.read)
        await socket.send_bytes(bytes([STDIN]) + data)
        return
    while data := await reader.read(READ_BYTES):
        await socket.send_bytes(bytes([STDIN]) + data)


def exit_code(status: bytes) -> int:
    """From the Status that ends an exec."""
    answer: dict[str, Any] = json.loads(status)
    if answer.get("status") == "Success":
        return 0
    causes = (answer.get("details") or {}).get("causes") or []
    codes = [cause["message"] for cause in causes if cause.get("reason") == "ExitCode"]
    if not codes:
        raise Failure(f"the command could not be run: {answer.get('message')}")
    return int(codes[0])


@contextmanager
def _raw_terminal() -> Generator[None]:
    """Let every key reach the server; the terminal is as before afterwards."""
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        os.write(sys.stdout.fileno(), b"\r")


def _follow_size(socket: "aiohttp.ClientWebSocketResponse") -> None:
    loop = asyncio.get_running_loop()
    sending: set[asyncio.Task[None]] = set()

    def send() -> None:
        size = shutil.get_terminal_size()
        body = json.dumps({"Width": size.columns, "Height": size.lines}).encode()
        task = loop.create_task(socket.send_bytes(bytes([SIZE]) + body))
        sending.add(task)
        task.add_done_callback(sending.discard)

    loop.add_signal_handler(signal.SIGWINCH, send)
    send()
