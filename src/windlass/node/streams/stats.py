"""Resource usage of containers and the node: sampled every 15 seconds, reported in kubelet's formats."""

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from windlass.kube.json import Object, dig, timestamp
from windlass.node.runtimes.base import Gone, Usage
from windlass.node.streams.pods import Pods, RunningPod
from windlass.node.volumes.claim_usage import ClaimReading, pod_volumes

PERIOD = 15.0
_AT_ONCE = 16


class Reading(Struct, frozen=True):
    """A container's usage at one moment. `rate` is in cores, over the preceding `window` seconds."""

    usage: Usage
    attempt: int
    at: float
    rate: float
    window: float
    started_at: float


class Sample(Struct, frozen=True):
    """A pod with its containers' readings, or the node itself (`pod` is None)."""

    pod: RunningPod | None
    containers: dict[str, Reading]


def read_node(stat: str, meminfo: str, ticks: int) -> Usage:
    """Parse the machine's usage from /proc/stat and /proc/meminfo; memory is what is not available without swapping."""
    times = [int(word) for word in stat.split("\n", 1)[0].split()[1:9]]
    busy = sum(times) - times[3] - times[4]
    kib = {line.split(":")[0]: int(line.split()[1]) for line in meminfo.splitlines() if ":" in line}
    return Usage(busy / ticks, (kib["MemTotal"] - kib["MemAvailable"]) * 1024)


def _node_now() -> Usage:
    return read_node(Path("/proc/stat").read_text(), Path("/proc/meminfo").read_text(), os.sysconf("SC_CLK_TCK"))


class Sampler:
    """Keeps the newest readings. `run` is the agent's task; `once` is one pass."""

    def __init__(self, pods: Pods, node_name: str, node: Callable[[], Usage] = _node_now) -> None:
        self._pods, self.node_name, self._node = pods, node_name, node
        self.pods: dict[str, Sample] = {}
        self.node: Reading | None = None
        self._began = time.time()

    async def run(self) -> None:
        while True:
            await self.once(time.time())
            # the first pass has no rates for running containers: the second follows soon
            await asyncio.sleep(PERIOD if self.node and self.node.window else 1.0)

    async def once(self, now: float) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def ask(pod: RunningPod) -> tuple[RunningPod, dict[str, Usage]]:
            async with gate:
                try:
                    return pod, await self._pods.runtime.usage(pod.uid)
                except (Gone, OSError):
                    return pod, {}

        running = [pod for pod in self._pods.all() if _running(pod)]
        found = await asyncio.gather(*[ask(pod) for pod in running])
        self.pods = {pod.uid: self._sample(pod, used, now) for pod, used in found if used}
        self.node = _reading(self._node(), 0, now, self.node, 0.0)

    def _sample(self, pod: RunningPod, used: dict[str, Usage], now: float) -> Sample:
        before = self.pods.get(pod.uid)
        readings: dict[str, Reading] = {}
        for name, usage in used.items():
            facts = pod.newest(name)
            if facts is None:
                continue
            last = before.containers.get(name) if before else None
            readings[name] = _reading(usage, facts.attempt, now, last, facts.started_at)
        return Sample(pod, readings)


def _running(pod: RunningPod) -> bool:
    return any(runs and runs[-1].state == "running" for runs in pod.attempts.values())


def _reading(usage: Usage, attempt: int, now: float, before: Reading | None, started_at: float) -> Reading:
    """Compute a reading; without a previous one the rate is that since the start, if known."""
    if before is not None and before.attempt == attempt and now > before.at:
        window = now - before.at
        rate = max(0.0, usage.cpu_seconds - before.usage.cpu_seconds) / window
    else:
        window = max(0.0, now - started_at) if started_at else 0.0
        rate = usage.cpu_seconds / window if window else 0.0
    return Reading(usage, attempt, now, rate, window, started_at)


def _time(seconds: float) -> str:
    return timestamp(datetime.fromtimestamp(seconds, UTC))


