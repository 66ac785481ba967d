"""/lamps: the REST API of lamps."""

from aiohttp import web
from windlass.apps.lamps.kinds import Lamp

from windlass.gateway.context import GatewayContext
from windlass.gateway.webapps.answers import Fields
from windlass.gateway.webapps.common import WebApp
from windlass.gateway.webapps.inputs import namespace_of
from windlass.kube.kind import KINDS


def routes(context: GatewayContext) -> list[web.RouteDef]:
    app = LampsApp(context)
    return app.routes([app.get("/api/namespaces/{namespace}/lamps", app.lamps)])


class LampsApp(WebApp):
    def __init__(self, context: GatewayContext) -> None:
        super().__init__(context, "/lamps", KINDS.of(Lamp))

    async def lamps(self, request: web.Request) -> Fields:
        found = await self.client(request).list(Lamp, namespace_of(request))
        return {"lamps": [{"name": lamp.metadata.name, "brightness": lamp.spec.brightness} for lamp in found.items]}
