"""`/api/plugins`: the plug-ins' menu entries; `/plugins/<name>/…`: their files, for everyone who is signed in."""

import asyncio
from functools import cached_property

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.pages import files
from windlass.gateway.pages.routes import HEADERS
from windlass.gateway.plugins.installed import installed_plugins
from windlass.gateway.plugins.plugin import DashboardPlugin
from windlass.kube.json import encode

PREFIX = "/plugins"


def routes(context: GatewayContext) -> list[web.RouteDef]:
    plugins = Plugins()
    return [
        web.get("/api/plugins", plugins.menu),
        web.get(f"{PREFIX}/{{name}}/{{path:.*}}", plugins.file),
    ]


class Plugins:
    @cached_property
    def installed(self) -> dict[str, DashboardPlugin]:
        return installed_plugins()

    async def menu(self, request: web.Request) -> web.Response:
        plugins = await asyncio.to_thread(lambda: self.installed)
        entries = [
            {"plugin": plugin.name, "text": entry.text, "link": f"{PREFIX}/{plugin.name}/{entry.page}"}
            for plugin in plugins.values()
            for entry in plugin.menu
        ]
        return web.Response(body=encode({"menu": entries}), content_type="application/json", headers=HEADERS)

    async def file(self, request: web.Request) -> web.Response:
        plugins = await asyncio.to_thread(lambda: self.installed)
        plugin = plugins.get(request.match_info["name"])
        name = request.match_info["path"] or "index.html"
        file = plugin and await asyncio.to_thread(
            files.read, plugin.files, name, request.headers.get("Accept-Encoding", "")
        )
        if not file:
            raise web.HTTPNotFound(text=f"404: no plug-in has a file {request.path}\n")
        headers = {**HEADERS, "Cache-Control": "no-cache", "ETag": file.etag, "Vary": "Accept-Encoding"}
        if file.encoding:
            headers["Content-Encoding"] = file.encoding
        return web.Response(body=file.body, headers={**headers, "Content-Type": file.content_type})
