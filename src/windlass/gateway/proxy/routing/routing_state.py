"""The routes of now: a table of all VirtualServices and Ingresses, made again after any of them has changed."""

from itertools import chain
from urllib.parse import urlsplit

from aiohttp import web

from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apis.networking_v1 import Ingress
from windlass.gateway.proxy.paths import BadPath, normalise
from windlass.gateway.proxy.routing.ingresses import DOMAINS
from windlass.gateway.proxy.routing.ingresses import routes_of as ingress_routes
from windlass.gateway.proxy.routing.routes import Route, RoutingTable, routes_of
from windlass.gateway.request import Asked
from windlass.kube.cache import Store


class RoutingState:
    def __init__(
        self, virtual_services: Store[VirtualService], ingresses: Store[Ingress], *, origin: str, istio_gateway: str
    ) -> None:
        """`origin`: that of the gateway's pages, whose host no object takes."""
        self._virtual_services, self._ingresses = virtual_services, ingresses
        self._own_host, self._istio_gateway = urlsplit(origin).hostname or "", istio_gateway
        self._table: RoutingTable | None = None

    def forget(self) -> None:
        """Some object has changed: make the table again when it is needed."""
        self._table = None

    def find(self, request: Asked) -> tuple[str, Route]:
        """The normalised path of a request and its route. Raises aiohttp's HTTPException where there is none."""
        try:
            path = normalise(request.raw_path.partition("?")[0])
        except BadPath as error:
            raise web.HTTPBadRequest(text=f"400: {error}\n") from error
        route = self._routes().find(path, request.host)
        if route is None:
            raise web.HTTPNotFound(text="404: there is nothing at this address\n")
        return path, route

    def serves(self, path: str, host: str) -> bool:
        """Whether some VirtualService routes a path."""
        route = self._routes().find(path, host)
        return route is not None and route.prefix != "/"  # what serves the rest serves none of the gateway's pages

    def has_host(self, host: str) -> bool:
        """Whether an Ingress has rules for a host: then no page of the gateway is there."""
        return self._routes().has_host(host)

    def _routes(self) -> RoutingTable:
        if self._table is None:
            own, gateway = self._own_host, self._istio_gateway
            domains = (*DOMAINS, own)
            of_ingresses = (route for ingress in self._ingresses for route in ingress_routes(ingress, own, domains))
            of_services = (route for service in self._virtual_services for route in routes_of(service, gateway))
            self._table = RoutingTable(chain(of_services, of_ingresses), own)
        return self._table
