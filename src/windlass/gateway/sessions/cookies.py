"""The cookies of a session: oauth2-proxy's name, and the one that clients written for Kubeflow up to 1.8 look for."""

from aiohttp import web

from windlass.gateway.login.address import of_proxy
from windlass.gateway.request import Asked
from windlass.gateway.sessions.origin import normalised
from windlass.gateway.sessions.store import ABSOLUTE

SESSION = "oauth2_proxy_kubeflow"
SIGN_IN = "oauth2_proxy_kubeflow_csrf"
"""Holds what a sign-in needs on its return; gone when it is over."""
COMPAT = "authservice_session"
AWAY = "windlass_external_sign_in"
"""Holds what a sign-in elsewhere needs on its return."""


def is_secure(request: web.Request, origin: str) -> bool:
    """Whether the browser speaks https: to us, to a proxy on this machine, or to what serves our `origin`.

    It only decides about the Secure attribute. A browser drops such a cookie if it came by plain http.
    """
    if (
        request.secure
        or of_proxy(request.remote or "", request.headers.get("X-Forwarded-Proto", "")).lower() == "https"
    ):
        return True
    return origin.startswith("https:") and normalised(f"https://{request.host}") == normalised(origin)


def session_cookie(request: Asked, *, compat: bool) -> str:
    """The value that was sent; empty for none."""
    return sent_cookie(request, SESSION) or (sent_cookie(request, COMPAT) if compat else "")


def sent_cookie(request: Asked, name: str) -> str:
    """The value of a cookie; empty for none. Parsing all of them, as aiohttp does, takes ten times as long."""
    for pair in request.headers.get("Cookie", "").split(";"):
        key, _, value = pair.partition("=")
        if key.strip() == name:
            return value.strip().strip('"')
    return ""


def set_session(response: web.StreamResponse, value: str, *, secure: bool, compat: bool) -> None:
    for name in (SESSION, COMPAT) if compat else (SESSION,):
        response.set_cookie(
            name,
            value,
            httponly=True,
            samesite="Lax",
            secure=secure,
            path="/",
            max_age=int(ABSOLUTE.total_seconds()),
        )


def clear_session(request: web.Request, response: web.StreamResponse, *, secure: bool) -> None:
    for name in (SESSION, COMPAT):
        if name in request.cookies:
            response.del_cookie(name, path="/", httponly=True, samesite="Lax", secure=secure)
