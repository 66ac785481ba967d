"""create: a new object under an unused name."""

from collections.abc import Awaitable, Coroutine
from typing import Any, TypeAlias

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import prototypes, write
from windlass.apiserver.verbs.answers import object_answer
from windlass.apiserver.verbs.bodies import read_object
from windlass.apiserver.verbs.default_account import await_default_account, lacks_default_account
from windlass.kube.errors import AlreadyExists
from windlass.kube.json import Object, encode

_GENERATED_TRIES = 8

Answering: TypeAlias = Response | Coroutine[Any, Any, Response]


def create(api: Api, call: Call) -> Answering:
    """Store the object in the body. All but the wait for the disk is synchronous, unless a webhook is called."""
    if write.asks_others(api, call.resource):
        return create_object(api, call, read_object(call))
    likeness = prototypes.likeness_of(call)
    obj = prototypes.copied(likeness) if likeness is not None else None
    if obj is None or lacks_default_account(api, call, obj):
        obj = read_object(call)
        if lacks_default_account(api, call, obj):
            return create_object(api, call, obj)
        write.prepare_new(api, call, obj)
        write.record(call, obj, None)
        if likeness is not None and not call.warnings:  # which are about what was read
            prototypes.remember(likeness, obj)
    write.admit_new_at_once(api, call, obj)
    return _store(api, call, obj)


async def create_object(api: Api, call: Call, obj: Object, *, recorded: bool = False) -> Response:
    """Store a new object. `recorded`: its managedFields are already up to date (server-side apply)."""
    if lacks_default_account(api, call, obj):
        await await_default_account(api, call.path.namespace)
    write.prepare_new(api, call, obj)
    if not recorded:
        write.record(call, obj, None)  # before admission: what the server adds has no manager, as in Kubernetes
    answer = _store(api, call, await write.admit_new(api, call, obj))
    return answer if isinstance(answer, Response) else await answer


def _store(api: Api, call: Call, obj: Object) -> Answering:
    _find_free_name(api, call, obj)
    if call.dry_run:
        return object_answer(call, encode(obj), 201)
    api.allocators.allocate(call.resource, obj, None)
    value, durable = write.store_object(api, call.resource, obj, call.at_rest)
    return _answer(api, call, obj, value, durable)


async def _answer(api: Api, call: Call, obj: Object, value: bytes, durable: Awaitable[object]) -> Response:
    await durable
    api.react(call.resource, obj)
    return object_answer(call, value, 201)


def _find_free_name(api: Api, call: Call, obj: Object) -> None:
    metadata = obj["metadata"]
    key = call.resource.store_key
    namespace = metadata.get("namespace", "")
    for _ in range(_GENERATED_TRIES):
        if api.store.newest((key, namespace, metadata["name"])) is None:
            return
        base = metadata.get("generateName")
        if not base or not metadata["name"].startswith(base):
            break
        metadata["name"] = write.generate_name(base)
    resource, name = call.resource, metadata["name"]
    raise AlreadyExists(
        f'{resource.group_resource} "{name}" already exists', kind=resource.plural, group=resource.group, name=name
    )
