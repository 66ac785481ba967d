"""An app of the administrator's menu that a browser opens by its own address is shown in the dashboard's frame."""

import logging
import re
from collections.abc import Iterator, Mapping
from itertools import chain

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from windlass.gateway.context import GatewayContext
from windlass.gateway.dashboard import menu
from windlass.gateway.pages.routes import FRAMED, PLANNED, is_page
from windlass.gateway.redirect import redirect
from windlass.gateway.request import IDENTITY
from windlass.kube.errors import ApiError
from windlass.kube.json import Json, dig, dig_list

NAMESPACE = "{ns}"
FORCED = "DASHBOARD_FORCE_IFRAME"
OWN = (FRAMED, *PLANNED)

log = logging.getLogger(__name__)


def enter_frames(context: GatewayContext) -> Middleware:
    """Redirect a browser that opens a framed app directly to its page of the dashboard, if the settings ask for it."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        is_page_of_others = IDENTITY in request and opens_page(request.method, request.path, request.headers)
        if is_page_of_others and await _is_framed(context, request.path):
            # aiohttp's own redirect would decode some of the address.
            return redirect(f"{FRAMED.rstrip('/')}{request.raw_path}")
        return await handler(request)

    return middleware


async def _is_framed(context: GatewayContext, path: str) -> bool:
    try:
        if not is_of_app(path, await menu.links(context.client)):
            return False
        return dig(await menu.settings(context.client), FORCED) is True
    except (ApiError, OSError, TimeoutError) as error:
        log.info("the menu cannot be read error=%s", error)
        return False


def opens_page(method: str, path: str, headers: Mapping[str, str]) -> bool:
    """Whether a browser asks for a whole window's page that is not the dashboard's own. Pure."""
    return (
        headers.get("Sec-Fetch-Dest") == "document"
        and method == "GET"
        and "text/html" in headers.get("Accept", "")
        and not is_page(path)
        and not path.startswith(OWN)
    )


def is_of_app(path: str, links: Json) -> bool:
    """Whether an address is in the folder of an app that the menu shows in a frame. Pure."""
    return any(re.match(_folder(link), f"{path}/") for link in _framed_links(links))


def _framed_links(links: Json) -> Iterator[str]:
    """Links of the menu and its sections, and those outside of it that ask for a frame, without the dashboard's own."""
    listed = dig_list(links, "menuLinks")
    items = chain(listed, *(dig_list(one, "items") for one in listed))
    framed = (one for one in dig_list(links, "externalLinks") if dig(one, "iframe") is True)
    for one in chain(items, framed):
        link = dig(one, "link")
        if isinstance(link, str) and re.match(r"/[^/]", link):
            address = link.removeprefix(FRAMED.rstrip("/"))
            if not is_page(address) and not address.startswith(OWN):
                yield address


def _folder(link: str) -> str:
    """A pattern of the addresses beside a link: `/grafana/d/start?org=1` is in `/grafana/d/`, `/wiki` is `/wiki/`."""
    path = re.split(r"[?#]", link)[0]
    folder = path[: path.rindex("/") + 1] if path.count("/") > 1 else f"{path}/"
    return "[^/]+".join(re.escape(part) for part in folder.split(NAMESPACE))
