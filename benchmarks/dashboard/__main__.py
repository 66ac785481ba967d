"""Run the benchmark: `python -m benchmarks.dashboard`, or `python -m benchmarks.dashboard graph` for the graph alone.

A namespace of many pods, none of which runs; one page that follows them, then a hundred pages that follow what a list
page does, while pods change; then the pages themselves in a browser.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from benchmarks.dashboard import browser
from benchmarks.dashboard.graph import graph
from benchmarks.gateway.platform import EMAIL, NAMESPACE, Platform, cpu_seconds, resident_mib
from windlass.apis.core_v1 import Pod, ServiceAccount
from windlass.kube.client import Client
from windlass.kube.connect import by_kubeconfig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

PODS, PAGES = 10_000, 100
RATE, SECONDS = browser.RATE, 15
AT_ONCE = 50
FEW = "few"
KINDS_OF_A_PAGE = ("pods", "events", "persistentvolumeclaims", "configmaps")


class Message(msgspec.Struct):
    type: str
    id: int = 0
    items: list[msgspec.Raw] = []
    changed: list[msgspec.Raw] = []
    version: str = ""


class Named(msgspec.Struct):
    name: str
    annotations: dict[str, str] = {}


class Changed(msgspec.Struct):
    metadata: Named


def pod(name: str, namespace: str) -> dict[str, Any]:
    """About as large as one of a training job."""
    environment = [{"name": f"VARIABLE_{number}", "value": "x" * 40} for number in range(12)]
    container = {"name": "main", "image": "python:3.11", "command": ["sleep", "1000"], "env": environment}
    labels = {"training.kubeflow.org/job-name": f"job-{hash(name) % 200}", "app": "bench"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"schedulerName": "none", "containers": [container]},
    }


async def prepare(client: Client) -> None:
    """Two namespaces, and a user who may see all of both."""
    rbac = "rbac.authorization.k8s.io"
    binding = {
        "apiVersion": f"{rbac}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "bench"},
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": rbac, "kind": "User", "name": EMAIL}],
    }
    await client.create(binding)
    for name in (FEW, NAMESPACE):
        await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        while not (await client.list(ServiceAccount, name)).items:  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.1)


async def fill(client: Client, count: int, namespace: str) -> None:
    names = iter(range(count))

    async def create() -> None:
        for number in names:
            await client.create(pod(f"p{number:05}", namespace))

    await asyncio.gather(*(create() for _ in range(AT_ONCE)))


@asynccontextmanager
async def page(platform: Platform, cookie: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    headers = {"Cookie": cookie, "Origin": platform.url}
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
        session.ws_connect(f"{platform.url}/api/live", headers=headers, max_msg_size=0) as socket,
    ):
        yield socket


async def follow(socket: aiohttp.ClientWebSocketResponse, id: int, resource: str, namespace: str) -> int:
    """Subscribe, and wait until everything has come; answers how many objects."""
    params = {"version": "v1", "resource": resource, "namespace": namespace}
    await socket.send_json({"op": "subscribe", "id": id, "topic": "objects", "params": params})
    count = 0
    while True:
        message = msgspec.json.decode((await socket.receive()).data, type=Message)
        if message.type == "error":
            raise RuntimeError(f"{resource} cannot be followed")
        if message.id == id:
            count += len(message.items) + len(message.changed)
            if message.version:
                return count


async def change(client: Client, stop: float) -> int:
    """Patch pods at the rate until then, each with the time of its patch."""
    kind, began = KINDS.of(Pod), time.monotonic()
    running: set[asyncio.Task[Any]] = set()
    sent = 0
    while (now := time.monotonic()) < stop:
        patch = {"metadata": {"annotations": {"changed": repr(time.monotonic())}}}
        task = asyncio.create_task(client.patch(kind, Key(NAMESPACE, f"p{sent * 37 % PODS:05}"), patch))
        running.add(task)
        task.add_done_callback(running.discard)
        sent += 1
        await asyncio.sleep(max(0.0, began + sent / RATE - now))
    await asyncio.gather(*running)
    return sent


async def delays(socket: aiohttp.ClientWebSocketResponse, found: list[float]) -> None:
    """How long each change took to the page."""
    async for received in socket:
        now = time.monotonic()
        message = msgspec.json.decode(received.data, type=Message)
        for raw in message.changed:
            changed = msgspec.json.decode(raw, type=Changed).metadata.annotations.get("changed")
            if changed:
                found.append(now - float(changed))


async def follow_changes(platform: Platform, client: Client, cookie: str, pid: int) -> None:
    before = resident_mib(pid)
    async with page(platform, cookie) as socket:
        began = time.monotonic()
        count = await follow(socket, 1, "pods", NAMESPACE)
        print(
            f"{count:,} pods on a page after {time.monotonic() - began:.2f} s   "
            f"{resident_mib(pid) - before:.0f} MiB more for the watch that all pages share",
            flush=True,
        )
        found: list[float] = []
        reading = asyncio.create_task(delays(socket, found))
        used, began = cpu_seconds(pid), time.monotonic()
        sent = await change(client, began + SECONDS)
        took = time.monotonic() - began
        await asyncio.sleep(1)
        reading.cancel()
        p50, p99 = (sorted(found)[len(found) * part // 100] * 1000 for part in (50, 99))
        print(
            f"{sent / took:.0f} changes/s   {len(found)} of {sent} received   p50 {p50:.0f} ms   p99 {p99:.0f} ms   "
            f"gateway {(cpu_seconds(pid) - used) / took:.0%} of a core",
            flush=True,
        )


async def many_pages(platform: Platform, cookie: str, pid: int) -> None:
    async with AsyncExitStack() as pages:
        first = await pages.enter_async_context(page(platform, cookie))
        for id, resource in enumerate(KINDS_OF_A_PAGE):
            await follow(first, id, resource, FEW)
        before, files = resident_mib(pid), open_files(pid)
        for _ in range(PAGES):
            socket = await pages.enter_async_context(page(platform, cookie))
            for id, resource in enumerate(KINDS_OF_A_PAGE):
                await follow(socket, id, resource, FEW)
        more = max(0, open_files(pid) - files - PAGES)
        print(
            f"{PAGES} more pages, {len(KINDS_OF_A_PAGE)} kinds each   {resident_mib(pid) - before:.1f} MiB more   "
            f"{more} more connections to the API server",
            flush=True,
        )


def open_files(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


async def in_a_browser(platform: Platform, client: Client, cookies: dict[str, str]) -> None:
    if browser.CHROMIUM is None or not browser.DIST.is_dir():
        print("no figures of a browser: there is no chromium on the PATH, or the dashboard is not built")
        return
    async with browser.chromium() as chromium:
        await browser.loads(chromium, platform.url, cookies, FEW)
        await browser.scrolling(chromium, platform.url, cookies, NAMESPACE, PODS, lambda stop: change(client, stop))
        await graph(await browser.page_of(chromium, platform.url, cookies))


async def graph_alone(platform: Platform, cookies: dict[str, str]) -> None:
    async with browser.chromium() as chromium:
        print(f"plain elements, for reference   {await browser.reference(chromium)}", flush=True)
        await graph(await browser.page_of(chromium, platform.url, cookies))


async def run(platform: Platform, cookies: dict[str, str]) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    pid = platform.pids()["gateway"]
    async with await by_kubeconfig(platform.folder / "kubeconfig") as client:
        await prepare(client)
        await fill(client, 20, FEW)
        await many_pages(platform, cookie, pid)
        await fill(client, PODS, NAMESPACE)
        await follow_changes(platform, client, cookie, pid)
        await in_a_browser(platform, client, cookies)


def main() -> int:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    platform = Platform(Path(tempfile.mkdtemp(prefix="windlass-bench-")))
    try:
        platform.start()
        session = platform.sign_in()
        measured = graph_alone if sys.argv[1:] == ["graph"] else run
        asyncio.run(measured(platform, {cookie.name: cookie.value or "" for cookie in session.cookies}))
    finally:
        platform.stop()
    print(f"load at the end {os.getloadavg()[0]:.1f}: beyond 2 the times are too long")
    return 0


if __name__ == "__main__":
    sys.exit(main())
