"""Reads queues from a server, and makes, opens and closes them."""

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windlass.jobs.errors import JobsError
from windlass.jobs.state.queue_state import (
    CLOSED,
    CLOSED_BY_PARENT,
    CLOSING,
    OPEN,
    ROOT,
    GroupRow,
    group_rows,
    parent_of,
    state_of,
)
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.objects import key_of

if TYPE_CHECKING:
    from windlass.kube.client import Client

QUEUE = Kind(
    group="scheduling.volcano.sh", version="v1beta1", name="Queue", plural="queues", namespaced=False, status=True
)
POD_GROUP = Kind(group="scheduling.volcano.sh", version="v1beta1", name="PodGroup", plural="podgroups")
COMMAND = Kind(group="bus.volcano.sh", version="v1alpha1", name="Command", plural="commands")
PRIORITY_CLASS = Kind(
    group="scheduling.k8s.io", version="v1", name="PriorityClass", plural="priorityclasses", namespaced=False
)
COMMANDS_IN = "default"  # the namespace of commands to queues, which are in none
EVERY = 0.1  # seconds between two looks


def manifest(name: str, **told: Any) -> dict[str, Any]:
    """The Queue that the options of `create` describe."""
    spec: dict[str, Any] = {"weight": told["weight"], "reclaimable": not told.get("no_reclaim")}
    spec |= {key: told[key] for key in ("capability", "deserved", "parent", "priority") if told.get(key)}
    if told.get("guarantee"):
        spec["guarantee"] = {"resource": told["guarantee"]}
        spec["deserved"] = {**told["guarantee"], **spec.get("deserved", {})}  # Volcano wants it to be said, and no less
    return {"apiVersion": QUEUE.api_version, "kind": QUEUE.name, "metadata": {"name": name}, "spec": spec}


async def change_queue(client: "Client", name: str, action: str, timeout: float) -> dict[str, Any]:  # noqa: ASYNC109 - the user's
    """Open or close a queue by a Command, and return it once a controller has followed."""
    found = await _queue(client, name)
    if is_done(found, action):
        return found
    await _refuse_what_will_be(client, found, action)
    made = await client.create(command(action, found), kind=COMMAND)
    until = time.monotonic() + timeout
    while not is_done(found, action):
        if time.monotonic() >= until:
            await take_back(client, made)
            raise JobsError(f"nobody followed the command {action} within {timeout:g} s. Does a manager run there?")
        await asyncio.sleep(EVERY)
        found = await _queue(client, name)
    return found


def is_done(queue: Mapping[str, Any], action: str) -> bool:
    """Whether a queue is as a command wants it; one that was closed with its parent is not closed for good."""
    if action == "OpenQueue":
        return state_of(queue) == OPEN
    is_marked = dig(queue, "metadata", "annotations", CLOSED_BY_PARENT) == "true"
    return state_of(queue) in (CLOSING, CLOSED) and not is_marked


def command(action: str, queue: Mapping[str, Any]) -> dict[str, Any]:
    name = dig(queue, "metadata", "name")
    target = {"apiVersion": QUEUE.api_version, "kind": QUEUE.name, "name": name, "uid": dig(queue, "metadata", "uid")}
    metadata = {"generateName": f"{name}-{action.lower()}-", "namespace": COMMANDS_IN}
    return {
        "apiVersion": COMMAND.api_version,
        "kind": COMMAND.name,
        "metadata": metadata,
        "action": action,
        "target": target,
    }


async def _refuse_what_will_be(client: "Client", queue: Mapping[str, Any], action: str) -> None:
    """The controller would refuse it too, but only in an event."""
    name, parent = dig(queue, "metadata", "name"), parent_of(queue)
    if action == "CloseQueue" and name == ROOT:
        raise JobsError("the queue root cannot be closed: all others are below it")
    if action == "OpenQueue" and parent:
        try:
            above = await client.get(QUEUE, parent)
        except errors.NotFound:
            return
        if state_of(above) != OPEN:
            raise JobsError(f"queue {name} cannot be opened: its parent {parent} is {state_of(above)}. Open that first")


async def take_back(client: "Client", made: Mapping[str, Any]) -> None:
    """Nobody is to follow a command, if one was made, after its author has given up."""
    if not made:
        return
    try:
        await client.delete(COMMAND, key_of(dict(made)))
    except errors.NotFound:  # it was followed after all, just now
        return


async def list_queues(client: "Client") -> list[dict[str, Any]]:
    """All queues; refuses where the server does not know the kind."""
    try:
        return (await client.list(QUEUE)).items
    except errors.NotFound as error:
        raise JobsError(
            "this server has no queues: the kinds of scheduling.volcano.sh are not installed there"
        ) from error


async def _queue(client: "Client", name: str) -> dict[str, Any]:
    try:
        return await client.get(QUEUE, name)
    except errors.NotFound as error:
        raise JobsError(f"there is no queue {name!r}. See them all: windlass queue list") from error


async def queue_with_groups(client: "Client", name: str) -> tuple[dict[str, Any], list[GroupRow]]:
    """A queue and its groups, in the order in which it serves them."""
    found = await _queue(client, name)
    groups = [one for one in (await client.list(POD_GROUP)).items if (dig(one, "spec", "queue") or "default") == name]
    priorities = (await client.list(PRIORITY_CLASS)).items
    return found, group_rows(groups, priorities, datetime.now(UTC))
