"""Indented JSON for people: for clients that request it, and for programs that display the response.

Kubernetes indents for curl, Wget and browsers unless `?pretty=false` is given; OpenAPI documents and keys are never
indented.
"""

import msgspec

from windlass.apiserver.call import parse_query
from windlass.apiserver.connection import Answer, Request, Response
from windlass.kube.json import Object, encode

_AGENTS = (b"curl", b"Wget", b"Mozilla/5.0")
_YES = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_UNINDENTED_PATHS = ("/openapi/", "/openid/", "/.well-known/")


def is_indented(request: Request) -> bool:
    """Whether the client gets indented JSON. Costs two lookups for other clients."""
    if b"pretty" in request.query_string and (asked := parse_query(request.query_string).get("pretty")):
        return asked in _YES
    headers = request.headers
    return headers.get(b"user-agent", b"").startswith(_AGENTS) or b"pretty=1" in headers.get(b"accept", b"")


def indent(obj: Object) -> bytes:
    """Encode JSON that is always indented: the version, and the list of paths."""
    return msgspec.json.format(encode(obj), indent=2)


def indented(request: Request, answer: Answer) -> Answer:
    """Return the response as the client wants it; a streamed response stays unchanged."""
    if is_indented(request) and isinstance(answer, Response) and _may_be_indented(request.path, answer):
        answer.body = msgspec.json.format(answer.body, indent=2)
    return answer


def _may_be_indented(path: str, answer: Response) -> bool:
    return bool(answer.body) and answer.content_type == b"application/json" and not path.startswith(_UNINDENTED_PATHS)
