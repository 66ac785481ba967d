"""Whether the gateway answers (/healthz, open to everyone, so it says nothing else), and what it counts (/metrics).

Metrics need the right that Kubernetes wants for its own: `get` on the URL `/metrics`, as `system:monitoring` has.
"""

from aiohttp import web

from windlass.gateway.access.reviews import PathAccess
from windlass.gateway.context import GatewayContext
from windlass.gateway.login.paths import METRICS_PATHS
from windlass.gateway.request import IDENTITY
from windlass.kube.errors import ApiError
from windlass.kube.listening import metrics_pages

METRICS_ACCESS = PathAccess("get", "/metrics")


def routes(context: GatewayContext) -> list[web.RouteDef]:
    page = metrics_pages(context.metrics.registry)[METRICS_ACCESS.path]

    async def metrics(request: web.Request) -> web.Response:
        identity = request[IDENTITY]
        try:
            allowed = await context.proxy.reviews.allows(identity, METRICS_ACCESS)
        except ApiError as error:
            raise web.HTTPServiceUnavailable(text="503: the API server cannot be asked for your rights\n") from error
        if not allowed:
            raise web.HTTPForbidden(text=f"403: {identity.user} may not {METRICS_ACCESS}\n")
        shown = page()
        return web.Response(text=shown.body, headers={"Content-Type": shown.type, "Cache-Control": "no-store"})

    return [web.get("/healthz", _answer), *(web.get(path, metrics) for path in METRICS_PATHS)]


async def _answer(request: web.Request) -> web.Response:
    return web.Response(text="ok")
