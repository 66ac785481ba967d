"""What is measured. A part prints its lines: Windlass' figure, the plain one of the same run, what is asked for."""

import asyncio
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

from benchmarks.node.platform import Platform, a_pod, at_once, cpu, memory
from windlass.apis.batch_v1 import Job
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.transport import Request
from windlass.kube.view import untyped

UNSHARE = (
    "unshare",
    "--user",
    "--map-root-user",
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--ipc",
    "--uts",
)
"""The namespaces of a pod, made by util-linux: what the kernel itself takes for them."""


def say(name: str, figure: str, plain: str = "", ratio: str = "", wanted: str = "") -> None:
    print(f"  {name:<46}{figure:>14}{plain:>22}{ratio:>10}   {wanted}", flush=True)


async def start(platform: Platform, rounds: int) -> None:
    """Bound pod → its process runs: from the API's answer to the first line that the process writes."""
    namespace = await platform.namespace("start")
    node, delays = await platform.node_name(), list[float]()
    for number in range(rounds + 3):  # the first ones warm caches up
        name = f"pod-{number}"
        pod = a_pod(name, namespace, ["sh", "-c", "echo here; exec sleep 1000"], node=node)
        await platform.client.create(pod)
        began = time.time()
        await platform.until(namespace, "Running", number + 1)
        delays.append(await _first_line(platform, namespace, name) - began)
    milliseconds = sorted(delay * 1000 for delay in delays[3:])
    plain = _plain_start(rounds)
    median = statistics.median(milliseconds)
    added = median - plain
    say("bound pod → its process runs, median", f"{median:.0f} ms", f"unshare {plain:.0f} ms", f"{median / plain:.1f}×")
    say("  added by Windlass", f"{added:.0f} ms", wanted="≤ 60 ms")
    say("  slowest of ten", f"{milliseconds[int(len(milliseconds) * 0.9)]:.0f} ms")
    await platform.clear(namespace)


async def _first_line(platform: Platform, namespace: str, name: str) -> float:
    path = f"/api/v1/namespaces/{namespace}/pods/{name}/log"
    while True:
        answer = await platform.client.send(Request("GET", path, {"timestamps": "true"}, accept="*/*"))
        stamp = answer.body.split(b" ", 1)[0].decode()
        if stamp:
            return datetime.fromisoformat(stamp[:26] + "+00:00").timestamp()


def _plain_start(rounds: int) -> float:
    """Milliseconds, median: the same namespaces and a shell, without Windlass."""
    took: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([*UNSHARE, "sh", "-c", "echo here"], check=True, stdout=subprocess.DEVNULL)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


async def burst(platform: Platform, pods: int) -> None:
    """Many one-container pods created at once, until all are Running."""
    namespace = await platform.namespace("burst")
    before, began = cpu(platform.own_pids()), time.monotonic()
    watching = asyncio.create_task(platform.until(namespace, "Running", pods))
    await at_once(platform.client, [a_pod(f"pod-{n}", namespace, ["sleep", "1000"]) for n in range(pods)])
    created = time.monotonic() - began
    await watching
    took = time.monotonic() - began
    plain = await _plain_burst(pods)
    wanted = "≤ 6 s" if pods == 100 else ""
    say(f"{pods} pods at once, all Running", f"{took:.1f} s", f"unshare {plain:.1f} s", f"{took / plain:.1f}×", wanted)
    spent = cpu(platform.own_pids()) - before
    say("  of which creating the objects", f"{created:.1f} s")
    say("  processor time of Windlass", f"{spent / pods * 1000:.0f} ms a pod")
    await platform.clear(namespace)


async def _plain_burst(pods: int) -> float:
    """Seconds until as many processes in the same namespaces have said that they run, sixteen at a time."""
    limit, began = asyncio.Semaphore(16), time.monotonic()
    running: list[asyncio.subprocess.Process] = []

    async def one() -> None:
        async with limit:
            process = await asyncio.create_subprocess_exec(
                *UNSHARE, "sh", "-c", "echo here; exec sleep 1000", stdout=asyncio.subprocess.PIPE
            )
            assert process.stdout is not None
            await process.stdout.readline()
            running.append(process)

    await asyncio.gather(*(one() for _ in range(pods)))
    took = time.monotonic() - began
    for process in running:
        process.kill()
        await process.wait()
    return took


async def idle(platform: Platform, pods: int, seconds: float) -> None:
    """Idle pods held: memory of Windlass for each, and processor time of all its processes."""
    base = memory(platform.own_pids())
    namespace = await platform.namespace("idle")
    watching = asyncio.create_task(platform.until(namespace, "Running", pods))
    await at_once(platform.client, [a_pod(f"pod-{n}", namespace, ["sleep", "1000"]) for n in range(pods)])
    await watching
    await asyncio.sleep(5)
    pids = platform.own_pids()
    each = (memory(pids) - base) / pods
    before = cpu(pids)
    await asyncio.sleep(seconds)
    share = (cpu(pids) - before) / seconds * 100
    say(f"{pods} idle pods, memory of Windlass for each", f"{each:.1f} MB", wanted="≤ 6 MB")
    say("  processor time of all of Windlass", f"{share:.1f} %", wanted="< 5 % of a core")
    await platform.clear(namespace)


async def jobs(platform: Platform, count: int) -> None:
    """A chain of Jobs that each run `true`: the next is made when the one before is complete."""
    namespace, kind = await platform.namespace("jobs"), KINDS.of(Job)
    began = time.monotonic()
    watching = platform.client.watch(untyped(kind), namespace, initial_events=True)
    await platform.client.create(_a_job(namespace, 0))
    done = 0
    async for change in watching:
        if change.object is None or not _is_complete(change.object, done):
            continue
        done += 1
        if done == count:
            break
        await platform.client.create(_a_job(namespace, done))
    rate = count / (time.monotonic() - began)
    plain = 1000 / _plain_start(20)
    say(
        f"a chain of {count} Jobs that run `true`",
        f"{rate:.1f}/s",
        f"unshare {plain:.0f}/s",
        f"{rate / plain:.2f}",
        "≥ 10/s",
    )
    await platform.clear(namespace)


def _a_job(namespace: str, number: int) -> Object:
    template = {
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox", "command": ["true"]}]}
    }
    metadata = {"name": f"job-{number}", "namespace": namespace}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}


def _is_complete(job: Object, number: int) -> bool:
    if dig(job, "metadata", "name") != f"job-{number}":
        return False
    return any(c["type"] == "Complete" and c["status"] == "True" for c in dig(job, "status", "conditions") or ())


PARTS: dict[str, Callable[[Platform, bool], Awaitable[None]]] = {
    "start": lambda platform, quick: start(platform, 3 if quick else 30),
    "burst": lambda platform, quick: burst(platform, 10 if quick else 100),
    "jobs": lambda platform, quick: jobs(platform, 5 if quick else 100),
    "idle": lambda platform, quick: idle(platform, 10 if quick else 300, 2 if quick else 30),
}
