"""Reads queues from a server, and creates, opens and closes them."""

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, Queue
from windlass.apis.user_error import UserError
from windlass.apps.volcano.kinds.bus import Command
from windlass.apps.volcano.queues.queue_state import (
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
from windlass.kube.kind import KINDS
from windlass.kube.objects import key_of

if TYPE_CHECKING:
    from windlass.kube.client import Client

QUEUE, POD_GROUP = KINDS.of(Queue), KINDS.of(PodGroup)
COMMAND, PRIORITY_CLASS = KINDS.of(Command), KINDS.of(PriorityClass)
COMMAND_NAMESPACE = "default"  # the namespace of commands to queues, which are in none
POLL_INTERVAL_SECONDS = 0.1  # seconds between two looks


def manifest(name: str, **options: Any) -> dict[str, Any]:
    """The Queue that the options of `create` describe."""
    spec: dict[str, Any] = {"weight": options["weight"], "reclaimable": not options.get("no_reclaim")}
    spec |= {key: options[key] for key in ("capability", "deserved", "parent", "priority") if options.get(key)}
    if options.get("guarantee"):
        spec["guarantee"] = {"resource": options["guarantee"]}
        spec["deserved"] = {
            **options["guarantee"],
            **spec.get("deserved", {}),
        }  # Volcano wants it to be said, and no less
    return {"apiVersion": QUEUE.api_version, "kind": QUEUE.name, "metadata": {"name": name}, "spec": spec}


async def change_queue(client: "Client", name: str, action: str, timeout: float) -> dict[str, Any]:  # noqa: ASYNC109 - the user's
    """Open or close a queue with a Command, and return it once a controller has handled that."""
    found = await _queue(client, name)
    if is_done(found, action):
        return found
    await _check_allowed(client, found, action)
    made = await client.create(command(action, found), kind=COMMAND)
    until = time.monotonic() + timeout
    while not is_done(found, action):
        if time.monotonic() >= until:
            await withdraw_command(client, made)
            raise UserError(f"no controller handled the command {action} within {timeout:g} s. Is a manager running?")
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
        found = await _queue(client, name)
    return found


def is_done(queue: Mapping[str, Any], action: str) -> bool:
    """Whether a queue is in the state that a command requests. A queue closed with its parent is not closed itself."""
    if action == "OpenQueue":
        return state_of(queue) == OPEN
    is_marked = dig(queue, "metadata", "annotations", CLOSED_BY_PARENT) == "true"
    return state_of(queue) in (CLOSING, CLOSED) and not is_marked


def command(action: str, queue: Mapping[str, Any]) -> dict[str, Any]:
    name = dig(queue, "metadata", "name")
    target = {"apiVersion": QUEUE.api_version, "kind": QUEUE.name, "name": name, "uid": dig(queue, "metadata", "uid")}
    metadata = {"generateName": f"{name}-{action.lower()}-", "namespace": COMMAND_NAMESPACE}
    return {
        "apiVersion": COMMAND.api_version,
        "kind": COMMAND.name,
        "metadata": metadata,
        "action": action,
        "target": target,
    }


async def _check_allowed(client: "Client", queue: Mapping[str, Any], action: str) -> None:
    """Raise UserError for what the controller would reject, since it does so only in an event."""
    name, parent = dig(queue, "metadata", "name"), parent_of(queue)
    if action == "CloseQueue" and name == ROOT:
        raise UserError("the root queue cannot be closed: it is the parent of all others")
    if action == "OpenQueue" and parent:
        try:
            above = await client.get(QUEUE, parent)
        except errors.NotFound:
            return
        if state_of(above) != OPEN:
            raise UserError(
                f"queue {name} cannot be opened: its parent {parent} is {state_of(above)}. Open the parent first"
            )


async def withdraw_command(client: "Client", made: Mapping[str, Any]) -> None:
    """Delete the command, if one was created, so that no controller handles it after a timeout."""
    if not made:
        return
    try:
        await client.delete(COMMAND, key_of(dict(made)))
    except errors.NotFound:  # it was followed after all, just now
        return


async def list_queues(client: "Client") -> list[dict[str, Any]]:
    """All queues. Raises UserError if the server does not serve the kind."""
    try:
        return (await client.list(QUEUE)).items
    except errors.NotFound as error:
        raise UserError("this server has no queues: the CRDs of scheduling.volcano.sh are not installed") from error


async def _queue(client: "Client", name: str) -> dict[str, Any]:
    try:
        return await client.get(QUEUE, name)
    except errors.NotFound as error:
        raise UserError(f"queue {name!r} not found. List all: windlass queue list") from error


async def queue_with_groups(client: "Client", name: str) -> tuple[dict[str, Any], list[GroupRow]]:
    """A queue and its pod groups, in scheduling order."""
    found = await _queue(client, name)
    groups = [one for one in (await client.list(POD_GROUP)).items if (dig(one, "spec", "queue") or "default") == name]
    priorities = (await client.list(PRIORITY_CLASS)).items
    return found, group_rows(groups, priorities, datetime.now(UTC))
