"""Build what a backend is sent: the path as the route rewrites it, and what the gateway says of the sender."""

from windlass.gateway.access.reviews import AccessReviews
from windlass.gateway.identity.assertions import HEADER as ASSERTION_HEADER
from windlass.gateway.identity.assertions import Assertions
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.lookup import entrance_of
from windlass.gateway.proxy.entrances.server_tokens import ServerTokens
from windlass.gateway.proxy.entrances.url_tokens import contains_token, without_token
from windlass.gateway.proxy.forward import Target, passed_headers, query_of
from windlass.gateway.proxy.headers import MAY_WRITE_HEADER, identity_headers, route_headers
from windlass.gateway.proxy.paths import encoded
from windlass.gateway.proxy.upstream import Address
from windlass.gateway.request import Asked, Identity
from windlass.gateway.tokens.ingress import is_ingress_token
from windlass.kube.errors import ApiError


class TargetBuilder:
    def __init__(
        self,
        reviews: AccessReviews,
        assertions: Assertions,
        server_tokens: ServerTokens,
        *,
        scheme: str,
        hidden_cookies: frozenset[str],
    ) -> None:
        self._reviews, self._assertions, self._server_tokens = reviews, assertions, server_tokens
        self._scheme, self._hidden_cookies = scheme, hidden_cookies

    async def build(self, request: Asked, decision: Decision, address: Address) -> Target:
        identity, route = decision.identity, decision.route
        return Target(
            address=address,
            path=encoded(route.rewritten(decision.path)),
            query=without_token(query_of(request)),
            set_headers=(
                *identity_headers(identity.user, identity.groups),
                *passed_headers(request, self._scheme),
                *await self._entrance_headers(decision),
                *route_headers(route.headers),
                *self._server_tokens.headers(decision.access),
            ),
            dropped_headers=_not_passed(request, identity),
            hidden_cookies=self._hidden_cookies | route.hidden_cookies,
            timeout=route.timeout,
            scope="/" if route.host else f"{route.prefix.rstrip('/')}/",
        )

    async def _entrance_headers(self, decision: Decision) -> list[tuple[str, str]]:
        """What the server behind the route reads of the sender's rights, or an assertion of who the sender is."""
        entrance, headers = entrance_of(decision.access), list[tuple[str, str]]()
        if entrance is not None and entrance.write_access is not None and decision.access is not None:
            access = entrance.write_access(decision.access.namespace)
            try:
                may_write = await self._reviews.allows(decision.identity, access)
            except ApiError:
                may_write = False
            headers.append((MAY_WRITE_HEADER, "true" if may_write else "false"))
        if entrance is None or entrance.asserts_identity:
            backend = decision.route.backend
            audience = f"{backend.service}.{backend.namespace}.svc"
            headers.append((ASSERTION_HEADER, await self._assertions.of(decision.identity, audience)))
        return headers


def _not_passed(request: Asked, identity: Identity) -> frozenset[str]:
    """Headers that no backend gets. A token is worth as much as a session; a Referer may have that of a page's URL."""
    if identity.proof != "session":
        return frozenset({"authorization", "referer"})
    dropped = set[str]()
    if contains_token(request.headers.get("Referer", "")):
        dropped.add("referer")
    if is_ingress_token(request.headers.get("Authorization", "")):
        dropped.add("authorization")
    return frozenset(dropped)
