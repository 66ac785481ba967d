"""Carries out the actions of resource templates, with the permissions of the Workflow's service account."""

import contextlib
from typing import TYPE_CHECKING, cast

from windlass.apps.pipelines.argo.observation import ResourceAction, ResourceAnswer
from windlass.apps.pipelines.argo.resources import NODE_ANNOTATION
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.view import untyped

if TYPE_CHECKING:
    from windlass.kube.client import Client

FIELD_MANAGER = "argo-workflows"
REFUSALS = (
    errors.BadRequest,
    errors.Conflict,
    errors.Forbidden,
    errors.Invalid,
    errors.NotFound,
    errors.TooLarge,
)
"""Answers of the server that end the node; others are repeated."""


async def carry_out(api: Api, action: ResourceAction, namespace: str, account: str) -> ResourceAnswer:
    """Act as the service account. Raises ApiError if the server cannot be reached or is busy."""
    client = cast("Client", api).impersonating(f"system:serviceaccount:{namespace}:{account or 'default'}")
    try:
        kind = await api.find_kind(str(action.manifest["apiVersion"]), str(action.manifest["kind"]))
        metadata = action.manifest["metadata"]
        if action.selector:
            return await _delete_all(client, action, kind, namespace)
        key = Key(str(metadata.get("namespace") or namespace) if kind.namespaced else "", str(metadata["name"]))
        if action.action == "delete":
            return await _delete(client, action, kind, key)
        if action.is_started or action.action == "get":
            return ResourceAnswer(obj=await client.get(untyped(kind), key.name, key.namespace))
        return ResourceAnswer(obj=await _write(client, action, kind, key))
    except REFUSALS as error:
        return ResourceAnswer(error=error.message)


async def _write(client: "Client", action: ResourceAction, kind: Kind, key: Key) -> Object:
    manifest = _in_scope(action.manifest, kind)
    match action.action:
        case "create":
            return await _create(client, manifest, kind, key, action.node_id)
        case "apply":
            return await client.apply(manifest, manager=FIELD_MANAGER)
        case "replace":
            current = await client.get(untyped(kind), key.name, key.namespace)
            version = dig(current, "metadata", "resourceVersion")
            return await client.update({**manifest, "metadata": {**manifest["metadata"], "resourceVersion": version}})
        case _ if action.operations:
            return await client.patch(kind, key, action.operations, "json")
        case _:
            return await client.patch(kind, key, manifest, "merge" if action.merge_strategy == "merge" else "strategic")


async def _create(client: "Client", manifest: Object, kind: Kind, key: Key, node_id: str) -> Object:
    """Create the object. One of the same node was created before a restart, and counts as created."""
    try:
        return await client.create(manifest, kind=kind)
    except errors.AlreadyExists:
        present = await client.get(untyped(kind), key.name, key.namespace)
        if dig(present, "metadata", "annotations", NODE_ANNOTATION) != node_id:
            raise
        return present


async def _delete(client: "Client", action: ResourceAction, kind: Kind, key: Key) -> ResourceAnswer:
    """Delete the object; with `waits`, the action is over once the object is gone."""
    if not action.is_started:
        try:
            await client.delete(kind, key)
        except errors.NotFound:
            if action.ignores_missing:
                return ResourceAnswer()
            raise
        if not action.waits:
            return ResourceAnswer()
    try:
        await client.get(untyped(kind), key.name, key.namespace)
    except errors.NotFound:
        return ResourceAnswer()
    return ResourceAnswer(is_pending=True)


async def _delete_all(client: "Client", action: ResourceAction, kind: Kind, namespace: str) -> ResourceAnswer:
    """Delete the objects with the labels of the selector; with `waits`, the action is over once they are gone."""
    found = await client.list(untyped(kind), namespace if kind.namespaced else "", labels=action.selector)
    if not action.is_started:
        for obj in found.items:
            with contextlib.suppress(errors.NotFound):
                await client.delete(kind, key_of(obj))
    return ResourceAnswer(is_pending=bool(found.items) and action.waits)


def _in_scope(manifest: Object, kind: Kind) -> Object:
    if kind.namespaced:
        return manifest
    metadata = {name: value for name, value in manifest["metadata"].items() if name != "namespace"}
    return {**manifest, "metadata": metadata}
