"""Checks whether sandboxes work on this machine, by trying in a child process."""

import asyncio
import socket
import sys
import tempfile
from pathlib import Path

from windlass.node.runtimes.base import CannotRun, ContainerSpec, PodSpec
from windlass.node.runtimes.sandbox.runtime import Sandbox

_ENOUGH = 20.0


async def problems() -> list[str]:
    """Return why sandboxes do not work, for the Node and for the user who started the agent; empty if they do.

    Settings differ between distributions, so the check runs `true` in a sandbox.
    """
    if sys.platform != "linux":
        return [f"namespaces need Linux, and this is {sys.platform}"]
    if not hasattr(socket, "SCM_RIGHTS"):
        return ["this Python cannot pass file descriptors between processes"]
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
