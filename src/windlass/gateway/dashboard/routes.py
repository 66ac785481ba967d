"""`/api`: what the dashboard's pages ask for. Every answer is limited to what the caller may know."""

from aiohttp import web

from windlass.apis.core_v1 import Event, Namespace
from windlass.gateway.access.administrators import is_cluster_admin
from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard import menu
from windlass.gateway.dashboard.answers import answering, json_answer
from windlass.gateway.request import IDENTITY
from windlass.gateway.webapps.inputs import namespace_of
from windlass.gateway.webapps.namespaces import visible_namespaces
from windlass.kube.errors import Forbidden
from windlass.kube.kind import KINDS

CREDENTIALS = frozenset({"authorization", "cookie", "x-xsrf-token"})


def routes(context: GatewayContext) -> list[web.RouteDef]:
    dashboard = _Dashboard(context)
    return [
        web.get("/debug", answering(dashboard.debug)),
        web.get("/api/namespaces", answering(dashboard.namespaces)),
        web.get("/api/activities/{namespace}", answering(dashboard.activities)),
        web.get("/api/dashboard-links", answering(dashboard.links)),
        web.get("/api/dashboard-settings", answering(dashboard.settings)),
        web.route("*", "/api/{path:.*}", not_found),
    ]


async def not_found(request: web.Request) -> web.StreamResponse:
    return json_answer({"error": f"Could not find the route you're looking for: {request.path}"}, 404)


class _Dashboard:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context

    async def debug(self, request: web.Request) -> object:
        """How a request arrives, for administrators who look into a proxy in front; without credentials."""
        identity = request[IDENTITY]
        if not await is_cluster_admin(self._context, identity):
            raise Forbidden("only a cluster administrator may see this")
        shown = {name: value for name, value in request.headers.items() if name.lower() not in CREDENTIALS}
        return {
            "user": {"email": identity.user, "groups": identity.groups, "hasAuth": True},
            "queryParams": dict(request.query),
            "headers": shown,
        }

    async def namespaces(self, request: web.Request) -> object:
        names = {*await visible_namespaces(self._context, request[IDENTITY], "", "namespaces")}
        found = await self._context.client.list(KINDS.of(Namespace))
        return [namespace for namespace in found.items if namespace["metadata"]["name"] in names]

    async def activities(self, request: web.Request) -> object:
        client = self._context.client_of(request[IDENTITY])
        return (await client.list(KINDS.of(Event), namespace_of(request))).items

    async def links(self, request: web.Request) -> object:
        return await menu.links(self._context.client)

    async def settings(self, request: web.Request) -> object:
        return await menu.settings(self._context.client)
