"""update: replaces an existing object; and `rewrite`, the loop that update, patch and apply share."""

from collections.abc import Callable

from windlass.apiserver.api import Api, load
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.store import Row
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import object_answer, stored_bytes
from windlass.apiserver.verbs.bodies import read_object
from windlass.apiserver.verbs.create import create_object
from windlass.apiserver.verbs.get import fetch, not_found
from windlass.kube.json import Object, encode

TRIES = 8
"""Maximum number of attempts of a write whose object changes while a webhook is called."""

Change = Callable[[Object], Object]
"""Computes the new state from a private copy of the old state."""


async def update(api: Api, call: Call) -> Response:
    body = read_object(call)
    if (
        api.store.newest(call.key) is None
        and call.resource.strategy.allows_create_on_update
        and not call.path.subresource
    ):
        return await create_object(api, call, body)
    return await rewrite(api, call, lambda _old: body)


async def rewrite(
    api: Api, call: Call, change: Change, *, recorded: bool = False, unconditional: bool = False
) -> Response:
    """Apply `change` to the newest state of an object, and respond as the client wants."""
    return object_answer(call, await rewritten(api, call, change, recorded=recorded, unconditional=unconditional))


async def rewritten(
    api: Api, call: Call, change: Change, *, recorded: bool = False, unconditional: bool = False
) -> bytes:
    """Apply `change` to the newest state of an object, and return the result as JSON.

    `recorded`: its managedFields are already up to date (server-side apply).
    """
    resource = call.resource
    for _ in range(TRIES):
        row, old, new = await changed(api, call, change, recorded=recorded, unconditional=unconditional)
        if api.store.newest(call.key) is not row:
            continue  # a webhook was asked meanwhile, and the object moved on
        if write.is_finished_deletion(resource, new) and not call.dry_run:
            value, durable = write.remove_object(api, resource, new, call.at_rest)
            await durable
            api.react(resource, new, gone=True)
            return value
        if write.is_unchanged(new, old):
            return stored_bytes(resource, row)
        if call.dry_run:
            return encode(new)
        api.allocators.allocate(resource, new, old)
        value, durable = write.store_object(api, resource, new, call.at_rest)
        await durable
        api.react(resource, new)
        return value
    raise write.conflict(call)


async def changed(
    api: Api, call: Call, change: Change, *, recorded: bool = False, unconditional: bool = False
) -> tuple[Row, Object, Object]:
    """Return the newest row of an object, its old state, and its new state, admitted and ready to be stored.

    The caller must check that the row is still the newest when it stores the object. See `rewrite` for the arguments.
    """
    resource = call.resource
    row = api.store.newest(call.key)
    if row is None:
        raise not_found(call)
    await fetch(call, row)
    old = load(resource, row)
    new = change(load(resource, row))
    write.carry_over(call, new, old)
    if not unconditional:
        write.check_version(call, new, row)
    write.metadata_of(new)["resourceVersion"] = str(row.rev)
    new = await write.admit_change(api, call, new, old)
    if not recorded:
        write.record(call, new, old)
    return row, old, new
