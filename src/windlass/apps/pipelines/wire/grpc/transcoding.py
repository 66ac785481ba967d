"""A method's message as the path, query and body of its route, and the route's answer as a message. Pure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from multidict import MultiDict

from windlass.apps.pipelines.wire.call import Transcoded
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.grpc.methods import WHOLE, Method
from windlass.formats.protobuf_json import from_json, to_json
from windlass.formats.protobuf_messages import decode, encode
from windlass.formats.protobuf_wire import BadMessage
from windlass.kube.json import Object, is_list, is_object


class HttpForm(NamedTuple):
    parts: dict[str, str]
    """The variable parts of the route's path."""
    request: Transcoded


def http_form(method: Method, message: bytes) -> HttpForm:
    """What the message would be over HTTP. Raises InvalidArgument."""
    try:
        sent: Object = to_json(method.request, decode(method.request, message))
    except BadMessage as error:
        raise InvalidArgument(f"the message cannot be read: {error}") from error
    body = sent if method.body == WHOLE else sent.get(method.body, {})
    parts = {part: _path_part(sent, body, field) for field, part in method.parts.items()}
    not_in_query = sent.keys() if method.body == WHOLE else (method.body, *method.parts)
    in_query = {name: value for name, value in sent.items() if name not in not_in_query}
    return HttpForm(parts, Transcoded(MultiDict(_query(in_query)), body))


def _path_part(sent: Object, body: Any, field: str) -> str:
    """A field of the request. Clients may give it in the resource alone, which has it too."""
    value: Any = sent
    for name in field.split("."):
        value = value.get(name, {}) if is_object(value) else {}
    if not value and is_object(body):
        value = body.get(field, "")
    if not value:
        raise InvalidArgument(f"{field}: is required")
    return str(value)


def _query(sent: Object, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in sent.items():
        if is_object(value):
            yield from _query(value, f"{prefix}{name}.")
        elif isinstance(value, bool):
            yield prefix + name, str(value).lower()
        elif is_list(value):
            yield from ((prefix + name, str(each)) for each in value)
        else:
            yield prefix + name, str(value)


def message_of(method: Method, answer: Object) -> bytes:
    return encode(method.response, from_json(method.response, answer))
