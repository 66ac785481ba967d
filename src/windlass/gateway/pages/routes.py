"""Every address of a page of the dashboard. They all answer the same document: the page's script reads the address."""

import asyncio
import time
from pathlib import Path

from aiohttp import web

from windlass.gateway.context import GatewayContext
from windlass.gateway.page_words import speech_of
from windlass.gateway.pages import files
from windlass.gateway.pages.not_built import not_built_page
from windlass.gateway.redirect import redirect
from windlass.gateway.request import IDENTITY
from windlass.gateway.sessions import csrf
from windlass.gateway.sessions.cookies import is_secure, sent_cookie

PLAIN = ("/", "/activity", "/manage-users", "/register", "/account")
APPS = ("/jupyter", "/tensorboards", "/volumes", "/jobs", "/pipelines", "/queues", "/cluster", "/objects")
"""Prefixes of which every GET is a page, unless a route before has it."""
PLANNED = ("/katib/", "/kserve-endpoints/", "/pipeline/")
"""Pages unless something else serves these addresses. `/pipeline/#/…` leads to a page below `/pipelines/`; the others
say what is missing."""
FRAMED = "/_/"
"""An app of others is shown in a frame: `/_/grafana/` has `/grafana/` in it."""

LIBRARY = Path(__file__).with_name("dashboard_lib.bundle.js")
FOREVER = "public, max-age=31536000, immutable"
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


def routes(context: GatewayContext) -> list[web.RouteDef]:
    pages = Pages(context, context.settings.ui_folder or files.built_folder())
    return [
        *(web.get(path, pages.index) for path in PLAIN),
        *(web.get(app, pages.to_folder) for app in APPS),
        *(web.get(f"{app}/{{path:.*}}", pages.index) for app in APPS),
        *(web.get(path.rstrip("/"), pages.planned) for path in PLANNED),
        *(web.get(path, pages.planned) for path in PLANNED),
        web.get(f"{FRAMED}{{path:.*}}", pages.framed),
        web.get("/assets/{path:.*}", pages.asset),
        web.get("/favicon.svg", pages.icon),
        web.get("/dashboard_lib.bundle.js", pages.library),
    ]


class Pages:
    def __init__(self, context: GatewayContext, folder: Path) -> None:
        self._context = context
        self._folder = folder

    async def index(self, request: web.Request) -> web.StreamResponse:
        self._context.views.preload()  # the page asks for a view as soon as it runs
        file = await self._read(request, "index.html")
        if file is None:
            identity = request[IDENTITY]
            say, listed = speech_of(request.headers), self._context.sessions.list(identity.user)
            response = not_built_page(identity, listed, time.time(), say)
        else:
            response = self._file(request, file, "no-store")
            response.headers.update(HEADERS)
        settings = self._context.settings
        same_site = csrf.same_site_of(settings.csrf_same_site)
        token = csrf.page_token(sent_cookie(request, csrf.COOKIE))
        csrf.set_cookie(response, token, same_site, secure=is_secure(request, settings.origin))
        return response

    async def to_folder(self, request: web.Request) -> web.StreamResponse:
        path, mark, query = request.raw_path.partition("?")
        return redirect(f"{path}/{mark}{query}")

    async def planned(self, request: web.Request) -> web.StreamResponse:
        """The page, unless a VirtualService has put another app at this address."""
        if self._context.proxy.serves(request.path, request.host):
            return await self._context.proxy.answer(request)
        if not request.path.endswith("/"):
            return await self.to_folder(request)
        return await self.index(request)

    async def framed(self, request: web.Request) -> web.StreamResponse:
        """A page of the dashboard is shown as such, never in a frame."""
        own = request.raw_path.removeprefix(FRAMED.rstrip("/"))
        if is_page(own.partition("?")[0]):
            return redirect(own)
        return await self.index(request)

    async def asset(self, request: web.Request) -> web.StreamResponse:
        """Names contain a digest of the content, so that a browser need not ask again."""
        return await self._found(request, f"assets/{request.match_info['path']}", FOREVER)

    async def icon(self, request: web.Request) -> web.StreamResponse:
        return await self._found(request, "favicon.svg", "no-cache")

    async def library(self, request: web.Request) -> web.StreamResponse:
        body = await asyncio.to_thread(LIBRARY.read_bytes)
        return self._file(request, files.StaticFile(body, files.CONTENT_TYPES[".js"], ""), "no-cache")

    async def _found(self, request: web.Request, name: str, caching: str) -> web.Response:
        file = await self._read(request, name)
        if file is None:
            raise web.HTTPNotFound(text=f"404: the dashboard has no file {request.path}\n")
        return self._file(request, file, caching)

    async def _read(self, request: web.Request, name: str) -> files.StaticFile | None:
        return await asyncio.to_thread(files.read, self._folder, name, request.headers.get("Accept-Encoding", ""))

    def _file(self, request: web.Request, file: files.StaticFile, caching: str) -> web.Response:
        headers = {
            "Cache-Control": caching,
            "ETag": file.etag,
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        if caching != "no-store" and file.etag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        if file.encoding:
            headers["Content-Encoding"] = file.encoding
        return web.Response(body=file.body, headers={**headers, "Content-Type": file.content_type})


def is_page(path: str) -> bool:
    """Whether an address is one of the dashboard itself."""
    return path in PLAIN or path in APPS or path.startswith(tuple(f"{app}/" for app in APPS))
