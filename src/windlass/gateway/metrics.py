"""What the gateway counts, for Prometheus: requests, open tunnels, sessions, and how long backends take.

Labels have few values, whatever clients send: a route is the first segment of a known prefix, never a path.
"""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

ROUTES = frozenset(
    {
        *("api", "dex", "jupyter", "k8s", "kfam", "metrics", "notebook", "oauth2", "pipeline", "pvcviewers", "serving"),
        *("tensorboard", "tensorboards", "volumes"),
    }
)
PAGES = "other"
"""The dashboard's pages and what platform namespaces route."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
PROXY_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


def route_class(path: str) -> str:
    first = path[1:].partition("/")[0]
    return first if first in ROUTES else PAGES


class GatewayMetrics:
    def __init__(self, *, sessions: Callable[[], int], tunnels: Callable[[], int]) -> None:
        """The callables are asked at each scrape."""
        self.registry = to = CollectorRegistry()
        self._requests = Counter(
            "windlass_gateway_requests",
            "Requests that were answered, by route class, method and status code",
            ("route", "method", "code"),
            registry=to,
        )
        self._proxy_seconds = Histogram(
            "windlass_gateway_proxy_duration_seconds",
            "Time from sending a request to its backend until the head of the answer",
            ("route",),
            buckets=PROXY_BUCKETS,
            registry=to,
        )
        Gauge("windlass_gateway_sessions", "Sessions that have not ended", registry=to).set_function(sessions)
        Gauge("windlass_gateway_open_tunnels", "Open WebSockets, HTTP/2 calls and answers", registry=to).set_function(
            tunnels
        )
        # A lookup by labels costs more than counting: each child is looked up once.
        self._counted: dict[tuple[str, str, int], Counter] = {}
        self._observed: dict[str, Histogram] = {}

    def answered(self, path: str, method: str, code: int) -> None:
        key = (route_class(path), method if method in METHODS else "other", code)
        child = self._counted.get(key)
        if child is None:
            child = self._counted[key] = self._requests.labels(*key)
        child.inc()

    def proxied(self, path: str, seconds: float) -> None:
        route = route_class(path)
        child = self._observed.get(route)
        if child is None:
            child = self._observed[route] = self._proxy_seconds.labels(route)
        child.observe(seconds)
