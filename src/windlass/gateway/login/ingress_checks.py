"""What Istio's ingress asks: whether a request has a session (/oauth2/auth/…), and the keys of the cluster's tokens."""

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.login.authentication import ask_to_sign_in, of_session
from windlass.gateway.login.paths import INGRESS_CHECK
from windlass.gateway.tokens.ingress import IngressTokens
from windlass.kube.errors import ApiError

CLUSTER_KEYS = "/oauth2/cluster-keys"
_API_KEYS = "/openid/v1/jwks"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    """None without an ingress that asks."""
    if not context.settings.ingress_tokens:
        return []
    tokens = IngressTokens(context.signing_keys, context.settings.issuer)

    async def check(request: web.Request) -> web.Response:
        """200 with a token for a request with a session; else what the gateway answers to such a request."""
        identity = of_session(context, request)
        if identity is None:
            return ask_to_sign_in(request)
        headers = {"Authorization": f"Bearer {await tokens.of(identity)}", "Cache-Control": "no-store"}
        return web.Response(headers=headers)

    async def cluster_keys(request: web.Request) -> web.Response:
        """The public keys of service-account tokens, which the API server shows to service accounts alone."""
        from windlass.kube.transport import Request

        try:
            answer = await context.client.send(Request("GET", _API_KEYS, {}, b""))
        except ApiError as error:
            text = "503: the API server does not show its keys\n"
            raise web.HTTPServiceUnavailable(text=text, headers={"Retry-After": "2"}) from error
        headers = {"Cache-Control": "max-age=60, must-revalidate"}
        return web.Response(body=answer.body, content_type="application/json", headers=headers)

    return [web.get(CLUSTER_KEYS, cluster_keys), web.route("*", f"{INGRESS_CHECK}/{{path:.*}}", check)]
