"""The routing table: which Service answers a path, by VirtualServices and Ingresses.

The longest prefix wins; of equal ones that of a named host, then the older object, so that a later one cannot take over
a route. A namespace owns `/<app>/<namespace>/…` only: a VirtualService of another namespace may not serve such a path,
and a rule without a `match` serves the rest of what its namespace owns. `hosts` of a VirtualService narrow its routes
and give it no host of its own.

A host that an Ingress has rules for is served by those rules alone, and by those of one namespace: `x-a-b.…` may be a
host of `b` and of `a-b`, so it is of the one whose Ingress is older.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from windlass.apis.access import Access
from windlass.apis.istio.routing import DEFAULT_ROUTING
from windlass.apis.networking_istio_v1alpha3 import HeaderOperations, HTTPRoute, VirtualService
from windlass.apis.wellknown import PLATFORM_NAMESPACES
from windlass.gateway.proxy.entrances.lookup import needed_access, prefixes
from windlass.gateway.proxy.paths import is_below
from windlass.gateway.sessions.csrf import COOKIE as CSRF_COOKIE
from windlass.kube.meta import Key

SERVING = "serving"
"""First segment of the paths of models, whose routes users make themselves."""
RESERVED_PREFIXES = ("/dex", "/oauth2", "/healthz")

PAGE_COOKIES = frozenset({CSRF_COOKIE})
NO_COOKIES = frozenset[str]()
NO_HEADERS = HeaderOperations()
_PORT = re.compile(r":\d*$")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s)")
_LONGEST_DURATION = 100  # characters: the time that a text of digits takes grows with the square of its length
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


@dataclass(frozen=True, slots=True)
class Backend:
    """A port of a Service."""

    namespace: str
    service: str
    port: int | str
    """Its number, or its name."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where the requests below a prefix go."""

    owner: Key
    prefix: str
    is_exact: bool
    backend: Backend
    age: str
    rewrite: str | None = None
    headers: HeaderOperations = NO_HEADERS
    timeout: timedelta | None = None
    host: str = ""
    """In lower case, perhaps `*.…`; empty for all hosts but those of Ingresses."""
    only_for: tuple[str, ...] = ()
    """The `hosts` of a VirtualService in lower case, perhaps `*.…`; none for every host."""
    access: Access | None = None
    """What entering needs where the path does not say it; None for an identity alone."""

    def needed_access(self, path: str) -> Access | None:
        """What entering a path of this route needs. On a host of its own a path means what its backend makes of it."""
        return self.access if self.host else needed_access(path) or self.access

    @property
    def hidden_cookies(self) -> frozenset[str]:
        """Cookies of the gateway's pages that programs of users neither see nor set.

        The platform's own apps may have one of this name, and a host of its own gets none of the gateway's cookies.
        """
        return NO_COOKIES if self.host or self.owner.namespace in PLATFORM_NAMESPACES else PAGE_COOKIES

    def matches(self, path: str) -> bool:
        if self.is_exact:
            return path == self.prefix
        return path.startswith(self.prefix) if self.prefix.endswith("/") else is_below(path, self.prefix)

    def is_for(self, name: str) -> bool:
        """Whether a host, in lower case and without a port, is among those of the VirtualService."""
        return any(
            name.endswith(host[1:]) and name != host[2:] if host.startswith("*.") else name == host
            for host in self.only_for
        )

    def rewritten(self, path: str) -> str:
        """The path that the backend is asked for: the rewrite replaces the matched prefix."""
        if self.rewrite is None:
            return path
        rest = path[len(self.prefix) :]
        return self.rewrite.rstrip("/") + "/" + rest.lstrip("/") if rest else self.rewrite or "/"


@cache
def namespaced_prefixes() -> frozenset[str]:
    """The first segments of paths that belong to the namespace in their second segment."""
    return prefixes() | {SERVING}


class RoutingTable:
    """Immutable: a change of any object makes a new one."""

    def __init__(self, routes: Iterable[Route], own_host: str = "") -> None:
        """`own_host`: that of the gateway's pages, which no rule for `*.…` takes."""
        self._own_host = own_host
        self._buckets: dict[str, list[Route]] = {}
        self._hosts: dict[str, list[Route]] = {}
        for route in sorted(routes, key=_order):
            if route.host:
                self._hosts.setdefault(route.host, []).append(route)
            else:
                self._buckets.setdefault(_buckets(route.prefix)[0], []).append(route)
        for host, claims in self._hosts.items():
            self._hosts[host] = _of_owner(claims)

    def has_host(self, host: str) -> bool:
        """Whether a host, with or without a port, has rules of its own."""
        return bool(self._hosts) and self._of_host(host_name(host)) is not None

    def find(self, path: str, host: str = "") -> Route | None:
        """The route of a normalised path."""
        own = self._of_host(host_name(host)) if self._hosts else None
        if own is not None:
            return next((route for route in own if route.matches(path)), None)
        for key in _buckets(path):
            for route in self._buckets.get(key, ()):
                if route.matches(path) and (not route.only_for or route.is_for(host_name(host))):
                    return route
        return None

    def _of_host(self, name: str) -> list[Route] | None:
        if name == self._own_host:
            return None
        return self._hosts.get(name) or self._hosts.get(f"*.{name.partition('.')[2]}")


