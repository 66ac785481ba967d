"""get: one object, as it is stored."""

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs.answers import object_answer, stored_bytes
from windlass.kube.errors import NotFound


def get(api: Api, call: Call) -> Response:
    row = api.store.get(call.key)
    if row is None:
        raise not_found(call)
    return object_answer(call, stored_bytes(call.resource, row))


def not_found(call: Call, name: str = "") -> NotFound:
    name = name or call.path.name
    resource = call.resource
    return NotFound(
        f'{resource.group_resource} "{name}" not found', kind=resource.plural, group=resource.group, name=name
    )
