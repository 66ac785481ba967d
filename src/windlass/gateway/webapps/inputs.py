"""Read a request of the web apps: names in its path, and its JSON body. Raise BadRequest for what cannot be used."""

from typing import Any, TypeVar

import msgspec
from aiohttp import web

from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, encode, is_list, is_object, parse
from windlass.kube.meta import Key
from windlass.kube.names import dns_label_errors, dns_subdomain_errors

S = TypeVar("S", bound=msgspec.Struct)

CONTENT_TYPE = "application/json"


def namespace_of(request: web.Request) -> str:
    namespace = request.match_info["namespace"]
    if errors := dns_label_errors(namespace):
        raise BadRequest(f"namespace: {errors[0]}")
    return namespace


def key_of(request: web.Request, part: str = "name") -> Key:
    """The object that the path names."""
    name = request.match_info[part]
    if errors := dns_subdomain_errors(name):
        raise BadRequest(f"{part}: {errors[0]}")
    return Key(namespace_of(request), name)


def is_dry_run(request: web.Request) -> bool:
    """Whether `?dryRun=All` asks to try and not to do, as in the Kubernetes API."""
    asked = request.query.get("dryRun", "")
    if asked not in ("", "All"):
        raise BadRequest(f"dryRun: {asked!r} is not All")
    return asked == "All"


async def json_body(request: web.Request) -> Object:
    if request.content_type != CONTENT_TYPE:
        raise BadRequest(f"the body must be JSON, with Content-Type {CONTENT_TYPE}")
    try:
        body: Any = parse(await request.read())
        encode(body)  # what cannot be written again, such as an integer of 70 bits, cannot be sent to the API
    except (ValueError, OverflowError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if not is_object(body):
        raise BadRequest("the body must be a JSON object")
    return body


def text_field(body: Object, name: str) -> str:
    """A field that must be there, as text that is not empty."""
    value = body.get(name)
    if value is None:
        raise BadRequest(f"{name}: a value is required")
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(f"{name}: must be a text that is not empty")
    return value.strip()


def labels_field(body: Object, name: str) -> dict[str, str]:
    """A list of labels, each of which gets the value `true`; absent is empty."""
    labels = body.get(name)
    if labels is None:
        return {}
    if not is_list(labels) or not all(isinstance(label, str) for label in labels):
        raise BadRequest(f"{name}: must be a list of labels")
    return dict.fromkeys(labels, "true")


def converted(given: object, of: type[S]) -> S:
    """Raises BadRequest, which names the field."""
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        raise BadRequest(str(error)) from error
