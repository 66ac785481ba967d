"""`windlass node`: the node agent alone, in the foreground: it runs the pods that are bound to this machine."""

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
from windlass.supervisor.child import ASK_EVERY, answers_ready
from windlass.supervisor.datadir import DataDir, write_atomically

SERVER_WITHIN = 60.0  # how long a supervised agent waits for the server that starts beside it


@click.command()
@supervised_option
@takes(NodeSettings)
def node(settings: NodeSettings, supervised: bool) -> None:
    """Run the node agent alone, in the foreground.

    It runs the pods of the server of this data dir. They go on when it is killed; it finds them again when it starts.
    """
    set_up_logging(settings.debug)
    alone = end_with_supervisor() if supervised else threading.Event()
    asyncio.run(_run(settings, alone, patience=SERVER_WITHIN if supervised else 0.0))


async def _run(settings: NodeSettings, alone: threading.Event, patience: float) -> None:
    """Stops its pods when it is stopped; but not when its supervisor was killed, since another will want them."""
    from windlass.kube.connect import by_socket
    from windlass.node.agent import Agent, Options
    from windlass.node.machine import node_name
    from windlass.node.runtimes.choice import NoRuntime

    data = data_dir_at(settings.data_dir)
    _check_images_dir(settings.images_dir)
    await _await_server(data, patience)
    host, _, port = settings.server.rpartition(":")
    options = Options(
        data=data.reach,
        images=settings.images_dir,
        name=node_name(),
        server=(host, int(port)),
        runtime=settings.runtime,
        max_pods=settings.max_pods,
        resources=resources(settings.resource),
    )
    stop = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), stop.set)
    async with by_socket(data.socket, token_file=data.node_token, user_agent="windlass-node") as client:
        agent = Agent(client, options)
        agent.keep_pods = lambda: alone.is_set() or data.keep_pods.exists()

        def ready() -> None:
            told = {"runtime": agent.runtime.name, "limits": agent.runtime.limits_by(), "problems": agent.problems}
            write_atomically(data.node_mark, json.dumps(told).encode(), mode=0o600, durable=False)

        try:
            await agent.run(stop, ready)
        except NoRuntime as error:
            raise Failure(str(error)) from error
        finally:
            data.node_mark.unlink(missing_ok=True)


def _check_images_dir(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        usable = False
    if not usable:
        raise Failure(f"--images-dir: {screen.short(folder)} cannot be written by this user. Name another folder")


async def _await_server(data: DataDir, patience: float) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    while not await answers_ready(data.socket):
        if loop.time() >= until:
            raise Failure(f"no server runs on {screen.short(data.root)}. Start one: windlass up")
        await asyncio.sleep(ASK_EVERY)


def resources(text: str | None) -> dict[str, int]:
    """`nvidia.com/gpu=1,example.com/x=2` as a dict."""
    pairs = (part.partition("=") for part in (text or "").split(",") if part)
    return {name: int(count) for name, _, count in pairs}
