"""Which paths need no session, and who gets 401 instead of a redirect to the login page. Pure."""

from collections.abc import Mapping

OPEN_PREFIXES = ("/dex/", "/oauth2/")
WEB_APPS = ("/jupyter", "/tensorboards", "/volumes")
OPEN_PATHS = (
    "/healthz",
    "/kfam/",
    *(f"{app}/healthz/{probe}" for app in WEB_APPS for probe in ("liveness", "readiness")),
)
"""Answered to everyone, and so with nothing but that they answer."""
METRICS_PATHS = ("/metrics", "/prometheus/metrics", "/kfam/metrics", *(f"{app}/metrics" for app in WEB_APPS))
"""Where Kubeflow's parts have their metrics. All are the gateway's own, for clients with the right to them."""
API_PARTS = ("/api/", "/apis/")
APIS = ("/ml_metadata", "/kfam/")
"""Further addresses without pages."""
INGRESS_CHECK = "/oauth2/auth"
"""Below it an ingress asks about a request before it passes: the rest is the path of that request."""


def is_open(path: str, raw_path: str) -> bool:
    """Whether a path is answered to everyone. A path that is not in its plain form is never open.

    `raw_path` is what the client sent, without the query.
    """
    if path != raw_path or "//" in path or "\\" in path or any(part in (".", "..") for part in path.split("/")):
        return False
    return path in OPEN_PATHS or path.startswith(OPEN_PREFIXES)


def asked_path(path: str) -> str:
    """The path that the client has asked for, also where an ingress asks about it."""
    return path[len(INGRESS_CHECK) :] if path.startswith(f"{INGRESS_CHECK}/") else path


def wants_json(path: str, headers: Mapping[str, str]) -> bool:
    """Whether the caller is a program: a redirect to a login page would break it."""
    if any(part in f"{path}/" for part in API_PARTS) or path.startswith(APIS) or path in METRICS_PATHS:
        return True
    if headers.get("X-Requested-With", "").lower() == "xmlhttprequest":
        return True
    if headers.get("Upgrade", "").lower() == "websocket":
        return True
    if headers.get("Sec-Fetch-Mode", "navigate") not in ("navigate", "nested-navigate"):
        return True
    accepts = headers.get("Accept", "")
    return "application/json" in accepts and "text/html" not in accepts
