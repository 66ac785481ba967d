"""Answer a request that no page of the gateway answers: authorise it and send it on to its backend."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from windlass.apis.core_v1 import Service, ServiceAccount
from windlass.apis.discovery_v1 import EndpointSlice
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apis.networking_v1 import Ingress
from windlass.apis.rbac_v1 import ClusterRole, ClusterRoleBinding, Role, RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apps.notebooks.web.activity import NotebookActivity
from windlass.apps.notebooks.web.kernel_urls import contains_token, without_token
from windlass.apps.volumes.kinds import PVCViewer
from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.access.policies import PolicyRequest
from windlass.gateway.access.reviews import Access, AccessReviews
from windlass.gateway.access.workloads import WorkloadLabels
from windlass.gateway.identity.assertions import HEADER as ASSERTION_HEADER
from windlass.gateway.identity.assertions import Assertions
from windlass.gateway.metrics import GatewayMetrics
from windlass.gateway.page_words import speech_of
from windlass.gateway.proxy.access_rules import change_access, reading_accesses
from windlass.gateway.proxy.backends import Backends, dial
from windlass.gateway.proxy.forward import Target, forward, passed_headers, query_of
from windlass.gateway.proxy.headers import GROUPS_HEADER, MAY_WRITE_HEADER, USER_HEADER, identity_headers, route_headers
from windlass.gateway.proxy.ingresses import DOMAINS
from windlass.gateway.proxy.ingresses import routes_of as ingress_routes
from windlass.gateway.proxy.not_ready import not_ready, why_not_ready
from windlass.gateway.proxy.ownership import Entrance, Entrances, conflict_of, service_name
from windlass.gateway.proxy.paths import BadPath, encoded, normalise
from windlass.gateway.proxy.policy_gate import PolicyGate
from windlass.gateway.proxy.routes import Backend, Route, RoutingTable, routes_of
from windlass.gateway.proxy.server_tokens import NOTEBOOK_SECRETS, SECRETS, ServerTokens
from windlass.gateway.proxy.tunnel import Tunnel
from windlass.gateway.proxy.upstream import Address, BackendFailed, Pool, Upstream
from windlass.gateway.request import IDENTITY, Asked, Identity
from windlass.gateway.sessions.store import Sessions
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.tokens.bearer import ACCOUNT_PREFIX
from windlass.gateway.tokens.ingress import is_ingress_token
from windlass.kube.broken_answers import BrokenAnswer, end_connection
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.informer import Informers
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, PartialObjectMetadata
from windlass.kube.view import metadata_only

UNASSERTED = frozenset({"notebooks", "pvcviewers", "tensorboards"})
"""Resources whose servers know the gateway by other means, or do not read who asks."""

DECISIVE = (VirtualService, Ingress, AuthorizationPolicy, Service, EndpointSlice)
"""Kinds without which a route is unknown, or open though a policy closes it."""
SERVICE_PORT = 80  # of what controllers put before notebooks, TensorBoards and viewers
START_TIMEOUT_SECONDS = 5.0  # a request waits so long for a gateway that has just started
START_CHECK_SECONDS = 0.02

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


class _OnDeletion(_OnChange):
    """Calls a function with each object that is deleted."""

    def __init__(self, call: Callable[[PartialObjectMetadata], None]) -> None:
        super().__init__(lambda: None)
        self._call_with = call

    def deleted(self, obj: Any, /) -> None:
        self._call_with(obj)


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a request goes, and by whose right."""

    path: str
    """Normalised."""
    route: Route
    identity: Identity
    access: Access | None
    asked: PolicyRequest | None = None
    """What policies decide on; None where there are none."""

    @property
    def name(self) -> str:
        """The object that answers, for messages."""
        return f"{self.access.namespace}/{self.access.name}" if self.access is not None else str(self.route.owner)


def _not_passed(request: Asked, identity: Identity) -> frozenset[str]:
    """Headers that no backend gets. A token is worth as much as a session; a Referer may have that of a page's URL."""
    if identity.proof != "session":
        return frozenset({"authorization", "referer"})
    of_page = {"referer"} if contains_token(request.headers.get("Referer", "")) else set[str]()
    of_ingress = {"authorization"} if is_ingress_token(request.headers.get("Authorization", "")) else set[str]()
    return frozenset(of_page | of_ingress)


