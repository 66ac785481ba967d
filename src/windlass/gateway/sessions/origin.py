"""Whether a request that a browser sends was caused by a page of our own: by Sec-Fetch-Site, else by Origin. Pure."""

from collections.abc import Collection
from urllib.parse import urlsplit

from windlass.gateway.sessions.csrf import SAFE_METHODS

OWN_SITES = ("same-origin", "none")
"""`none`: a person typed the address or opened a bookmark."""


def problem(
    method: str, *, is_upgrade: bool, origin: str | None, fetch_site: str | None, own_origins: Collection[str]
) -> str | None:
    """Why an unsafe request or a WebSocket with a session is refused; None when it is not.

    Without either header it was not sent by a browser of today, so no other site can have caused it.
    """
    if method in SAFE_METHODS and not is_upgrade:
        return None
    if origin is not None and normalised(origin) not in {normalised(own) for own in own_origins}:
        return "the request comes from a page of another origin"
    if fetch_site is not None and fetch_site not in OWN_SITES:
        return "the request comes from a page of another site"
    return None


def normalised(origin: str) -> str:
    """Scheme, host and port in the form in which browsers send them; empty for what is no origin."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        return ""
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{parts.hostname}" + ("" if port in (None, usual) else f":{port}")


def own_origins(host: str, external: str) -> tuple[str, ...]:
    """The origins that are ours: the host that the browser asked for, by either scheme, and the external URL."""
    return (f"http://{host}", f"https://{host}", external)
