"""Run the benchmark: `python -m benchmarks.gateway`."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import requests

from benchmarks.api import wrk
from benchmarks.gateway import jupyterlab
from benchmarks.gateway.platform import PATH, Platform, cpu_seconds, notebook, own_address, resident_mib

SECONDS, ROUNDS = 4, 5
SOCKETS = 1000
NOTEBOOKS = 500
_LATENCY = re.compile(r"50%\s+([\d.]+)(us|ms|s)")
_RATE = re.compile(r"Requests/sec:\s+([\d.]+)")
_MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Load:
    rate: float
    p50: float
    """Milliseconds."""


def load(url: str, connections: int, cookie: str) -> Load:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--latency", "-H", f"Cookie: {cookie}", url]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in printed or "Socket errors" in printed:
        raise RuntimeError(printed)
    rate, latency = _RATE.search(printed), _LATENCY.search(printed)
    assert rate is not None
    assert latency is not None
    return Load(float(rate[1]), float(latency[1]) * _MILLISECONDS[latency[2]])


def compare(direct: str, proxied: str, cookie: str, connections: int, gateway: int) -> None:
    """Both in turn, so that other load on the machine meets both; the medians are shown."""
    before = cpu_seconds(gateway)
    pairs = [(load(direct, connections, cookie), load(proxied, connections, cookie)) for _ in range(ROUNDS)]
    middle = len(pairs) // 2
    rates = [sorted(pair[side].rate for pair in pairs)[middle] for side in (0, 1)]
    each = (cpu_seconds(gateway) - before) / sum(pair[1].rate * SECONDS for pair in pairs)
    added = sorted(pair[1].p50 - pair[0].p50 for pair in pairs)[middle]
    print(
        f"{connections:3} connections   direct {rates[0]:8,.0f}/s   through the gateway {rates[1]:7,.0f}/s"
        f"   ratio {rates[1] / rates[0]:.3f}   added at p50 {added:.2f} ms   CPU {each * 1e6:.0f} µs/request",
        flush=True,
    )


async def open_sockets(platform: Platform, cookie: str) -> None:
    """Memory of the gateway with many open WebSockets."""
    pid = platform.pids()["gateway"]
    before = resident_mib(pid)
    headers = {"Cookie": cookie, "Origin": platform.url}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as client:
        links: list[aiohttp.ClientWebSocketResponse] = []
        for _ in range(0, SOCKETS, 50):
            links += await asyncio.gather(
                *(client.ws_connect(f"{platform.url}{PATH}ws", headers=headers) for _ in range(50))
            )
        grown = resident_mib(pid) - before
        print(
            f"{len(links)} open WebSockets   {grown:.1f} MiB more   {grown * 1024 / len(links):.1f} KiB each",
            flush=True,
        )
        for link in links:
            assert link._response.connection is not None
            link._response.close()


def idle(platform: Platform, seconds: float = 20.0) -> None:
    pids = platform.pids()
    before, began = {name: cpu_seconds(pid) for name, pid in pids.items()}, time.monotonic()
    time.sleep(seconds)
    used = sum(cpu_seconds(pid) - before[name] for name, pid in pids.items()) / (time.monotonic() - began)
    sizes = {name: resident_mib(pid) for name, pid in pids.items()}
    sizes["helpers of the node"] = sum(map(resident_mib, platform.helpers()))
    parts = ", ".join(f"{name} {size:.0f}" for name, size in sizes.items())
    total = sum(sizes.values())
    megabytes = total * 1.048576
    print(f"idle   {total:.0f} MiB = {megabytes:.0f} MB resident ({parts})   {used:.1%} of a core", flush=True)


def list_notebooks(platform: Platform, session: requests.Session) -> None:
    platform.apply(*(notebook(f"n{number}") for number in range(NOTEBOOKS)))
    url = f"{platform.url}/jupyter/api/namespaces/bench/notebooks"
    times: list[float] = []
    rows: set[int] = set()
    for _ in range(ROUNDS):
        began = time.monotonic()
        answer = session.get(url, headers={"Accept": "application/json"}, timeout=60)
        times.append((time.monotonic() - began) * 1000)
        answer.raise_for_status()
        rows.add(len(answer.json()["notebooks"]))
    print(f"{max(rows)} notebooks listed   {sorted(times)[len(times) // 2]:.0f} ms", flush=True)


def main() -> int:
    wrk.ensure()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    platform = Platform(Path(tempfile.mkdtemp(prefix="windlass-bench-")))
    address = own_address()
    backend = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.gateway.backend", address], stdout=subprocess.PIPE, text=True
    )
    try:
        assert backend.stdout is not None
        port = int(backend.stdout.readline())
        platform.start()
        print(f"command to login page   {platform.first_page_after:.2f} s", flush=True)
        idle(platform)
        session = platform.sign_in()
        cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in session.cookies)
        platform.route_to(address, port)
        deadline = time.monotonic() + 30
        while session.get(f"{platform.url}{PATH}", timeout=10).status_code != 200:
            if time.monotonic() > deadline:
                raise RuntimeError("the route is not there")
            time.sleep(0.1)
        for connections in (1, 16):
            compare(
                f"http://{address}:{port}{PATH}",
                f"{platform.url}{PATH}",
                cookie,
                connections,
                platform.pids()["gateway"],
            )
        asyncio.run(open_sockets(platform, cookie))
        list_notebooks(platform, session)
        jupyterlab.measure(platform)
    finally:
        backend.kill()
        backend.wait()
        platform.stop()
    print(f"load at the end {os.getloadavg()[0]:.1f}: beyond 2 the figures are too low, the ratios less so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
