"""The gateway's own refusals of calls of the metadata store, in the form that gRPC-web's clients read.

A request passes sign-in and the check of its origin before its route, and these answer in JSON.
"""

from aiohttp import web
from aiohttp.typedefs import Handler

CONTENT_TYPE = "application/grpc-web"
SERVICE = "/ml_metadata."
PATHS = (SERVICE, f"/pipeline{SERVICE}")
MESSAGES = {
    401: (16, "sign in first, or send a valid bearer token"),
    403: (7, "the request was refused, as one that a page of another site may have sent"),
    503: (14, "the gateway cannot answer at the moment"),
}


@web.middleware
async def answer_grpc_web(request: web.Request, handler: Handler) -> web.StreamResponse:
    content_type = request.headers.get("Content-Type", "")
    if not (content_type.startswith(CONTENT_TYPE) and request.path.startswith(PATHS)):
        return await handler(request)
    try:
        response = await handler(request)
    except web.HTTPException as error:
        if error.status not in MESSAGES:
            raise
        return _refusal(content_type, error.status)
    return _refusal(content_type, response.status) if response.status in MESSAGES else response


def _refusal(content_type: str, status: int) -> web.Response:
    from windlass.apps.pipelines.web.metadata.grpc_web import refused

    return refused(content_type, *MESSAGES[status])
