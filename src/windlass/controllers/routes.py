"""Routes from the gateway to the Services of notebooks, TensorBoards and viewers."""

from collections.abc import Mapping
from dataclasses import dataclass

from windlass.apis.istio.routing import SERVICE_PORT, Routing
from windlass.apis.networking_istio_v1alpha3 import (
    Destination,
    HeaderOperations,
    Headers,
    HTTPMatchRequest,
    HTTPRewrite,
    HTTPRoute,
    HTTPRouteDestination,
    PortSelector,
    StringMatch,
    VirtualService,
    VirtualServiceSpec,
)
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta


@dataclass(frozen=True, kw_only=True)
class RouteTo:
    """A path at the gateway, and the Service of the same namespace that answers it."""

    prefix: str
    service: str
    rewrite: str
    headers: Mapping[str, str] | None = None
    timeout: str = ""


def virtual_service(
    key: Key, route: RouteTo, routing: Routing, labels: Mapping[str, str] | None = None
) -> VirtualService:
    """The VirtualService of that name and namespace."""
    host = f"{route.service}.{key.namespace}.svc.{routing.cluster_domain}"
    destination = Destination(host=host, port=PortSelector(number=SERVICE_PORT))
    rule = HTTPRoute(
        match=[HTTPMatchRequest(uri=StringMatch(prefix=route.prefix))],
        rewrite=HTTPRewrite(uri=route.rewrite),
        headers=Headers(request=HeaderOperations(set_=dict(route.headers or {}))),
        route=[HTTPRouteDestination(destination=destination)],
        timeout=route.timeout,
    )
    return VirtualService(
        metadata=ObjectMeta(name=key.name, namespace=key.namespace, labels=dict(labels or {})),
        spec=VirtualServiceSpec(hosts=[routing.istio_host], gateways=[routing.istio_gateway], http=[rule]),
    )


def are_routes_served(served: frozenset[Kind], *, is_embedded: bool) -> bool:
    """A cluster need not have Istio: then a gateway of its own finds the Services."""
    return is_embedded or KINDS.of(VirtualService) in served
