"""Answer a request that no page of the gateway answers: find its route, authorise it and send it to its backend."""

import logging
from collections.abc import Callable

from aiohttp import web

from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.access.reviews import AccessReviews
from windlass.gateway.access.workloads import WorkloadLabels
from windlass.gateway.identity.assertions import Assertions
from windlass.gateway.metrics import GatewayMetrics
from windlass.gateway.page_words import speech_of
from windlass.gateway.proxy.backend_directory import BackendDirectory
from windlass.gateway.proxy.backends import Backends
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.not_ready import not_ready, why_not_ready
from windlass.gateway.proxy.entrances.server_tokens import ServerTokens
from windlass.gateway.proxy.entrances.state import EntranceStates
from windlass.gateway.proxy.entrances.use_recorder import UseRecorder
from windlass.gateway.proxy.forward import Target
from windlass.gateway.proxy.forwarder import Forwarder
from windlass.gateway.proxy.policy_gate import PolicyGate
from windlass.gateway.proxy.request_authorizer import RequestAuthorizer
from windlass.gateway.proxy.routing.routing_state import RoutingState
from windlass.gateway.proxy.target_builder import TargetBuilder
from windlass.gateway.proxy.upstream import Address, BackendFailed
from windlass.gateway.proxy.watches import Watches, on_change, on_deletion
from windlass.gateway.request import IDENTITY, Asked, Identity
from windlass.gateway.sessions.store import Sessions
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.tokens.bearer import ACCOUNT_PREFIX
from windlass.kube.broken_answers import BrokenAnswer, end_connection
from windlass.kube.client import Client
from windlass.kube.kind import Kind
from windlass.kube.meta import PartialObjectMetadata

log = logging.getLogger(__name__)


class Proxy:
    """The routes, rights and connections of a running gateway. `run` keeps them up to date."""

    def __init__(
        self,
        client: Client,
        settings: GatewaySettings,
        hidden_cookies: frozenset[str],
        metrics: GatewayMetrics,
        assertions: Assertions,
        sessions: Sessions,
    ) -> None:
        self._client, self.metrics = client, metrics
        self._watches = watches = Watches(client)
        backends = Backends(watches.services, watches.endpoint_slices)
        gate = PolicyGate(watches.policies, backends, WorkloadLabels(client))
        self.reviews = AccessReviews(client)
        self.server_tokens = ServerTokens(watches.token_secrets)
        self.on_rights_changed: list[Callable[[], None]] = []
        """Called after a role, a binding or a policy has changed."""
        self._routing = RoutingState(
            watches.virtual_services,
            watches.ingresses,
            origin=settings.origin,
            istio_gateway=settings.istio_gateway,
        )
        self._authorizer = RequestAuthorizer(self.reviews, gate, backends, watches.entered, settings.issuer)
        self._directory = BackendDirectory(backends)
        self._targets = TargetBuilder(
            self.reviews, assertions, self.server_tokens, scheme=settings.scheme, hidden_cookies=hidden_cookies
        )
        self._uses = UseRecorder(client, sessions)
        self.tunnels = OpenTunnels(self._authorizer.may_enter)
        self._forwarder = Forwarder(metrics, self.tunnels, self.policies_admit, self.record_data, settings.pods_socket)

    async def run(self) -> None:
        """Watch what routes and rights depend on, until cancelled."""
        watches = self._watches
        on_change(self._routing.forget, watches.virtual_services, watches.ingresses)
        on_change(self._rights_changed, watches.policies, *watches.roles_and_bindings)
        on_change(self.tunnels.check_soon, *watches.entered.values())
        on_deletion(self._account_deleted, watches.accounts)
        try:
            await watches.run()
        finally:
            self._forwarder.close()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        decision = await self.decide(request, request[IDENTITY])
        address = self.address(decision)
        if address is None:
            return await self._not_ready(request, decision)
        self._uses.record(decision.access)
        target = await self.target(request, decision, address)
        try:
            return await self._forwarder.send(request, decision, target)
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
        if not self._watches.has_started:
            await self._watches.started()
        path, route = self._routing.find(request)
        return await self._authorizer.decide(request, path, route, identity.without_machine_view)

    def address(self, decision: Decision) -> Address | None:
        """Where a ready backend is; None where there is none, or it is not of the object that was asked for."""
        return self._directory.address(decision)

    def speaks_http2(self, decision: Decision) -> bool:
        return self._directory.speaks_http2(decision)

    def entrances(self, kind: Kind) -> EntranceStates:
        """The states of the entrances to objects of a kind."""
        return self._directory.states(kind)

    async def target(self, request: Asked, decision: Decision, address: Address) -> Target:
        """What the backend is sent."""
        return await self._targets.build(request, decision, address)

    async def policies_admit(self, decision: Decision) -> bool:
        """Whether policies that have changed since still admit what was admitted."""
        return await self._authorizer.policies_admit(decision)

    def record_data(self, decision: Decision) -> None:
        """Record that a client sent something over an open connection, which authentication does not see."""
        self._uses.record_data(decision)

    def serves(self, path: str, host: str) -> bool:
        """Whether some VirtualService routes a path."""
        return self._routing.serves(path, host)

    def has_host(self, host: str) -> bool:
        """Whether an Ingress has rules for a host: then no page of the gateway is there."""
        return self._routing.has_host(host)

    async def why_not_ready(self, decision: Decision) -> str:
        """A sentence. It shows nothing that the user may not see."""
        if conflict := self._directory.conflict(decision):
            return conflict
        identity = decision.identity
        return await why_not_ready(self._client.impersonating(identity.user, identity.groups), decision.access)

    async def _not_ready(self, request: web.Request, decision: Decision) -> web.Response:
        as_json = "text/html" not in request.headers.get("Accept", "")
        say = speech_of(request.headers)
        return not_ready(decision.name, await self.why_not_ready(decision), say, as_json=as_json)

    def _account_deleted(self, account: PartialObjectMetadata) -> None:
        """Its tokens end with it, and so does what they have opened."""
        key = account.metadata.key
        self.tunnels.close_of(f"{ACCOUNT_PREFIX}{key.namespace}:{key.name}")

    def _rights_changed(self) -> None:
        self.reviews.forget()
        for call in self.on_rights_changed:
            call()
        self.tunnels.check_soon()
