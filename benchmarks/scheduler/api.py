"""Pods a second from the first create to the last bind, through the API server with watches and bindings.

`python -m benchmarks.scheduler.api [--nodes 1000] [--pods 3000] [--in-flight 16]`: one HTTPS client creates the pods
with so many requests in flight, and the scheduler in the manager binds them. Who used the processors is printed beside.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.node.parts import say
from benchmarks.node.platform import at_once
from benchmarks.scheduler.cluster import ControlPlane, Use, a_node, a_pod, running
from windlass.apis.core_v1 import Pod
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.transport import Request

POD = KINDS.of(Pod)
LOOK_EVERY = 0.05  # seconds between two looks whether pods are left without a node
WANTED = 400


@dataclass(frozen=True)
class Measured:
    """One run."""

    pods: int
    created: float
    bound: float
    use: Use
    memory: tuple[float, float]
    requests: "dict[str, Answered]"


@dataclass(frozen=True)
class Answered:
    """Requests of one sort that the server has answered, and the seconds that it took over them."""

    count: int = 0
    seconds: float = 0.0

    def since(self, before: "Answered") -> "Answered":
        return Answered(self.count - before.count, self.seconds - before.seconds)


async def measure(plane: ControlPlane, nodes: int, pods: int, in_flight: int) -> Measured:
    client = await plane.client()
    async with client:
        await at_once(client, [a_node(number) for number in range(nodes)], 16)
        await warm_up(client)
        before, use, began = await answered(client), plane.use(), time.perf_counter()
        await at_once(client, [a_pod(f"pod-{number:06}") for number in range(pods)], in_flight)
        created = time.perf_counter() - began
        await until_bound(client, f"pod-{pods - 1:06}")
        bound = time.perf_counter() - began
        used, after = plane.use().since(use), await answered(client)
    during = {what: after[what].since(before.get(what, Answered())) for what in after}
    return Measured(pods, created, bound, used, plane.memory(), during)


async def warm_up(client: Client) -> None:
    """Until the nodes are known to the scheduler and the paths have been gone."""
    await at_once(client, [a_pod(f"warm-{number}") for number in range(50)])
    await until_bound(client, "warm-49")


async def until_bound(client: Client, last: str) -> None:
    """Until no pod is without a node. The last one is asked for first: to list them all would be a load of its own."""
    while not (await client.get(Pod, last, "default")).spec.node_name:  # noqa: ASYNC110 - it asks another process
        await asyncio.sleep(LOOK_EVERY)
    without_node = Request("GET", POD.path("default"), {"fieldSelector": "spec.nodeName=", "limit": "1"})
    while b'"items":[]' not in (await client.send(without_node)).body:  # noqa: ASYNC110 - as above
        await asyncio.sleep(LOOK_EVERY)


async def answered(client: Client) -> dict[str, Answered]:
    """What the server's metrics say, by resource and verb."""
    text = (await client.send(Request("GET", "/metrics"))).body.decode()
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    numbers = {name: float(value) for name, _, value in lines}
    head = "apiserver_request_duration_seconds_sum"
    found = [name.removeprefix(head) for name in numbers if name.startswith(head)]
    return {what: Answered(int(numbers[head[:-3] + "count" + what]), numbers[head + what]) for what in found}


def report(run: Measured, nodes: int) -> None:
    rate = run.pods / run.bound
    say(f"{run.pods} pods on {nodes} nodes, create to bound", f"{rate:.0f} pods/s", wanted=f"≥ {WANTED}")
    say("  created", f"{run.pods / run.created:.0f} pods/s")
    for who, seconds in (("server", run.use.server), ("manager", run.use.manager), ("client", run.use.client)):
        say(f"  processor time of the {who}", f"{seconds / run.pods * 1000:.2f} ms/pod", f"{seconds:.1f} s")
    server, manager = run.memory
    say("  memory of server, manager", f"{server:.0f} MB", f"{manager:.0f} MB")
    for labels, those in sorted(run.requests.items()):
        if those.count >= run.pods // 10:
            say(f"  answered: {_words(labels)}", f"{those.count}", f"{those.seconds / those.count * 1000:.1f} ms each")


def _words(labels: str) -> str:
    return labels.strip("{}").replace('resource="', "").replace('verb="', "").replace('"', "").replace(",", " ")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scheduler.api", description="Pods a second, create to bound."
    )
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=3000)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--folder", type=Path, help="where Windlass keeps its data (a disk, not tmpfs)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
    try:
        with running(folder) as plane:
            report(asyncio.run(measure(plane, options.nodes, options.pods, options.in_flight)), options.nodes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
