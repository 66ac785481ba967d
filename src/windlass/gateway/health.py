"""/healthz: whether the gateway answers. Open to everyone, so it says nothing else."""

from aiohttp import web

from windlass.gateway.context import GatewayContext


def routes(context: GatewayContext) -> list[web.RouteDef]:
    return [web.get("/healthz", _answer)]


async def _answer(request: web.Request) -> web.Response:
    return web.Response(text="ok")
