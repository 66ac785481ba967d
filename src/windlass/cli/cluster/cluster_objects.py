"""Applying, waiting for and deleting the objects of an installation."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure
from windlass.deploy.program import Object
from windlass.deploy.stages import FIELD_MANAGER, NAMESPACE, is_anothers, is_applied_by_install
from windlass.kube import errors
from windlass.kube.meta import Key
from windlass.kube.view import untyped

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.kind import Kind

POLL_SECONDS = 0.5


def name_of(obj: Object) -> str:
    return f"{obj['kind']}/{obj['metadata']['name']}"


def key_of(obj: Object) -> Key:
    return Key(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


async def find(client: "Client", obj: Object) -> Object | None:
    """The object as the cluster has it; None if it is not there, or its kind is not."""
    key = key_of(obj)
    try:
        return await client.get(await client.kind_of(obj), key.name, key.namespace)
    except errors.NotFound:
        return None


async def apply(client: "Client", obj: Object) -> None:
    """Server-side apply. A namespace that this command did not make is left as it is."""
    if obj["kind"] == NAMESPACE:
        existing = await find(client, obj)
        if existing is not None and not is_applied_by_install(existing):
            return
    try:
        await client.apply(obj, manager=FIELD_MANAGER)
    except errors.ApiError as error:
        raise Failure(f"{name_of(obj)}: {error}") from error


async def wait_for(client: "Client", obj: Object, holds: Callable[[Object], bool], deadline: float, what: str) -> None:
    """Wait until the object is there and `holds`. Raises Failure at the deadline."""
    while True:
        found = await find(client, obj)
        if found is not None and holds(found):
            return
        if time.monotonic() > deadline:
            raise Failure(f"{name_of(obj)} is not {what} in time. Look at: kubectl describe {_kubectl_name(obj)}")
        await asyncio.sleep(POLL_SECONDS)


def _kubectl_name(obj: Object) -> str:
    namespace = obj["metadata"].get("namespace", "")
    name = f"{obj['kind'].lower()} {obj['metadata']['name']}"
    return f"-n {namespace} {name}" if namespace else name


async def delete(client: "Client", kind: "Kind", key: Key) -> None:
    with suppress(errors.NotFound):
        await client.delete(kind, key, propagation="Background")


async def others_in(client: "Client", namespace: str) -> list[str]:
    """The objects in a namespace that neither Windlass nor the cluster made."""
    from windlass.controllers.core.namespaces import emptied_kinds

    found: list[str] = []
    for kind in emptied_kinds(await client.served(refresh=True)):
        try:
            listed = (await client.list(untyped(kind), namespace)).items
        except errors.NotFound:  # the kind has gone meanwhile
            continue
        found += [name_of(obj) for each in listed if is_anothers(obj := {**each, "kind": kind.name})]
    return found


async def wait_until_gone(client: "Client", objects: list[Object], deadline: float) -> None:
    """Wait until none of the objects is there. Raises Failure at the deadline.

    An aggregated role may come back: the cluster's controller applies its rules, which creates it again.
    """
    left = objects
    while left := [obj for obj in left if await find(client, obj) is not None]:
        if time.monotonic() > deadline:
            raise Failure(f"not gone in time: {', '.join(map(name_of, left))}")
        await asyncio.sleep(POLL_SECONDS)
        for obj in left:
            await delete(client, await client.kind_of(obj), key_of(obj))
