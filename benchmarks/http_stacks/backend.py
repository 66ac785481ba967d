"""What is behind the proxies: one small JSON document, and a WebSocket that says everything again."""

import sys

import uvloop
from aiohttp import WSMsgType, web

DOCUMENT = b'{"items":[%b]}' % b",".join(
    [b'{"name":"object-%03d","ready":true}' % number for number in range(28)]
)  # 1 KB


async def document(request: web.Request) -> web.Response:
    return web.Response(body=DOCUMENT, content_type="application/json")


async def echo(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(message.data)
    return socket


def main() -> None:
    application = web.Application()
    application.add_routes([web.get("/document", document), web.get("/echo", echo)])
    uvloop.install()
    web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)


if __name__ == "__main__":
    main()
