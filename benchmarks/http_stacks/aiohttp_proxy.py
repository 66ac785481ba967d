"""The proxy on aiohttp.web: `python -m benchmarks.http_stacks.aiohttp_proxy PORT BACKEND_PORT`."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import suppress

import uvloop
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, web

from benchmarks.http_stacks.forwarding import client, forwarded

SESSION = web.AppKey("session", ClientSession)


async def forward(request: web.Request) -> web.StreamResponse:
    if request.headers.get("Upgrade", "").lower() == "websocket":
        return await forward_socket(request)
    session = request.app[SESSION]
    async with session.request(
        request.method, request.path_qs, headers=forwarded(request.headers), data=await request.read()
    ) as upstream:
        answer = web.StreamResponse(status=upstream.status, headers=forwarded(upstream.headers))
        answer.content_length = upstream.content_length
        with suppress(ConnectionResetError):  # the client has left
            await answer.prepare(request)
            async for piece in upstream.content.iter_any():
                await answer.write(piece)
            await answer.write_eof()
        return answer


async def forward_socket(request: web.Request) -> web.WebSocketResponse:
    near = web.WebSocketResponse()
    await near.prepare(request)
    async with request.app[SESSION].ws_connect(request.path_qs) as far:
        pumps = [asyncio.ensure_future(pump(near, far)), asyncio.ensure_future(pump(far, near))]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for each in pumps:
            each.cancel()
    return near


async def pump(
    source: web.WebSocketResponse | ClientWebSocketResponse, sink: web.WebSocketResponse | ClientWebSocketResponse
) -> None:
    async for message in source:
        if message.type is WSMsgType.TEXT:
            await sink.send_str(message.data)
        elif message.type is WSMsgType.BINARY:
            await sink.send_bytes(message.data)


def main() -> None:
    port, backend = map(int, sys.argv[1:])
    application = web.Application()

    async def session(application: web.Application) -> AsyncIterator[None]:
        application[SESSION] = client(backend)
        yield
        await application[SESSION].close()

    application.cleanup_ctx.append(session)
    application.router.add_route("*", "/{path:.*}", forward)
    uvloop.install()
    web.run_app(application, host="127.0.0.1", port=port, access_log=None, print=None)


if __name__ == "__main__":
    main()
