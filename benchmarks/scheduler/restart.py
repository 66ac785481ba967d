"""From the start of everything to the first bind, where there are many nodes and pods already.

`python -m benchmarks.scheduler.restart [--nodes 5000] [--pods 100000]`: a data file is filled first; then `windlass up`
is timed until the server answers, and until a pod that waited has its node.
"""

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.node.parts import say
from benchmarks.scheduler.cluster import ControlPlane, plane_on, running, windlass
from benchmarks.scheduler.filling import WAITING, fill, likenesses
from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.connect import by_socket
from windlass.kube.errors import ApiError

WANTED = 20.0
LONGEST = 300.0


async def prepare(folder: Path, nodes: int, pods: int) -> float:
    """Fill the store; the seconds that it took."""
    with running(folder) as plane:
        node, pod = await likenesses(plane)
    began = time.perf_counter()
    await fill(folder / "store.db", node, pod, nodes=nodes, pods=pods)
    return time.perf_counter() - began


async def restart(folder: Path) -> tuple[dict[str, float], ControlPlane]:
    """Start it; when each step was reached, in seconds from the start."""
    began = time.perf_counter()
    steps: dict[str, float] = {}
    command = [sys.executable, "-m", "windlass", "up", "--detach", "--no-gateway", "--no-node", "--port=0"]
    command.append(f"--data-dir={folder}")
    up = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
    async with by_socket(folder / "run/api.sock", token_file=folder / "credentials/admin.token") as client:
        while "bound" not in steps:
            if time.perf_counter() - began > LONGEST:
                raise TimeoutError(f"no bind within {LONGEST:.0f} s; reached so far: {steps}")
            if up.returncode:
                raise RuntimeError("windlass up failed")
            await asyncio.sleep(0.02)
            seen = await _look(client)
            if seen:
                steps.setdefault("answers", time.perf_counter() - began)
            if seen == "bound":
                steps["bound"] = time.perf_counter() - began
    await up.wait()
    return steps, plane_on(folder)


async def _look(client: Client) -> str:
    try:
        pod = await client.get(Pod, WAITING, "default")
    except (ApiError, OSError):
        return ""
    return "bound" if pod.spec.node_name else "waiting"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scheduler.restart", description="Start to first bind.")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where Windlass keeps its data (a disk, not tmpfs)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
    try:
        filled = asyncio.run(prepare(folder, options.nodes, options.pods))
        size = (folder / "store.db").stat().st_size / 1e6
        say(f"filling {options.nodes} nodes, {options.pods} bound pods", f"{filled:.1f} s", f"{size:.0f} MB")
        try:
            steps, plane = asyncio.run(restart(folder))
            use, (server, manager) = plane.use(), plane.memory()
        finally:
            windlass(folder, "down", "--timeout=120")
        say("start to first bind", f"{steps['bound']:.1f} s", wanted=f"≤ {WANTED:.0f} s")
        say("  the server answers", f"{steps['answers']:.1f} s")
        say("  processor time of server, manager", f"{use.server:.1f} s", f"{use.manager:.1f} s")
        say("  memory of server, manager", f"{server:.0f} MB", f"{manager:.0f} MB")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