@dataclass
class Proxy:
    """The routes, rights and connections of a running gateway. `run` keeps them up to date."""

    client: Client
    settings: GatewaySettings
    hidden_cookies: frozenset[str]
    metrics: GatewayMetrics
    assertions: Assertions
    sessions: Sessions
    reviews: AccessReviews = field(init=False)
    tunnels: OpenTunnels = field(init=False)
    on_rights_changed: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Called after a role, a binding or a policy has changed."""

    def __post_init__(self) -> None:
        self.reviews = AccessReviews(self.client)
        self.tunnels = OpenTunnels(self.may_enter)
        self._informers = Informers(self.client)
        self._virtual_services = self._informers.store(VirtualService)
        self._ingresses = self._informers.store(Ingress)
        self._policies = self._informers.store(AuthorizationPolicy)
        self._viewers = self._informers.store(PVCViewer)
        self._backends = Backends(self._informers.store(Service), self._informers.store(EndpointSlice))
        secrets = (self._informers.store(view) for view in (NOTEBOOK_SECRETS, SECRETS))
        self.server_tokens = ServerTokens(*secrets)
        self._activity = NotebookActivity(self.client)
        self._gate = PolicyGate(self._policies, self._backends, WorkloadLabels(self.client))
        self._table: RoutingTable | None = None
        self._has_started = False
        self._pool = Pool(lambda address: dial(address, self.settings.pods_socket, Upstream))

    async def run(self) -> None:
        """Watch what routes and rights depend on, until cancelled."""
        self._virtual_services.subscribe(_OnChange(self._routes_changed))
        self._ingresses.subscribe(_OnChange(self._routes_changed))
        self._policies.subscribe(_OnChange(self._rights_changed))
        self._viewers.subscribe(_OnChange(self.tunnels.check_soon))
        self._informers.store(metadata_only(ServiceAccount)).subscribe(_OnDeletion(self._account_deleted))
        for kind in (Role, RoleBinding, ClusterRole, ClusterRoleBinding):
            self._informers.store(metadata_only(kind)).subscribe(_OnChange(self._rights_changed))
        try:
            async with asyncio.TaskGroup() as tasks:
                self._informers.start(tasks)
        finally:
            self._pool.close()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        decision = await self.decide(request, request[IDENTITY])
        address = self.address(decision)
        if address is None:
            return await self._not_ready(request, decision)
        self.record_use(decision.access)
        target = await self.target(request, decision, address)
        began = time.perf_counter()
        try:
            return await forward(
                request,
                target,
                self._pool,
                on_open=self._opened(decision),
                on_head=lambda: self.metrics.proxied(decision.path, time.perf_counter() - began),
                while_sent=partial(
                    self.tunnels.holding,
                    identity=decision.identity,
                    access=decision.access,
                    admits=partial(self.policies_admit, decision),
                ),
            )
        except BrokenAnswer as error:
            log.info("backend failed in the middle of an answer route=%s error=%s", decision.route.owner, error)
            return end_connection(request)
        except BackendFailed as error:
            log.info("backend failed route=%s error=%s", decision.route.owner, error)
            if self.speaks_http2(decision):
                text = f"502: {decision.route.owner} speaks HTTP/2: use a client of gRPC\n"
                raise web.HTTPBadGateway(text=text) from error
            return await self._not_ready(request, decision)
        except TimeoutError:
            raise web.HTTPGatewayTimeout(text=f"504: {decision.route.owner} did not answer in time\n") from None

    async def decide(self, request: Asked, identity: Identity) -> Decision:
        """Where a request goes, if its sender may go there. Raises aiohttp's HTTPException where not."""
        identity = identity.without_machine_view
        if not self._has_started:
            await self._started()
        try:
            path = normalise(request.raw_path.partition("?")[0])
        except BadPath as error:
            raise web.HTTPBadRequest(text=f"400: {error}\n") from error
        route = self._routes().find(path, request.host)
        if route is None:
            raise web.HTTPNotFound(text="404: there is nothing at this address\n")
        decision = Decision(path, route, identity, route.needed_access(path))
        if self._gate.is_guarded(route.backend):
            asked = self._policy_request(request.method, request.host, request.headers, decision)
            decision = replace(decision, asked=asked)
        try:
            await self._authorise(request, decision)
        except ApiError as error:
            log.warning("cannot authorise user=%s error=%s", identity.user, error)
            raise web.HTTPServiceUnavailable(
                text="503: the API server cannot be asked for your rights\n", headers={"Retry-After": "2"}
            ) from error
        return decision

    async def _started(self) -> None:
        """Wait until the objects that decide about requests have been read. Raises aiohttp's 503 after a while."""
        kinds = {KINDS.of(kind) for kind in DECISIVE}
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while lagging := kinds.intersection(self._informers.lagging()):
            if time.monotonic() > deadline:
                names = ", ".join(sorted(kind.plural for kind in lagging))
                raise web.HTTPServiceUnavailable(
                    text=f"503: the gateway starts and has yet to read {names}\n", headers={"Retry-After": "2"}
                )
            await asyncio.sleep(START_CHECK_SECONDS)
        self._has_started = True

    def address(self, decision: Decision) -> Address | None:
        """Where a ready backend is; None where there is none, or it is not of the object that was asked for."""
        if self._conflict(decision):
            return None
        return self._backends.address(decision.route.backend)

    def _conflict(self, decision: Decision) -> str:
        return conflict_of(self._backends.service(decision.route.backend), decision.access)

    def entrances(self, kind: Kind) -> Entrances:
        """Of Notebooks, Tensorboards and PVCViewers."""

        def entrance(namespace: str, name: str) -> Entrance:
            backend = Backend(namespace, service_name(kind.plural, name), SERVICE_PORT)
            service = self._backends.service(backend)
            conflict = conflict_of(service, Access("get", kind.group, kind.plural, namespace, name))
            return Entrance(conflict, self._backends.has_address(backend))

        return entrance

    def speaks_http2(self, decision: Decision) -> bool:
        return self._backends.speaks_http2(decision.route.backend)

    def record_use(self, access: Access | None) -> None:
        if access is not None:
            self._activity.record(access)

    def record_data(self, decision: Decision) -> None:
        """Record that a client sent something over an open connection, which authentication does not see."""
        self.record_use(decision.access)
        if decision.identity.session:
            self.sessions.touch(decision.identity.session)

    def serves(self, path: str, host: str) -> bool:
        """Whether some VirtualService routes a path."""
        route = self._routes().find(path, host)
        return route is not None and route.prefix != "/"  # what serves the rest serves none of the gateway's pages

    async def may_enter(self, identity: Identity, access: Access | None) -> bool:
        """Whether someone has the right that a route needs, or those that open it for reading."""
        if access is None or await self.reviews.allows(identity, access):
            return True
        return await self._missing_access(identity, access) is None

    async def _missing_access(self, identity: Identity, access: Access) -> Access | None:
        """The first right that someone without the needed one lacks to enter for reading."""
        reading = reading_accesses(access, self._viewers.get(Key(access.namespace, access.name)))
        for needed in reading or (access,):
            if not await self.reviews.allows(identity, needed):
                return needed
        return None

    async def _authorise(self, request: Asked, decision: Decision) -> None:
        identity, backend = decision.identity, decision.route.backend
        access = decision.access
        if access is not None and not await self.may_enter(identity, access):
            missing = await self._missing_access(identity, access) or access
            raise web.HTTPForbidden(text=f"403: {identity.user} may not {missing}\n")
        if decision.asked is not None and (why := await self._gate.refusal(backend, decision.asked)):
            raise web.HTTPForbidden(text=f"403: {why}\n")

    async def policies_admit(self, decision: Decision) -> bool:
        """Whether policies that have changed since still admit what was admitted."""
        asked = decision.asked or self._policy_request("GET", "", {}, decision)
        return not await self._gate.refusal(decision.route.backend, asked)

    def _policy_request(self, method: str, host: str, headers: Mapping[str, str], decision: Decision) -> PolicyRequest:
        identity = decision.identity
        return PolicyRequest(
            method=method,
            path=decision.path,
            host=host,
            port=self._backends.port_number(decision.route.backend),
            headers={
                **{name.lower(): value for name, value in headers.items()},
                USER_HEADER: identity.user,
                GROUPS_HEADER: ",".join(identity.groups),
            },
            request_principal=f"{self.settings.issuer}/{identity.user}",
        )

    async def target(self, request: Asked, decision: Decision, address: Address) -> Target:
        """What the backend is sent: the path as the route rewrites it, and what the gateway says of the sender."""
        identity, route = decision.identity, decision.route
        return Target(
            address=address,
            path=encoded(route.rewritten(decision.path)),
            query=without_token(query_of(request)),
            set_headers=(
                *identity_headers(identity.user, identity.groups),
                *passed_headers(request, self.settings.scheme),
                *await self._change_headers(decision),
                *await self._assertion(decision),
                *route_headers(route.headers),
                *self.server_tokens.headers(decision.access),
            ),
            dropped_headers=_not_passed(request, identity),
            hidden_cookies=self.hidden_cookies | route.hidden_cookies,
            timeout=route.timeout,
            scope="/" if route.host else f"{route.prefix.rstrip('/')}/",
        )

    async def _assertion(self, decision: Decision) -> list[tuple[str, str]]:
        """For apps that read who asks. What the platform itself puts into pods of users takes the gateway's word."""
        if decision.access is not None and decision.access.resource in UNASSERTED:
            return []
        backend = decision.route.backend
        audience = f"{backend.service}.{backend.namespace}.svc"
        return [(ASSERTION_HEADER, await self.assertions.of(decision.identity, audience))]

    async def _change_headers(self, decision: Decision) -> list[tuple[str, str]]:
        access = change_access(decision.access)
        if access is None:
            return []
        try:
            may_write = await self.reviews.allows(decision.identity, access)
        except ApiError:
            may_write = False
        return [(MAY_WRITE_HEADER, "true" if may_write else "false")]

    def _opened(self, decision: Decision) -> Callable[[Tunnel], None]:
        def ended(tunnel: Tunnel) -> None:
            self.tunnels.remove(tunnel)
            if tunnel.broken_by is not None:
                log.info("backend broke off a connection route=%s error=%s", decision.route.owner, tunnel.broken_by)

        def opened(tunnel: Tunnel) -> None:
            self.metrics.answered(decision.path, "GET", 101)
            self.tunnels.add(tunnel, decision.identity, decision.access, partial(self.policies_admit, decision))
            tunnel.closed.add_done_callback(lambda _: ended(tunnel))
            tunnel.on_data = partial(self.record_data, decision)

        return opened

    async def _not_ready(self, request: web.Request, decision: Decision) -> web.Response:
        as_json = "text/html" not in request.headers.get("Accept", "")
        say = speech_of(request.headers)
        return not_ready(decision.name, await self.why_not_ready(decision), say, as_json=as_json)

    async def why_not_ready(self, decision: Decision) -> str:
        """A sentence. It shows nothing that the user may not see."""
        if conflict := self._conflict(decision):
            return conflict
        identity = decision.identity
        return await why_not_ready(self.client.impersonating(identity.user, identity.groups), decision.access)

    def has_host(self, host: str) -> bool:
        """Whether an Ingress has rules for a host: then no page of the gateway is there."""
        return self._routes().has_host(host)

    def _routes(self) -> RoutingTable:
        if self._table is None:
            own = urlsplit(self.settings.origin).hostname or ""
            domains, gateway = (*DOMAINS, own), self.settings.istio_gateway
            of_ingresses = (route for ingress in self._ingresses for route in ingress_routes(ingress, own, domains))
            of_services = (route for service in self._virtual_services for route in routes_of(service, gateway))
            self._table = RoutingTable(chain(of_services, of_ingresses), own)
        return self._table

    def _account_deleted(self, account: PartialObjectMetadata) -> None:
        """Its tokens end with it, and so does what they have opened."""
        key = account.metadata.key
        self.tunnels.close_of(f"{ACCOUNT_PREFIX}{key.namespace}:{key.name}")

    def _routes_changed(self) -> None:
        self._table = None

    def _rights_changed(self) -> None:
        self.reviews.forget()
        for call in self.on_rights_changed:
            call()
        self.tunnels.check_soon()