def host_name(host: str) -> str:
    """A Host header in lower case, without its port."""
    return host.lower().rpartition(":")[0] if _PORT.search(host) else host.lower()


def _order(route: Route) -> tuple[object, ...]:
    return -len(route.prefix), not route.is_exact, not route.only_for, route.age, route.owner


def _of_owner(claims: list[Route]) -> list[Route]:
    """The routes of the namespace that has a host: a longer path is no way to take a part of another's."""
    platforms = [route for route in claims if route.owner.namespace in PLATFORM_NAMESPACES]
    owner = min(claims, key=lambda route: (route.age, route.owner)).owner.namespace
    return platforms or [route for route in claims if route.owner.namespace == owner]


def routes_of(service: VirtualService, gateway: str = DEFAULT_ROUTING.istio_gateway) -> list[Route]:
    """The routes that one VirtualService adds at a gateway; those it may not have are left out."""
    namespace = service.metadata.namespace
    if not any(_is_gateway(given, gateway, namespace) for given in service.spec.gateways):
        return []
    return [route for http in service.spec.http for route in _routes(service, http)]


def _routes(service: VirtualService, http: HTTPRoute) -> list[Route]:
    metadata = service.metadata
    backend = _backend(http, metadata.namespace)
    if backend is None:
        return []
    found: list[Route] = []
    only_for = () if "*" in service.spec.hosts else tuple(host.lower() for host in service.spec.hosts)
    for prefix, is_exact in _prefixes(http, metadata.namespace):
        if prefix.startswith("/") and may_serve(metadata.namespace, prefix):
            found.append(
                Route(
                    owner=metadata.key,
                    prefix=prefix,
                    is_exact=is_exact,
                    backend=backend,
                    rewrite=http.rewrite.uri if http.rewrite and http.rewrite.uri else None,
                    headers=http.headers.request,
                    timeout=duration(http.timeout),
                    age=str(metadata.creation_timestamp or ""),
                    access=service_access(backend, metadata.namespace),
                    only_for=only_for,
                )
            )
    return found


def _is_gateway(given: str, gateway: str, namespace: str) -> bool:
    """Whether a VirtualService names a gateway, as `namespace/name`, or by its name alone."""
    if "/" in given:
        return given == (gateway if "/" in gateway else f"{namespace}/{gateway}")
    return given == gateway.rpartition("/")[2]


def _prefixes(http: HTTPRoute, namespace: str) -> list[tuple[str, bool]]:
    """Prefixes or exact paths of a rule. Without a match it is for all that the namespace may serve.

    A match by anything but the path is left out: the gateway does not look at it, so it would match too much.
    """
    if http.match:
        return [(match.uri.exact or match.uri.prefix, bool(match.uri.exact)) for match in http.match]
    if namespace in PLATFORM_NAMESPACES:
        return [("/", False)]
    return [(f"/{app}/{namespace}/", False) for app in sorted(namespaced_prefixes())]


def service_access(backend: Backend, owner: str = "") -> Access | None:
    """The right to a Service that a namespace of users shows; what the platform's own show is for all."""
    if (owner or backend.namespace) in PLATFORM_NAMESPACES:
        return None
    return Access("get", "", "services", backend.namespace, backend.service)


def may_serve(namespace: str, prefix: str) -> bool:
    """Whether objects of a namespace may have routes below a prefix."""
    if any(is_below(prefix, reserved) for reserved in RESERVED_PREFIXES):
        return False
    if namespace in PLATFORM_NAMESPACES:
        return True
    segments = prefix.split("/")
    return len(segments) > 2 and segments[1] in namespaced_prefixes() and segments[2] == namespace


def _backend(http: HTTPRoute, namespace: str) -> Backend | None:
    """The destination, which must be a Service of the same namespace unless the platform itself made the route."""
    if not http.route:
        return None
    destination = http.route[0].destination
    name, _, rest = destination.host.partition(".")
    target = rest.partition(".")[0] or namespace
    if target != namespace and namespace not in PLATFORM_NAMESPACES:
        return None
    return Backend(target, name, destination.port.number or 80)


def duration(text: str) -> timedelta | None:
    """A duration as `1h30m` or `300s`; None for none and for what cannot be read."""
    if not text or len(text) > _LONGEST_DURATION or _DURATION.sub("", text):
        return None
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(text))
    return timedelta(seconds=min(seconds, 86400.0)) if seconds else None


def _buckets(path: str) -> list[str]:
    """Keys of the routes that may match a path, those of longer prefixes first. A route is filed under the first."""
    segments = [segment for segment in path.split("/") if segment]
    keys = ["/".join(segments[:3])] if len(segments) >= 3 and segments[0] in namespaced_prefixes() else []
    return [*keys, *segments[:1], ""]
