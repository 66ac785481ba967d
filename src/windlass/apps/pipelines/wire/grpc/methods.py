"""What a method is: the message that it takes, the message that it answers, and the route that answers it.

    SERVICES = services(V2BETA1, V2, {
        "ExperimentService": {
            "GetExperiment": get("experiments/{experiment_id}", EXPERIMENT, experiment_id=(1, STRING)),
        },
    })

Paths and bodies are those that upstream's proto files annotate (`google.api.http`), without /apis/<version>/. A
variable of a path is a field of the request; one with a dot is a field of a field.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from windlass.apps.pipelines.wire.grpc.numbering import Package
from windlass.apps.pipelines.wire.routes import Route
from windlass.formats.protobuf_messages import Message, Type
from windlass.formats.protobuf_well_known import EMPTY

Fields: TypeAlias = "dict[str, tuple[int, Type]]"
WHOLE = "*"
"""In place of the field that is the body: all of them."""
_VARIABLE = re.compile(r"\{([^}*]+)\*?\}")


@dataclass(frozen=True)
class Declared:
    """A method as a table says it."""

    http: str
    path: str
    response: Message
    body: str
    fields: Fields


@dataclass(frozen=True)
class Method:
    request: Message
    response: Message
    body: str
    """The field that is the body over HTTP; empty for none."""
    route: Route
    parts: Mapping[str, str]
    """The route's variable for each field that is part of the path."""


Services: TypeAlias = Mapping[str, Mapping[str, Method]]
"""Methods by name, by the full name of their service."""


def get(path: str, response: Message, /, **fields: "tuple[int, Type]") -> Declared:
    return Declared("GET", path, response, "", fields)


def delete(path: str, /, **fields: "tuple[int, Type]") -> Declared:
    return Declared("DELETE", path, EMPTY, "", fields)


def patch(path: str, response: Message, body: str, /, **fields: "tuple[int, Type]") -> Declared:
    return Declared("PATCH", path, response, body, fields)


def post(path: str, response: Message = EMPTY, body: str = "", /, **fields: "tuple[int, Type]") -> Declared:
    return Declared("POST", path, response, body, fields)


def services(
    package: Package, routes: Sequence[Route], declared: Mapping[str, Mapping[str, Declared]]
) -> dict[str, dict[str, Method]]:
    return {
        f"{package.name}.{service}": {name: _method(name, each, routes) for name, each in methods.items()}
        for service, methods in declared.items()
    }


def _method(name: str, declared: Declared, routes: Sequence[Route]) -> Method:
    # Upstream names requests after methods; only names of methods say the version.
    request = Message(f"{name.removesuffix('V1')}Request", **declared.fields) if declared.fields else EMPTY
    route = next(each for each in routes if (each.method, _shape(each.path)) == (declared.http, _shape(declared.path)))
    parts = dict(zip(_VARIABLE.findall(declared.path), _VARIABLE.findall(route.path), strict=True))
    return Method(request, declared.response, declared.body, route, parts)


def _shape(path: str) -> str:
    return _VARIABLE.sub("{}", path)
