"""Whether sandboxes can be made on this machine: a child tries."""

import asyncio
import socket
import sys
import tempfile
from pathlib import Path

from windlass.node.runtimes.base import CannotRun, ContainerSpec, PodSpec
from windlass.node.runtimes.sandbox.runtime import Sandbox

_ENOUGH = 20.0


async def problems() -> list[str]:
    """Why none can be made here, in words for the Node and for who started the agent; empty if they can.

    Not by looking at settings, of which every distribution has its own, but by running `true` in one.
    """
    if sys.platform != "linux":
        return [f"namespaces are Linux', and this is {sys.platform}"]
    if not hasattr(socket, "SCM_RIGHTS"):
        return ["this Python passes no file descriptors between processes"]
    with tempfile.TemporaryDirectory(prefix="windlass-probe-", ignore_cleanup_errors=True) as folder:
        try:
            async with asyncio.timeout(_ENOUGH):
                return await _try(Path(folder))
        except TimeoutError:
            return [f"a sandbox did not start within {_ENOUGH:.0f} seconds"]


async def _try(data: Path) -> list[str]:
    runtime = Sandbox(data)
    try:
        await runtime.start()
        await runtime.start_pod(PodSpec("probe", "", "probe", str(data / "node" / "pods" / "probe"), "probe"))
        await runtime.start_container("probe", ContainerSpec("probe", 0, ("/bin/sh", "-c", ":"), {}))
    except (CannotRun, OSError) as error:
        return [str(error)]
    finally:
        await runtime.stop(pods=True)
    return []
