"""The server's own writes: the same path as a client's, as a user who may do everything."""

import asyncio

from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import MASTERS, User, authenticated
from windlass.apiserver.call import Call, Path
from windlass.apiserver.connection import Connection, Request, Response
from windlass.apiserver.resources import Resource
from windlass.apiserver.verbs.create import create_object
from windlass.apiserver.verbs.delete import DeleteOptions, remove
from windlass.apiserver.verbs.patch import live_object
from windlass.apiserver.verbs.update import Change, rewrite
from windlass.kube.errors import AlreadyExists, Conflict, NotFound
from windlass.kube.json import Object

SELF: User = authenticated("system:apiserver", "", (MASTERS,))


def call_for(verb: str, resource: Resource, namespace: str, name: str, subresource: str = "") -> Call:
    """Build a call that does not come from a client."""
    connection = Connection(_nobody, set(), asyncio.get_running_loop())
    request = Request("POST", "", b"", ((b"user-agent", b"windlass/server"),), connection)
    path = Path(resource.group, resource.version, resource.plural, namespace, name, subresource)
    return Call(request, SELF, verb, path, resource, {})


def _nobody(request: Request) -> Response:
    raise AssertionError("an internal call has no connection")


def resource_of(api: Api, api_version: str, kind: str) -> Resource:
    group, _, version = api_version.rpartition("/")
    found = api.registry.by_kind(group, version, kind)
    assert found is not None, f"{api_version} {kind} is not served"
    return found


async def ensure(api: Api, obj: Object, *, proven: bool = False) -> bool:
    """Create an object unless one with its name exists; return whether it was created.

    `proven` skips validation, which for a definition would load the whole runtime of its rules.
    """
    resource = resource_of(api, obj["apiVersion"], obj["kind"])
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "") if resource.namespaced else ""
    if api.store.newest((resource.store_key, namespace, metadata["name"])) is not None:
        return False
    call = call_for("create", resource, namespace, "")
    call.proven = proven
    try:
        await create_object(api, call, obj)
    except AlreadyExists:
        return False
    return True


async def modify(
    api: Api, resource: Resource, namespace: str, name: str, change: Change, subresource: str = ""
) -> bool:
    """Apply `change` to an object; False if it does not exist or kept changing concurrently."""
    try:
        await rewrite(api, call_for("update", resource, namespace, name, subresource), change, unconditional=True)
    except (NotFound, Conflict):
        return False
    return True


async def delete_quietly(api: Api, resource: Resource, namespace: str, name: str) -> None:
    """Delete an object that may be gone already."""
    try:
        obj = live_object(api, call_for("delete", resource, namespace, name))
    except NotFound:
        return
    _, _, durable = remove(api, resource, obj, DeleteOptions(grace=0))
    if durable is not None:
        await durable
