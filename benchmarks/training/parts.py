"""What is measured. A part prints its lines: Windlass' figure, the plain one of the same run, what is asked for."""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.node.parts import say
from benchmarks.node.platform import Platform, a_pod, at_once, memory
from benchmarks.training.jobs import POD, PodWatch, a_tfjob, until_over
from benchmarks.training.reconciling import milliseconds
from benchmarks.training.torch_steps import compare
from windlass.kube.connect import by_socket

ROLES = {"PS": 2, "Worker": 4}
SLEEP = ["sleep", "1000"]


async def start(platform: Platform, rounds: int) -> None:
    """A job of six replicas: until its pods are made, until all of them run; and six plain pods the same way."""
    namespace = await platform.namespace("start")
    watch = PodWatch(platform.client, namespace)
    made: list[float] = []
    ran: list[float] = []
    plain: list[float] = []
    for number in range(rounds + 2):  # the first ones warm caches up
        job = f"job-{number}"
        began = time.perf_counter()
        await platform.client.create(a_tfjob(job, namespace, ROLES, SLEEP))
        answered = time.perf_counter()
        made.append(await watch.until(watch.made, f"{job}-", 6) - answered)
        ran.append(await watch.until(watch.ran, f"{job}-", 6) - began)
        bare = f"bare-{number}"
        began = time.perf_counter()
        await at_once(platform.client, [a_pod(f"{bare}-{n}", namespace, SLEEP) for n in range(6)], 6)
        plain.append(await watch.until(watch.ran, f"{bare}-", 6) - began)
    watch.stop()
    share = statistics.median(made[2:]) * 1000
    took, without = statistics.median(ran[2:]), statistics.median(plain[2:])
    say(
        "TFJob of 2 PS + 4 workers, all running",
        f"{took:.2f} s",
        f"pods {without:.2f} s",
        f"{took / without:.2f}×",
        "≤ 1 s",
    )
    say("  of which the operator's: six pods made", f"{share:.0f} ms", wanted="≤ 50 ms")
    await platform.clear(namespace)


async def many(platform: Platform, jobs: int) -> None:
    """Jobs of four pods that each run `true`, all submitted at once; and as many plain pods."""
    namespace = await platform.namespace("many")
    began = time.perf_counter()
    watching = asyncio.create_task(until_over(platform.client, namespace, jobs))
    roles = {"Worker": 4}
    made = [a_tfjob(f"job-{n}", namespace, roles, ["true"], successPolicy="AllWorkers") for n in range(jobs)]
    await at_once(platform.client, made)
    written = await watching
    took = time.perf_counter() - began
    await platform.clear(namespace)
    bare = await platform.namespace("bare")
    watch, began = PodWatch(platform.client, bare), time.perf_counter()
    await at_once(platform.client, [a_pod(f"pod-{n}", bare, ["true"]) for n in range(4 * jobs)])
    without = await watch.until(watch.ran, "pod-", 4 * jobs) - began
    watch.stop()
    say(f"{jobs} jobs of 4 pods at once, all done", f"{took:.1f} s", f"pods {without:.1f} s", f"{took / without:.2f}×")
    say("  writes of a job's status, most", f"{max(written.values())}", wanted="≤ 20")
    await platform.clear(bare)


async def held(folder: Path, jobs: int) -> None:
    """The manager's memory with many jobs and their pods as objects; no node runs them."""
    _windlass(folder, "up", "--detach", "--no-gateway", "--port=0", "--no-node")
    try:
        client = by_socket(folder / "run/api.sock", token_file=folder / "credentials/admin.token")
        try:
            base = memory([_manager(folder)])
            roles = {"PS": 2, "Worker": 6}
            began = time.perf_counter()
            await at_once(client, [a_tfjob(f"job-{n}", "default", roles, SLEEP) for n in range(jobs)])
            while await client.count(POD.kind, "default") < 8 * jobs:  # noqa: ASYNC110 - it asks another process
                await asyncio.sleep(0.5)
            took = time.perf_counter() - began
            await asyncio.sleep(5)
            full = memory([_manager(folder)])
            alone = await _operator_alone(folder)
        finally:
            await client.close()
    finally:
        _windlass(folder, "down", "--timeout=120")
    say(f"{jobs} jobs × 8 pods held, memory of the operator", f"{alone:.0f} MB", wanted="≤ 120 MB")
    say("  of the whole manager, with all it embeds", f"{full:.0f} MB", f"empty {base:.0f} MB")
    say("  all of their pods and services made", f"{16 * jobs / took:.0f}/s")


async def _operator_alone(folder: Path) -> float:
    """Memory of the training controllers in a process of their own, as they run on a cluster, on the same objects."""
    kubeconfig = f"--kubeconfig={folder / 'kubeconfig'}"
    quiet = ("--leader-elect=false", "--metrics-bind-address=0", "--health-probe-bind-address=0")
    command = [sys.executable, "-m", "windlass", "manager", kubeconfig, *quiet, f"--data-dir={folder}"]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    try:
        await asyncio.sleep(25)
        return memory([process.pid])
    finally:
        process.terminate()
        await process.wait()


def _manager(folder: Path) -> int:
    import json

    said = _windlass(folder, "status", "-o", "json")
    return next(each["pid"] for each in json.loads(said)["components"] if each["name"] == "manager")


def _windlass(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "windlass", *arguments, f"--data-dir={folder}"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


async def reconcile(folder: Path, pods: int) -> None:
    """One look at one job in the middle of many pods, and of few."""
    few, many = milliseconds(8), milliseconds(pods)
    say(
        f"one look at a job among {pods:,} pods",
        f"{many:.2f} ms",
        f"among 8 {few:.2f} ms",
        f"{many / few:.2f}×",
        "≤ 5 ms",
    )


PARTS: dict[str, Callable[[Platform, bool], Awaitable[None]]] = {
    "start": lambda platform, quick: start(platform, 2 if quick else 15),
    "many": lambda platform, quick: many(platform, 4 if quick else 50),
    "torch": lambda platform, quick: compare(platform, rounds=1 if quick else 5, steps=50 if quick else 400),
}
"""Each of these gets a Windlass of its own."""
ALONE: dict[str, Callable[[Path, bool], Awaitable[None]]] = {
    "held": lambda folder, quick: held(folder, 20 if quick else 1000),
    "reconcile": lambda folder, quick: reconcile(folder, 1000 if quick else 10_000),
}
"""These need none, or a special one."""