def _cpu_memory(readings: list[Reading]) -> Object:
    at = _time(max((r.at for r in readings), default=0.0))
    return {
        "cpu": {
            "time": at,
            "usageNanoCores": round(sum(r.rate for r in readings) * 1e9),
            "usageCoreNanoSeconds": round(sum(r.usage.cpu_seconds for r in readings) * 1e9),
        },
        "memory": {
            "time": at,
            "usageBytes": sum(r.usage.memory_bytes for r in readings),
            "workingSetBytes": sum(r.usage.memory_bytes for r in readings),
        },
    }


def summary(sampler: Sampler, claims: Iterable[ClaimReading] = ()) -> Object:
    """Return /stats/summary."""
    node: Object = {"nodeName": sampler.node_name}
    if sampler.node:
        node |= _cpu_memory([sampler.node])
    return {"node": node, "pods": [_pod_summary(sample, claims) for sample in sampler.pods.values()]}


def _pod_summary(sample: Sample, claims: Iterable[ClaimReading]) -> Object:
    pod = sample.pod
    assert pod is not None
    containers = [
        {"name": name, "startTime": _time(reading.started_at), **_cpu_memory([reading])}
        for name, reading in sample.containers.items()
    ]
    reference = {"name": pod.name, "namespace": pod.namespace, "uid": pod.uid}
    start = dig(pod.pod, "status", "startTime") or dig(pod.pod, "metadata", "creationTimestamp")
    processes = sum(reading.usage.processes for reading in sample.containers.values())
    totals = _cpu_memory(list(sample.containers.values()))
    return {
        "podRef": reference,
        "startTime": start,
        "containers": containers,
        **totals,
        "process_stats": {"process_count": processes},
        "volume": pod_volumes(pod.pod, claims),
    }


_FAMILIES = (
    ("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the container in core-seconds"),
    ("container_memory_working_set_bytes", "gauge", "Current working set of the container in bytes"),
    ("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds"),
    ("node_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the node in core-seconds"),
    ("node_memory_working_set_bytes", "gauge", "Current working set of the node in bytes"),
    ("pod_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed by the pod in core-seconds"),
    ("pod_memory_working_set_bytes", "gauge", "Current working set of the pod in bytes"),
)


def exposition(sampler: Sampler) -> str:
    """Return /metrics/resource in Prometheus' text format."""
    lines: dict[str, list[str]] = {name: [] for name, _, _ in _FAMILIES}

    def add(name: str, labels: str, value: float, at: float) -> None:
        lines[name].append(f"{name}{labels} {value:.12g} {round(at * 1000)}")

    for sample in sampler.pods.values():
        pod, readings = sample.pod, sample.containers
        if pod is None or not readings:
            continue
        where = f'namespace="{pod.namespace}",pod="{pod.name}"'
        for name, reading in readings.items():
            labels = f'{{container="{name}",{where}}}'
            add("container_cpu_usage_seconds_total", labels, reading.usage.cpu_seconds, reading.at)
            add("container_memory_working_set_bytes", labels, reading.usage.memory_bytes, reading.at)
            add("container_start_time_seconds", labels, reading.started_at, reading.at)
        at = max(reading.at for reading in readings.values())
        cpu = sum(reading.usage.cpu_seconds for reading in readings.values())
        memory = sum(reading.usage.memory_bytes for reading in readings.values())
        add("pod_cpu_usage_seconds_total", f"{{{where}}}", cpu, at)
        add("pod_memory_working_set_bytes", f"{{{where}}}", memory, at)
    if sampler.node:
        add("node_cpu_usage_seconds_total", "", sampler.node.usage.cpu_seconds, sampler.node.at)
        add("node_memory_working_set_bytes", "", sampler.node.usage.memory_bytes, sampler.node.at)
    told = [
        line
        for name, kind, meaning in _FAMILIES
        if lines[name]
        for line in (f"# HELP {name} [STABLE] {meaning}", f"# TYPE {name} {kind}", *lines[name])
    ]
    told += ["# TYPE resource_scrape_error gauge", "resource_scrape_error 0"]
    return "\n".join(told) + "\n"
