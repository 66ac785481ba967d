"""The routes of Ingresses.

A namespace serves hosts and paths of its own: `<name>.<namespace>.<domain>` and `<name>-<namespace>.<domain>` below the
domains of the gateway, and without a host the paths that VirtualServices of the namespace may serve. Entering such a
route needs `get` on the Service. Namespaces of the platform may serve anything, for all who are signed in.
"""

from collections.abc import Collection, Iterator

from windlass.apis.networking_v1 import HTTPIngressPath, Ingress, IngressBackend
from windlass.apis.wellknown import PLATFORM_NAMESPACES
from windlass.gateway.proxy.routing.routes import Backend, Route, may_serve, service_access

CLASSES = frozenset({"", "windlass", "istio"})
CLASS_ANNOTATION = "kubernetes.io/ingress.class"
DOMAINS = ("example.com", "localhost")
"""`example.com` is KServe's default; names below `localhost` lead to this machine without any DNS."""


def routes_of(ingress: Ingress, own_host: str, domains: Collection[str]) -> list[Route]:
    """The routes that one Ingress adds; those it may not have are left out. `own_host`: where the pages are."""
    named = ingress.spec.ingress_class_name or ingress.metadata.annotations.get(CLASS_ANNOTATION, "")
    if named not in CLASSES:
        return []
    return [
        route
        for host, path in _paths(ingress)
        if (route := _route(ingress, "" if host.lower() == own_host else host, path, domains)) is not None
    ]


def _paths(ingress: Ingress) -> Iterator[tuple[str, HTTPIngressPath]]:
    """Every host with its paths. The default backend has the rest of each host, and of none if there are no hosts."""
    for rule in ingress.spec.rules:
        for path in rule.http.paths if rule.http is not None else ():
            yield rule.host, path
    if ingress.spec.default_backend is not None:
        rest = HTTPIngressPath(path="/", path_type="Prefix", backend=ingress.spec.default_backend)
        for host in sorted({rule.host for rule in ingress.spec.rules}) or [""]:
            yield host, rest


def _route(ingress: Ingress, host: str, path: HTTPIngressPath, domains: Collection[str]) -> Route | None:
    metadata = ingress.metadata
    is_exact = path.path_type == "Exact"
    prefix = path.path if is_exact else path.path.rstrip("/") or "/"
    backend = _backend(path.backend, metadata.namespace)
    is_own = may_serve_host(metadata.namespace, host, domains) if host else may_serve(metadata.namespace, prefix)
    if backend is None or not is_own:
        return None
    return Route(
        owner=metadata.key,
        prefix=prefix,
        is_exact=is_exact,
        backend=backend,
        age=str(metadata.creation_timestamp or ""),
        host=host.lower(),
        access=service_access(backend),
    )


def may_serve_host(namespace: str, host: str, domains: Collection[str]) -> bool:
    """Whether Ingresses of a namespace may have rules for a host."""
    if namespace in PLATFORM_NAMESPACES:
        return True
    for domain in domains:
        name, dot, rest = host.lower().partition(".")
        if not dot:
            return False
        if name and rest == f"{namespace}.{domain}":
            return True
        if rest == domain and name.endswith(f"-{namespace}") and name != f"-{namespace}":
            return True
    return False


def _backend(backend: IngressBackend, namespace: str) -> Backend | None:
    service = backend.service
    if service is None:
        return None
    return Backend(namespace, service.name, service.port.name or service.port.number)
