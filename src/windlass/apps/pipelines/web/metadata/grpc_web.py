"""gRPC-web over HTTP/1.1: one message in the body, one in the answer, the status in its last frame."""

import base64
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web

from windlass.apps.pipelines.web.grpc.frames import (
    MAX_MESSAGE,
    WEB,
    WEB_TEXT,
    is_text,
    is_web,
    of_text,
    only_message,
    web_body,
)
from windlass.apps.pipelines.wire.errors import InvalidArgument, ResourceExhausted, WireError
from windlass.gateway.proxy.http2.answers import grpc_status

Answer: TypeAlias = Callable[[str, bytes], Awaitable[bytes]]
"""From a method and its message to the message that answers it; raises WireError."""


async def answer_web(request: web.Request, answer: Answer) -> web.Response:
    content_type = request.headers.get("Content-Type", "")
    if not is_web(content_type):
        text = "415: this address speaks gRPC-web; send a body of the type application/grpc-web\n"
        return web.Response(status=415, text=text)
    try:
        body = await read_body(request)
        message = only_message(of_text(body) if is_text(content_type) else body)
        answered = web_body(await answer(request.match_info["method"], message))
    except WireError as error:
        return refused(content_type, error.code, error.message)
    if is_text(content_type):
        answered = base64.b64encode(answered)
    return web.Response(body=answered, headers=headers(content_type))


async def read_body(request: web.Request) -> bytes:
    """Raises ResourceExhausted before more than the limit is held."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise InvalidArgument("send the body without Content-Encoding")
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > 2 * MAX_MESSAGE:  # base64 takes a third more
            raise ResourceExhausted(f"the message has more than {MAX_MESSAGE >> 20} MiB")
    return bytes(body)


def refused(content_type: str, code: int, message: str) -> web.Response:
    """An answer without a message: its status is in the headers."""
    status = {name.decode(): value.decode() for name, value in grpc_status(code, message)}
    return web.Response(headers={**headers(content_type), **status})


def headers(content_type: str) -> dict[str, str]:
    own_type = f"{WEB_TEXT if is_text(content_type) else WEB}+proto"
    return {"Content-Type": own_type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
