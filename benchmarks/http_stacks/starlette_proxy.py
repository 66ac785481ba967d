"""The proxy on Starlette and uvicorn: `python -m benchmarks.http_stacks.starlette_proxy PORT BACKEND_PORT`."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from benchmarks.http_stacks.forwarding import client, forwarded


async def forward(request: Request) -> StreamingResponse:
    session: ClientSession = request.app.state.session
    upstream = await session.request(
        request.method, _target(request), headers=forwarded(request.headers), data=await request.body()
    )
    headers = forwarded(upstream.headers)
    if upstream.content_length is not None:
        headers["content-length"] = str(upstream.content_length)
    return StreamingResponse(
        upstream.content.iter_any(), upstream.status, headers, background=BackgroundTask(upstream.release)
    )


async def forward_socket(near: WebSocket) -> None:
    await near.accept()
    session: ClientSession = near.app.state.session
    async with session.ws_connect(_target(near)) as far:
        pumps = [asyncio.ensure_future(to_backend(near, far)), asyncio.ensure_future(from_backend(far, near))]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for each in pumps:
            each.cancel()


async def to_backend(near: WebSocket, far: ClientWebSocketResponse) -> None:
    try:
        while True:
            message = await near.receive()
            if message["type"] != "websocket.receive":
                return
            if message.get("text") is not None:
                await far.send_str(message["text"])
            else:
                await far.send_bytes(message["bytes"])
    except WebSocketDisconnect:
        return


async def from_backend(far: ClientWebSocketResponse, near: WebSocket) -> None:
    async for message in far:
        if message.type is WSMsgType.TEXT:
            await near.send_text(message.data)
        elif message.type is WSMsgType.BINARY:
            await near.send_bytes(message.data)


def _target(request: Request | WebSocket) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path


def main() -> None:
    port, backend = map(int, sys.argv[1:])

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        application.state.session = client(backend)
        yield
        await application.state.session.close()

    every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    routes = [Route("/{path:path}", forward, methods=every), WebSocketRoute("/{path:path}", forward_socket)]
    application = Starlette(routes=routes, lifespan=lifespan)
    uvicorn.run(
        application, host="127.0.0.1", port=port, loop="uvloop", http="httptools", ws="websockets-sansio",
        access_log=False, log_level="warning", ws_per_message_deflate=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
