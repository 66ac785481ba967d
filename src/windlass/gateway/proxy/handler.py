"""Answer a request that no page of the gateway answers: authorise it and send it on to its backend."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from aiohttp import web

from windlass.apis.core_v1 import Service
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apis.rbac_v1 import ClusterRole, ClusterRoleBinding, Role, RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.access.policies import PolicyRequest, is_allowed
from windlass.gateway.access.reviews import Access, AccessReviews
from windlass.gateway.notebooks.activity import NotebookActivity
from windlass.gateway.notebooks.tokens import SECRETS, NotebookTokens
from windlass.gateway.proxy.access_rules import change_access, needed_access
from windlass.gateway.proxy.backends import Backends, dial
from windlass.gateway.proxy.forward import Target, forward, passed_headers
from windlass.gateway.proxy.headers import GROUPS_HEADER, MAY_WRITE_HEADER, USER_HEADER, identity_headers, route_headers
from windlass.gateway.proxy.not_ready import not_ready
from windlass.gateway.proxy.paths import BadPath, encoded, normalise
from windlass.gateway.proxy.routes import Route, RoutingTable
from windlass.gateway.proxy.tunnel import Tunnel
from windlass.gateway.proxy.upstream import BackendFailed, Pool
from windlass.gateway.request import IDENTITY, Identity
from windlass.gateway.settings import GatewaySettings
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.informer import Informers
from windlass.kube.view import metadata_only

log = logging.getLogger(__name__)


class _OnChange:
    """Calls a function at every change of a store, whatever it is."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def added(self, obj: object, /) -> None:
        self._call()

    def changed(self, old: object, new: object, /) -> None:
        self._call()

    def deleted(self, obj: object, /) -> None:
        self._call()


@dataclass
class Proxy:
    """The routes, rights and connections of a running gateway. `run` keeps them up to date."""

    client: Client
    settings: GatewaySettings
    hidden_cookies: frozenset[str]
    reviews: AccessReviews = field(init=False)
    tunnels: OpenTunnels = field(init=False)

    def __post_init__(self) -> None:
        self.reviews = AccessReviews(self.client)
        self.tunnels = OpenTunnels(self.may_enter)
        self._informers = Informers(self.client)
        self._virtual_services = self._informers.store(VirtualService)
        self._policies = self._informers.store(AuthorizationPolicy)
        self._backends = Backends(self._informers.store(Service), self._informers.store(EndpointSlice))
        self._tokens = NotebookTokens(self._informers.store(SECRETS))
        self._activity = NotebookActivity(self.client)
        self._table: RoutingTable | None = None
        self._pool = Pool(lambda address: dial(address, self.settings.pods_socket))

    async def run(self) -> None:
        """Watch what routes and rights depend on, until cancelled."""
        self._virtual_services.subscribe(_OnChange(self._routes_changed))
        self._policies.subscribe(_OnChange(self._rights_changed))
        for kind in (Role, RoleBinding, ClusterRole, ClusterRoleBinding):
            self._informers.store(metadata_only(kind)).subscribe(_OnChange(self._rights_changed))
        try:
            async with asyncio.TaskGroup() as tasks:
                self._informers.start(tasks)
        finally:
            self._pool.close()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        try:
            path = normalise(request.raw_path.partition("?")[0])
        except BadPath as error:
            raise web.HTTPBadRequest(text=f"400: {error}\n") from error
        route = self._routes().find(path)
        if route is None:
            raise web.HTTPNotFound(text="404: there is nothing at this address\n")
        identity = request[IDENTITY]
        access = needed_access(path)
        try:
            await self._authorise(request, path, route, identity, access)
        except ApiError as error:
            log.warning("cannot authorise user=%s error=%s", identity.user, error)
            raise web.HTTPServiceUnavailable(
                text="503: the API server cannot be asked for your rights\n", headers={"Retry-After": "2"}
            ) from error
        return await self._send(request, path, route, identity, access)

    async def may_enter(self, identity: Identity, access: Access | None) -> bool:
        return access is None or await self.reviews.allows(identity, access)

    async def _authorise(
        self, request: web.Request, path: str, route: Route, identity: Identity, access: Access | None
    ) -> None:
        if not await self.may_enter(identity, access):
            raise web.HTTPForbidden(text=f"403: {identity.user} may not {access}\n")
        policies = self._policies.filed("namespace", route.backend.namespace)
        asked = PolicyRequest(
            method=request.method,
            path=path,
            host=request.host,
            port=route.backend.port,
            headers={
                **{name.lower(): value for name, value in request.headers.items()},
                USER_HEADER: identity.user,
                GROUPS_HEADER: ",".join(identity.groups),
            },
        )
        if policies and not is_allowed(policies, asked):
            raise web.HTTPForbidden(
                text=f"403: no AuthorizationPolicy of namespace {route.backend.namespace} admits {identity.user}\n"
            )

    async def _send(
        self, request: web.Request, path: str, route: Route, identity: Identity, access: Access | None
    ) -> web.StreamResponse:
        address = self._backends.address(route.backend)
        if address is None:
            return await self._not_ready(request, route, identity, access)
        if access is not None:
            self._activity.record(access)
        token = self._tokens.of(access)
        target = Target(
            address=address,
            path=encoded(route.rewritten(path)),
            set_headers=(
                *identity_headers(identity.user, identity.groups),
                *passed_headers(request, self.settings.scheme),
                *await self._change_headers(path, identity),
                *route_headers(route.headers),
                *((("Authorization", f"token {token}"),) if token else ()),
            ),
            # A bearer token that proved who they are is worth as much as their session: no backend gets it.
            dropped_headers=frozenset() if identity.proof == "session" else frozenset({"authorization"}),
            hidden_cookies=self.hidden_cookies,
            timeout=route.timeout,
        )
        try:
            return await forward(request, target, self._pool, on_open=self._opened(identity, access))
        except BackendFailed as error:
            log.info("backend failed route=%s error=%s", route.owner, error)
            return await self._not_ready(request, route, identity, access)
        except TimeoutError:
            raise web.HTTPGatewayTimeout(text=f"504: {route.owner} did not answer in time\n") from None

    async def _change_headers(self, path: str, identity: Identity) -> list[tuple[str, str]]:
        access = change_access(path)
        if access is None:
            return []
        try:
            may_write = await self.reviews.allows(identity, access)
        except ApiError:
            may_write = False
        return [(MAY_WRITE_HEADER, "true" if may_write else "false")]

    def _opened(self, identity: Identity, access: Access | None) -> Callable[[Tunnel], None]:
        def opened(tunnel: Tunnel) -> None:
            self.tunnels.add(tunnel, identity, access)
            tunnel.closed.add_done_callback(lambda _: self.tunnels.remove(tunnel))
            if access is not None:
                tunnel.on_data = partial(self._activity.record, access)

        return opened

    async def _not_ready(
        self, request: web.Request, route: Route, identity: Identity, access: Access | None
    ) -> web.Response:
        accept = request.headers.get("Accept", "")
        name = f"{access.namespace}/{access.name}" if access is not None else str(route.owner)
        client = self.client.impersonating(identity.user, identity.groups)
        try:
            return await not_ready(client, name, access, as_json="text/html" not in accept)
        except ApiError as error:
            raise web.HTTPServiceUnavailable(text=f"503: {name} is not ready\n") from error

    def _routes(self) -> RoutingTable:
        if self._table is None:
            self._table = RoutingTable(self._virtual_services)
        return self._table

    def _routes_changed(self) -> None:
        self._table = None

    def _rights_changed(self) -> None:
        self.reviews.forget()
        self.tunnels.check_soon()
