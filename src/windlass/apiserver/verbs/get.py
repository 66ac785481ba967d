"""get: one object, as it is stored."""

from collections.abc import Coroutine
from typing import Any

from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.store import Row
from windlass.apiserver.verbs.answers import object_answer, stored_bytes
from windlass.kube.errors import NotFound
from windlass.kube.json import Object


def get(api: Api, call: Call) -> Response | Coroutine[Any, Any, Response]:
    row = api.store.get(call.key)
    if row is None:
        raise not_found(call)
    if call.resource.conversion is not None:
        return _converted(call, row)
    return object_answer(call, stored_bytes(call.resource, row))


async def _converted(call: Call, row: Row) -> Response:
    await fetch(call, row)
    return object_answer(call, stored_bytes(call.resource, row))


async def newest_object(api: Api, call: Call) -> Object:
    """The newest state of the named object, or NotFound."""
    row = api.store.newest(call.key)
    if row is None:
        raise not_found(call)
    await fetch(call, row)
    return load(call.resource, row)


async def fetch(call: Call, *rows: Row) -> None:
    """Have rows in the call's version before they are loaded, where a webhook has to bring them there."""
    if call.resource.conversion is not None:
        await call.resource.conversion.fetch(rows)


def not_found(call: Call, name: str = "") -> NotFound:
    name = name or call.path.name
    resource = call.resource
    return NotFound(
        f'{resource.group_resource} "{name}" not found', kind=resource.plural, group=resource.group, name=name
    )
