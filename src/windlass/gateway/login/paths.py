"""Which paths need no session, and who gets 401 instead of a redirect to the login page. Pure."""

from collections.abc import Mapping

OPEN_PREFIXES = ("/dex/", "/oauth2/")
OPEN_PATHS = ("/healthz",)
API_PARTS = ("/api/", "/apis/")


def is_open(path: str, raw_path: str) -> bool:
    """Whether a path is answered to everyone. A path that is not in its plain form is never open.

    `raw_path` is what the client sent, without the query.
    """
    if path != raw_path or "//" in path or "\\" in path or any(part in (".", "..") for part in path.split("/")):
        return False
    return path in OPEN_PATHS or path.startswith(OPEN_PREFIXES)


def wants_json(path: str, headers: Mapping[str, str]) -> bool:
    """Whether the caller is a program: a redirect to a login page would break it."""
    if any(part in f"{path}/" for part in API_PARTS) or path.startswith("/ml_metadata"):
        return True
    if headers.get("X-Requested-With", "").lower() == "xmlhttprequest":
        return True
    if headers.get("Upgrade", "").lower() == "websocket":
        return True
    if headers.get("Sec-Fetch-Mode", "navigate") not in ("navigate", "nested-navigate"):
        return True
    accepts = headers.get("Accept", "")
    return "application/json" in accepts and "text/html" not in accepts
