"""Decide whether a sender may go where a route leads: by RBAC, and by AuthorizationPolicies where there are any."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aiohttp import web

from windlass.apis.access import Access
from windlass.gateway.access.policies import PolicyRequest
from windlass.gateway.access.reviews import AccessReviews
from windlass.gateway.proxy.backends import Backends
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.gateway.proxy.headers import GROUPS_HEADER, USER_HEADER
from windlass.gateway.proxy.policy_gate import PolicyGate
from windlass.gateway.proxy.routing.routes import Route
from windlass.gateway.request import Asked, Identity
from windlass.kube.cache import Store
from windlass.kube.errors import ApiError
from windlass.kube.meta import Key

log = logging.getLogger(__name__)


class RequestAuthorizer:
    def __init__(
        self,
        reviews: AccessReviews,
        gate: PolicyGate,
        backends: Backends,
        entered: Mapping[str, Store[Any]],
        issuer: str,
    ) -> None:
        """`entered`: objects that decide who enters them for reading, by the prefix of their entrance."""
        self._reviews, self._gate, self._backends = reviews, gate, backends
        self._entered, self._issuer = entered, issuer

    async def decide(self, request: Asked, path: str, route: Route, identity: Identity) -> Decision:
        """The decision to let a request pass. Raises aiohttp's HTTPException if it may not."""
        decision = Decision(path, route, identity, route.needed_access(path))
        if self._gate.is_guarded(route.backend):
            asked = self._policy_request(request.method, request.host, request.headers, decision)
            decision = replace(decision, asked=asked)
        try:
            await self._authorize(decision)
        except ApiError as error:
            log.warning("cannot authorise user=%s error=%s", identity.user, error)
            raise web.HTTPServiceUnavailable(
                text="503: the API server cannot be asked for your rights\n", headers={"Retry-After": "2"}
            ) from error
        return decision

    async def may_enter(self, identity: Identity, access: Access | None) -> bool:
        """Whether someone has the right that a route needs, or those that open it for reading."""
        if access is None or await self._reviews.allows(identity, access):
            return True
        return await self._missing_access(identity, access) is None

    async def policies_admit(self, decision: Decision) -> bool:
        """Whether policies that have changed since still admit what was admitted."""
        asked = decision.asked or self._policy_request("GET", "", {}, decision)
        return not await self._gate.refusal(decision.route.backend, asked)

    async def _authorize(self, decision: Decision) -> None:
        identity, access = decision.identity, decision.access
        if access is not None and not await self.may_enter(identity, access):
            missing = await self._missing_access(identity, access) or access
            raise web.HTTPForbidden(text=f"403: {identity.user} may not {missing}\n")
        if decision.asked is not None and (why := await self._gate.refusal(decision.route.backend, decision.asked)):
            raise web.HTTPForbidden(text=f"403: {why}\n")

    async def _missing_access(self, identity: Identity, access: Access) -> Access | None:
        """The first right that someone without the needed one lacks to enter for reading."""
        for needed in reading_accesses(access, self._entered) or (access,):
            if not await self._reviews.allows(identity, needed):
                return needed
        return None

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
            request_principal=f"{self._issuer}/{identity.user}",
        )


def reading_accesses(access: Access, entered: Mapping[str, Store[Any]]) -> tuple[Access, ...]:
    """The rights that together open a route for reading, instead of the needed one; none for most routes."""
    entrance = entrance_of(access)
    if entrance is None or entrance.reading_accesses is None:
        return ()
    obj = entered[entrance.prefix].get(Key(access.namespace, access.name))
    return tuple(entrance.reading_accesses(obj)) if obj is not None else ()
