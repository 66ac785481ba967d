"""What of a request to /api/k8s reaches the API server. Pure.

Headers pass by an allow list: `Impersonate-User` from a client is dropped in every spelling, with all the others. Of
connections into pods, `exec` over a WebSocket passes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote

from windlass.gateway.proxy.paths import BadPath, encoded, is_below, normalise
from windlass.kube.errors import ApiError, BadRequest, Forbidden, MethodNotAllowed, NotFound
from windlass.kube.meta import Key

PREFIX = "/api/k8s"
ROOTS = ("/api", "/apis", "/version", "/openapi/v3")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MAX_QUERY_CHARACTERS = 8192
ANSWER_HEADERS = frozenset({"cache-control", "etag", "expires", "last-modified", "retry-after", "vary", "warning"})
SHOWN_TYPES = ("application/json", "application/yaml", "text/plain")
"""Content types that pass as they are; a browser is to run nothing that comes from here."""
SAFETY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}

_CONNECTION = re.compile(r"/(pods|services|nodes)/[^/]+/(exec|attach|portforward|proxy)(/|$)")
_EXEC = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/exec")
_EXEC_PROTOCOL = re.compile(r"(v[1-9]\.)?(base64\.)?channel\.k8s\.io")
WEBSOCKET = "websocket"
WEBSOCKET_HEADERS = ("Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions")
_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+(\s*;[\x20-\x7e]*)?")


@dataclass(frozen=True, slots=True)
class ApiTarget:
    path: str
    """Encoded, with its query."""
    is_stream: bool
    """Whether the answer may have no end: a watch, or a log that is followed."""
    exec_in: Key | None = None
    """The pod in which the request runs a command, over a WebSocket."""


def api_target(method: str, raw_path: str, *, upgrade: str = "") -> ApiTarget:
    """Where a request goes; raises an ApiError for what does not pass.

    `raw_path` is as received, with the query; `upgrade` is the header of that name.
    """
    if method not in METHODS:
        raise MethodNotAllowed(f"{method} is not a method of the Kubernetes API")
    raw, _, query = raw_path.partition("?")
    try:
        path = normalise(raw)
    except BadPath as error:
        raise BadRequest(str(error)) from error
    below = path.removeprefix(PREFIX)
    if not is_below(path, PREFIX) or not any(is_below(below, root) for root in ROOTS):
        raise NotFound(f"{below or '/'} is not served here; what is: {', '.join(ROOTS)}")
    pod = _exec_pod(method, below, upgrade)
    if pod is None and (upgrade or _CONNECTION.search(below)):
        raise Forbidden(
            "connections into pods (attach, portforward, proxy) are not served here, and exec only over a WebSocket: "
            "use kubectl with the address of the API server"
        )
    if len(query) > MAX_QUERY_CHARACTERS:
        raise BadRequest(f"the query is longer than {MAX_QUERY_CHARACTERS} characters")
    sent = quote(query, safe="!$&'()*+,;=:@-._~/?%")
    asked = f"{encoded(below)}?{sent}" if sent else encoded(below)
    return ApiTarget(asked, method == "GET" and _is_stream(query), pod)


def _exec_pod(method: str, path: str, upgrade: str) -> Key | None:
    asked = _EXEC.fullmatch(path)
    return Key(*asked.groups()) if asked and method == "GET" and upgrade.lower() == WEBSOCKET else None


def exec_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a WebSocket that the API server gets.

    Clients may send a bearer token as a protocol. It is left out: the request has the rights of the signed-in user.
    """
    offered = (each.strip() for each in headers.get("Sec-WebSocket-Protocol", "").split(","))
    protocols = ", ".join(each for each in offered if _EXEC_PROTOCOL.fullmatch(each))
    kept = {name: headers[name] for name in WEBSOCKET_HEADERS if name in headers}
    return {**kept, **({"Sec-WebSocket-Protocol": protocols} if protocols else {})}


def _is_stream(query: str) -> bool:
    asked = dict(parse_qsl(query, keep_blank_values=True))
    return any(asked.get(name, "false").lower() not in ("false", "0") for name in ("watch", "follow"))


def content_type(header: str, usual: str = "application/json") -> str:
    """A content type or Accept header that can be sent on; raises BadRequest."""
    if not header:
        return usual
    if any(_TYPE.fullmatch(part.strip()) is None for part in header.split(",")):
        raise BadRequest("the Accept or Content-Type header is malformed")
    return header


def answer_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The API server's headers that a browser gets, and what keeps it from running the body."""
    kept = {name: value for name, value in headers.items() if name.lower() in ANSWER_HEADERS}
    given = headers.get("Content-Type", "")
    shown = given if given.partition(";")[0].strip().lower() in SHOWN_TYPES else "application/octet-stream"
    return {"Cache-Control": "no-store", **kept, **SAFETY_HEADERS, "Content-Type": shown}


def status_of(error: ApiError) -> int:
    """401 would say that the session has ended: it is the gateway that the API server does not know."""
    return 503 if error.code == 401 else error.code
