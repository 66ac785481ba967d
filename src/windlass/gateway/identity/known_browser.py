"""The cookie of a browser in which a user has signed in before.

It opens nothing. Tries from such a browser are counted apart from those of strangers, so that nobody who guesses a
user's password elsewhere keeps the user out.
"""

import secrets
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from aiohttp import web

from windlass.gateway.identity.signed import Signer
from windlass.gateway.sessions.cookies import is_secure

if TYPE_CHECKING:
    from windlass.gateway.context import GatewayContext

COOKIE = "windlass_known_browser"
PATH = "/dex/auth"
LIFE = timedelta(days=90)


class KnownBrowser:
    def __init__(self, context: "GatewayContext") -> None:
        self._context = context

    @property
    def _signer(self) -> Signer:
        return self._context.signer("known browser")

    def name(self, request: web.Request, connector: str, user: str) -> str:
        """The browser's name if this user has signed in there last, else empty."""
        kept = self._signer.read(request.cookies.get(COOKIE, ""), time.time(), LIFE.total_seconds())
        is_users = kept is not None and (kept["connector"], kept["user"]) == (connector, user)
        return str(kept["browser"]) if kept is not None and is_users else ""

    def remember(self, request: web.Request, response: web.StreamResponse, connector: str, user: str) -> None:
        browser = self.name(request, connector, user) or secrets.token_urlsafe(16)
        response.set_cookie(
            COOKIE,
            self._signer.sign({"browser": browser, "connector": connector, "user": user}, time.time()),
            httponly=True,
            samesite="Lax",
            secure=is_secure(request, self._context.settings.origin),
            path=PATH,
            max_age=int(LIFE.total_seconds()),
        )
