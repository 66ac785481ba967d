"""Answers in the form of Argo Server. Pure."""

from collections.abc import Mapping

from windlass.gateway.request import Identity
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, encode

VERSION = "v4.0.5"
"""The version of Argo Workflows whose API this is."""
GRPC_CODES: Mapping[int, int] = {400: 3, 401: 16, 403: 7, 404: 5, 409: 6, 410: 11, 429: 8, 501: 12, 503: 14}
UNKNOWN = 2
HTTP_CODES: Mapping[int, int] = {401: 503, 405: 400, 413: 400, 415: 400, 422: 400}
"""What Argo's clients expect in place of Kubernetes' codes; 401 would say that the user's token is refused."""


def http_code(error: ApiError) -> int:
    return HTTP_CODES.get(error.code, error.code)


def failure(error: ApiError) -> Object:
    return {"code": GRPC_CODES.get(http_code(error), UNKNOWN), "message": error.message, "details": []}


def version(own: str) -> Object:
    return {
        "version": VERSION,
        "buildDate": "",
        "gitCommit": "",
        "gitTag": f"windlass-{own}",
        "gitTreeState": "clean",
        "goVersion": "",
        "compiler": "python",
        "platform": "windlass",
    }


def info() -> Object:
    return {"managedNamespace": "", "links": [], "columns": [], "modals": {}, "navColor": ""}


def user_info(identity: Identity) -> Object:
    return {"subject": identity.user, "email": identity.user, "name": identity.user, "groups": list(identity.groups)}


def stream_line(message: Object, *, is_event: bool) -> bytes:
    """One message of a stream: an event for a browser, else a line of JSON."""
    text = encode(message)
    return b"data: " + text + b"\n\n" if is_event else text + b"\n"
