"""JSON with line breaks for people: clients that ask for it, and programs that show an answer as it comes.

Kubernetes indents for curl, Wget and browsers unless `?pretty=false` is given; OpenAPI documents and keys stay as they
are.
"""

import msgspec

from windlass.apiserver.call import parse_query
from windlass.apiserver.connection import Answer, Request, Response
from windlass.kube.json import Object, encode

_AGENTS = (b"curl", b"Wget", b"Mozilla/5.0")
_YES = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_NEVER = ("/openapi/", "/openid/", "/.well-known/")


def is_indented(request: Request) -> bool:
    """Whether the client gets JSON with line breaks. Costs two look-ups for a client that says nothing of it."""
    if b"pretty" in request.query_string and (asked := parse_query(request.query_string).get("pretty")):
        return asked in _YES
    headers = request.headers
    return headers.get(b"user-agent", b"").startswith(_AGENTS) or b"pretty=1" in headers.get(b"accept", b"")


def indent(obj: Object) -> bytes:
    """The JSON of what everybody gets indented: the version, and the list of paths."""
    return msgspec.json.format(encode(obj), indent=2)


def indented(request: Request, answer: Answer) -> Answer:
    """The answer as the client is to read it; one that comes in pieces stays as it is."""
    if is_indented(request) and isinstance(answer, Response) and _may_be_indented(request.path, answer):
        answer.body = msgspec.json.format(answer.body, indent=2)
    return answer


def _may_be_indented(path: str, answer: Response) -> bool:
    return bool(answer.body) and answer.content_type == b"application/json" and not path.startswith(_NEVER)
