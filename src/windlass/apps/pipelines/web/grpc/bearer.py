"""Who calls by gRPC, by their bearer token; as over HTTP, headers with identities count nothing."""

from aiohttp import web

from windlass.apps.pipelines.web.pod_endpoints import NO_TOKEN, TOKEN_PATH
from windlass.apps.pipelines.wire.errors import Unauthenticated, Unavailable
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.authentication import of_bearer
from windlass.gateway.request import Asked, Identity


async def bearer_identity(context: GatewayContext, request: Asked) -> Identity:
    """Raises Unauthenticated and Unavailable."""
    authorization = request.headers.get("Authorization", "")
    if not authorization:
        raise Unauthenticated(NO_TOKEN)
    try:
        identity = await of_bearer(context, authorization, TOKEN_PATH)
    except web.HTTPException as error:
        raise Unavailable(error.text or error.reason) from error
    if identity is None:
        raise Unauthenticated("The bearer token is not valid, has expired, or is for another audience")
    return identity
