"""get: one object, as stored."""

from collections.abc import Coroutine
from typing import Any

from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.nodes import archived_pod
from windlass.apiserver.store import Row
from windlass.apiserver.verbs.answers import object_answer, stored_bytes
from windlass.kube.errors import NotFound
from windlass.kube.json import Object, encode

_COMMAND = b"kubectl-command"
"""The header in which kubectl names the command of a request."""


def get(api: Api, call: Call) -> Response | Coroutine[Any, Any, Response]:
    row = api.store.get(call.key)
    if row is None:
        if call.resource.store_key == "/pods" and call.request.headers.get(_COMMAND) == b"kubectl logs":
            return _gone(api, call)
        raise not_found(call)
    if call.resource.conversion is not None:
        return _converted(call, row)
    return object_answer(call, stored_bytes(call.resource, row))


async def _gone(api: Api, call: Call) -> Response:
    """The last state of a deleted pod, for `kubectl logs`, which gets the pod before the logs that are kept."""
    found = await archived_pod(api, call)
    if found is None:
        raise not_found(call)
    call.warnings.append(f'pod "{call.path.name}" was deleted, showing its archived logs')
    return object_answer(call, encode({"apiVersion": "v1", "kind": "Pod", **found.pod}))


async def _converted(call: Call, row: Row) -> Response:
    await fetch(call, row)
    return object_answer(call, stored_bytes(call.resource, row))


async def newest_object(api: Api, call: Call) -> Object:
    """Return the newest state of the named object. Raises NotFound."""
    row = api.store.newest(call.key)
    if row is None:
        raise not_found(call)
    await fetch(call, row)
    return load(call.resource, row)


async def fetch(call: Call, *rows: Row) -> None:
    """Convert rows to the call's version before they are loaded, if a webhook converts."""
    if call.resource.conversion is not None:
        await call.resource.conversion.fetch(rows)


def not_found(call: Call, name: str = "") -> NotFound:
    name = name or call.path.name
    resource = call.resource
    return NotFound(
        f'{resource.group_resource} "{name}" not found', kind=resource.plural, group=resource.group, name=name
    )
