"""Double submit: a page of the web apps reads a cookie that only its own origin can read, and sends it as a header."""

import hmac
import re
import secrets
from typing import Literal, TypeAlias

from aiohttp import web

COOKIE, HEADER = "XSRF-TOKEN", "X-XSRF-TOKEN"
PREFIXES = (
    "/jupyter/",
    "/tensorboards/",
    "/volumes/",
    "/kserve-endpoints/",
    "/api/k8s/",
    "/api/account/",
    "/api/cluster/",
    "/api/jobs/",
    "/api/forecast",
    "/api/what-if",
)
"""The web apps and APIs whose pages do this. Others (pipelines' API, notebooks) are called by clients that know no such
header; there the Origin rule holds."""
SameSite: TypeAlias = Literal["Strict", "Lax", "None"]
SAME_SITES: tuple[SameSite, ...] = ("Strict", "Lax", "None")
TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
SAFE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE")


def problem(method: str, path: str, cookie: str | None, header: str | None) -> str | None:
    """Why a request with a session cookie is refused; None when it is not."""
    if method in SAFE_METHODS or not path.startswith(PREFIXES):
        return None
    if not cookie:
        return f"Could not find CSRF cookie {COOKIE} in the request."
    if not header:
        return f"Could not detect CSRF protection header {HEADER}."
    if not hmac.compare_digest(cookie.encode("utf-8", "surrogatepass"), header.encode("utf-8", "surrogatepass")):
        return "CSRF check failed. Token in cookie doesn't match token in header."
    return None


def same_site_of(given: str) -> SameSite:
    """The attribute of that name, in whatever case; the strictest for a name that is none."""
    by_name: dict[str, SameSite] = {each.lower(): each for each in SAME_SITES}
    return by_name.get(given.strip().lower(), SAME_SITES[0])


def page_token(sent: str) -> str:
    """The token for a page: the one that the browser has, or a new one.

    All apps share the cookie. A new value for each page would end what a program has read from the page before.
    """
    return sent if _TOKEN.fullmatch(sent) else secrets.token_urlsafe(TOKEN_BYTES)


def set_cookie(response: web.StreamResponse, token: str, same_site: SameSite, *, secure: bool) -> None:
    """For a page of the dashboard, which must not be cached."""
    response.set_cookie(COOKIE, token, path="/", samesite=same_site, secure=secure)
    response.headers["Cache-Control"] = "no-cache, no-store, must-revalidate, max-age=0"
