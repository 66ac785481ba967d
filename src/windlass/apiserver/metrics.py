"""Metrics of the server, under the names that Kubernetes' dashboards use.

They are plain dicts, formatted on demand: observing a request must cost next to nothing.
"""

import resource
import time
from bisect import bisect_left
from itertools import accumulate

from windlass.apiserver.call import Path
from windlass.apiserver.store import Store

_BUCKETS = (0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_STARTED = time.time()


class Metrics:
    """The counters of a server."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, str, str, str, int], int] = {}
        self._durations: dict[tuple[str, str], list[float]] = {}

    def observe(self, method: str, path: Path | None, status: int, seconds: float) -> None:
        if path is None:
            key = (method, "", "", "", "", status)
        else:
            key = (method, path.group, path.version, path.plural, path.subresource, status)
            if status == 404 and key not in self._requests:
                key = (method, "", "", "", "", status)  # unknown names must not grow the table
        self._requests[key] = self._requests.get(key, 0) + 1
        about = (method, key[3])
        duration = self._durations.get(about)
        if duration is None:
            duration = self._durations[about] = [0.0] * (len(_BUCKETS) + 2)
        duration[bisect_left(_BUCKETS, seconds)] += 1
        duration[-1] += seconds

    def render(self, store: Store) -> bytes:
        """Format the metrics as Prometheus text."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        lines = [
            "# HELP apiserver_request_total Requests by verb, resource and response code.",
            "# TYPE apiserver_request_total counter",
        ]
        for (method, group, version, plural, sub, status), count in sorted(self._requests.items()):
            about = f'group="{group}",resource="{plural}",subresource="{sub}",version="{version}"'
            labels = f'code="{status}",{about},verb="{method}"'
            lines.append(f"apiserver_request_total{{{labels}}} {count}")
        lines += [
            "# HELP apiserver_request_duration_seconds Time to answer, by verb and resource.",
            "# TYPE apiserver_request_duration_seconds histogram",
        ]
        for (method, plural), numbers in sorted(self._durations.items()):
            lines += _histogram(f'resource="{plural}",verb="{method}"', numbers)
        lines += [
            "# HELP apiserver_storage_objects Stored objects by resource.",
            "# TYPE apiserver_storage_objects gauge",
        ]
        for key in sorted(store.resources()):
            group, _, plural = key.partition("/")
            name = f"{plural}.{group}" if group else plural
            lines.append(f'apiserver_storage_objects{{resource="{name}"}} {store.count(key)}')
        lines += [
            "# TYPE windlass_store_revision counter",
            f"windlass_store_revision {store.revision}",
            "# TYPE process_cpu_seconds_total counter",
            f"process_cpu_seconds_total {usage.ru_utime + usage.ru_stime:.3f}",
            "# TYPE process_resident_memory_bytes gauge",
            f"process_resident_memory_bytes {resident_memory()}",
            "# TYPE process_start_time_seconds gauge",
            f"process_start_time_seconds {_STARTED:.3f}",
        ]
        return "\n".join(lines).encode() + b"\n"


def _histogram(labels: str, numbers: list[float]) -> list[str]:
    name = "apiserver_request_duration_seconds"
    *counts, total = numbers
    running = list(accumulate(int(count) for count in counts))
    lines = [f'{name}_bucket{{{labels},le="{edge}"}} {count}' for edge, count in zip(_BUCKETS, running, strict=False)]
    lines.append(f'{name}_bucket{{{labels},le="+Inf"}} {running[-1]}')
    return [*lines, f"{name}_sum{{{labels}}} {total:.6f}", f"{name}_count{{{labels}}} {running[-1]}"]


def resident_memory() -> int:
    """The resident memory of this process in bytes; its peak if the system does not report the current value."""
    try:
        with open("/proc/self/statm") as statm:  # noqa: PTH123 - one read of a file that is no file
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
