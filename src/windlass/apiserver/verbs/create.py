"""create: a new object under a name that is free."""

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import object_answer
from windlass.apiserver.verbs.bodies import read_object
from windlass.apiserver.verbs.default_account import await_default_account
from windlass.kube.errors import AlreadyExists
from windlass.kube.json import Object, encode

_GENERATED_TRIES = 8


async def create(api: Api, call: Call) -> Response:
    return await create_object(api, call, read_object(call))


async def create_object(api: Api, call: Call, obj: Object, *, recorded: bool = False) -> Response:
    """Store a new object. `recorded`: its managedFields are already right (server-side apply)."""
    resource = call.resource
    if resource.store_key == "/pods":
        await await_default_account(api, call.path.namespace, obj)
    write.prepare_new(api, call, obj)
    if not recorded:
        write.record(call, obj, None)  # before admission: what the server adds has no manager, as in Kubernetes
    obj = await write.admit_new(api, call, obj)
    _find_free_name(api, call, obj)
    if call.dry_run:
        return object_answer(call, encode(obj), 201)
    api.allocators.allocate(resource, obj, None)
    value, durable = write.store_object(api, resource, obj, call.at_rest)
    await durable
    api.react(resource, obj)
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
