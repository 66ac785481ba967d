"""`windlass node`: run only the node agent, which runs the pods bound to this machine, in the foreground."""

import asyncio
import json
import os
import signal
import threading
from pathlib import Path

import click

from windlass.cli import screen
from windlass.cli.components.supervised import end_with_supervisor, set_up_logging, supervised_option
from windlass.cli.failure import Failure
from windlass.cli.settings import NodeSettings, data_dir_at, takes
from windlass.kube.signals import on_signals
from windlass.supervisor.child import POLL_INTERVAL_SECONDS, answers_ready
from windlass.supervisor.datadir import DataDir, write_atomically

SERVER_TIMEOUT_SECONDS = 60.0  # how long a supervised agent waits for the server that starts beside it


@click.command()
@supervised_option
@takes(NodeSettings)
def node(settings: NodeSettings, supervised: bool) -> None:
    """Run only the node agent, in the foreground.

    Runs the pods of the server of this data dir. They keep running if the agent is killed; it adopts them when it
    starts again.
    """
    from windlass.kube.light_aiohttp import import_aiohttp

    set_up_logging(settings.debug)
    orphaned = end_with_supervisor() if supervised else threading.Event()
    import_aiohttp()
    asyncio.run(_run(settings, orphaned, server_timeout=SERVER_TIMEOUT_SECONDS if supervised else 0.0))


async def _run(settings: NodeSettings, orphaned: threading.Event, server_timeout: float) -> None:
    """Run the agent, and stop its pods at the end, unless the supervisor was killed: the next one adopts them."""
    from windlass.kube.connect import by_socket
    from windlass.node.agent import Agent, Options
    from windlass.node.machine import node_name
    from windlass.node.runtimes.choice import NoRuntime

    data = data_dir_at(settings.data_dir)
    _check_images_dir(settings.images_dir)
    await _await_server(data, server_timeout)
    host, _, port = settings.server.rpartition(":")
    options = Options(
        data=data.short_root,
        images=settings.images_dir,
        name=node_name(),
        server=(host, int(port)),
        runtime=settings.runtime,
        max_pods=settings.max_pods,
        resources=resources(settings.resource),
        allow_metadata=settings.allow_metadata,
    )
    stop = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), stop.set)
    async with by_socket(data.socket, token_file=data.node_token, user_agent="windlass-node") as client:
        agent = Agent(client, options)
        agent.keep_pods = lambda: orphaned.is_set() or data.keep_pods.exists()

        def ready() -> None:
            facts = {"runtime": agent.runtime.name, "limits": agent.runtime.limits_by(), "problems": agent.problems}
            write_atomically(data.node_ready_file, json.dumps(facts).encode(), mode=0o600, durable=False)

        try:
            await agent.run(stop, ready)
        except NoRuntime as error:
            raise Failure(str(error)) from error
        finally:
            data.node_ready_file.unlink(missing_ok=True)


def _check_images_dir(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        usable = False
    if not usable:
        raise Failure(f"--images-dir: {screen.short_path(folder)} is not writable by this user. Choose another folder")


async def _await_server(data: DataDir, server_timeout: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + server_timeout
    while not await answers_ready(data.socket):
        if loop.time() >= until:
            raise Failure(f"no API server is running on {screen.short_path(data.root)}. Start one: windlass up")
        await asyncio.sleep(POLL_INTERVAL_SECONDS)


def resources(text: str | None) -> dict[str, int]:
    """Parse `nvidia.com/gpu=1,example.com/x=2`."""
    pairs = (part.partition("=") for part in (text or "").split(",") if part)
    return {name: int(count) for name, _, count in pairs}
