"""Selects the runtime for pods, and the network that belongs to it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windlass.kube.client import Client
from windlass.node.pods.context import PodImages, PodNetwork
from windlass.node.runtimes.base import Runtime

if TYPE_CHECKING:
    from windlass.node.agent import Options

RUNTIMES = ("auto", "sandbox", "process", "podman")

log = logging.getLogger("windlass.node")


class NoRuntime(Exception):
    """The requested runtime does not work here; the message says why."""


@dataclass(kw_only=True)
class RuntimeContext:
    """A started runtime with its network. `problems` are shown on the Node, in `windlass status` and at the start."""

    runtime: Runtime
    network: PodNetwork
    address: str
    stop_network: Callable[..., Awaitable[None]]
    """Stops the network; `stop_network(pods=True)` also removes what running pods need."""
    pod_cidr: str = ""
    anchor: Callable[[], int | None] = lambda: None
    problems: list[str] = field(default_factory=list[str])
    images: PodImages | None = None
    """The runtime's own images, instead of the catalogue."""

    async def stop(self, *, pods: bool) -> None:
        await self.runtime.stop(pods=pods)
        await self.stop_network(pods=pods)


async def start_runtime(client: Client, options: "Options") -> RuntimeContext:
    """Start the runtime that the options select, and its network. Raises NoRuntime."""
    if options.runtime in ("auto", "sandbox"):
        from windlass.node.runtimes.sandbox import probe

        problems = await probe.problems()
        if not problems:
            return await _sandboxes(client, options)
        if options.runtime == "sandbox":
            raise NoRuntime(f"sandboxes do not work here: {'; '.join(problems)}")
        log.warning("pods run as plain processes: %s", "; ".join(problems))
        return await _processes(client, options, problems)
    if options.runtime == "process":
        return await _processes(client, options, [])
    return await _podman(client, options)


async def _sandboxes(client: Client, options: "Options") -> RuntimeContext:
    from windlass.node.network import plan
    from windlass.node.network.network import Network
    from windlass.node.runtimes.sandbox.runtime import Sandbox

    runtime = Sandbox(options.data)
    await runtime.start()
    network = Network(
        client,
        options.data,
        server=options.server,
        node_name=options.name,
        metadata=options.allow_metadata,
    )
    await network.start(runtime.anchor_pid)
    return RuntimeContext(
        runtime=runtime,
        network=network,
        address=plan.NODE,
        pod_cidr=str(plan.PODS),
        anchor=lambda: runtime.anchor_pid,
        problems=list(network.problems),
        stop_network=network.stop,
    )


async def _processes(client: Client, options: "Options", problems: list[str]) -> RuntimeContext:
    from windlass.node.runtimes.process.network import NODE_ADDRESS, LoopbackNetwork
    from windlass.node.runtimes.process.runtime import Processes

    runtime = Processes(options.data)
    await runtime.start()
    network = LoopbackNetwork(client, options.data, server=options.server)
    await network.start()
    return RuntimeContext(
        runtime=runtime,
        network=network,
        address=NODE_ADDRESS,
        problems=[*problems, *network.problems],
        stop_network=network.stop,
    )


async def _podman(client: Client, options: "Options") -> RuntimeContext:
    from windlass.node.runtimes.podman.network import NODE_ADDRESS, PodmanNetwork
    from windlass.node.runtimes.podman.runtime import Podman, connect

    try:
        engine = await connect(options.data)
    except OSError as error:
        raise NoRuntime(f"neither podman nor docker is available: {error}") from error
    runtime = Podman(options.data, engine)
    await runtime.start()
    network = PodmanNetwork(client, options.data, engine, server=options.server)
    await network.start()
    return RuntimeContext(
        runtime=runtime,
        network=network,
        address=NODE_ADDRESS,
        problems=list(network.problems),
        stop_network=network.stop,
        images=runtime.images,
    )
