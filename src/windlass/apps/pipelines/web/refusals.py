"""Refusals of requests that prove nobody, in the shape of the pipelines API.

At the gateway a request passes sign-in before its route, and that answers in the gateway's own words.
"""

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.apps.pipelines.web.routes import PREFIXES, VERSIONS
from windlass.gateway.request import IDENTITY

API_PATHS = tuple(f"{prefix}/{version}/" for prefix in PREFIXES for version in VERSIONS)
MESSAGE = "Sign in, or send a valid bearer token: windlass user token makes one"


@web.middleware
async def answer_unauthenticated(request: web.Request, handler: Handler) -> web.StreamResponse:
    response = await handler(request)
    if response.status != 401 or IDENTITY in request or not request.path.startswith(API_PATHS):
        return response
    return unauthenticated(MESSAGE, response.headers.get("WWW-Authenticate", ""))


def unauthenticated(message: str, challenge: str = "") -> web.Response:
    detail = {"@type": "type.googleapis.com/google.rpc.Status", "code": 16, "message": message}
    headers = {"WWW-Authenticate": challenge} if challenge else None
    return web.json_response({"code": 16, "message": message, "details": [detail]}, status=401, headers=headers)
