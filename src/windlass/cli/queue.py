"""`windlass queue`: queues in one table, what waits in one of them, and opening, closing and making them."""

import asyncio
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from windlass.cli.failure import Failure
from windlass.cli.job_client import with_client
from windlass.cli.option_types import Number, WholeNumber
from windlass.cli.queue_screen import COLOURS, legend, print_queue, table
from windlass.cli.queue_state import (
    CLOSED,
    CLOSED_BY_PARENT,
    CLOSING,
    OPEN,
    ROOT,
    GroupRow,
    group_rows,
    parent_of,
    queue_rows,
    state_of,
)
from windlass.cli.settings import ClusterFlags, takes
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.quantity import Quantity

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
OUTPUT = click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
TIMEOUT = click.option(
    "--timeout", type=Number(min=0), default=60.0, metavar="SECONDS", help="How long to wait for it.  [60]"
)


class Amounts(click.ParamType):
    """`cpu=4,memory=8Gi`: resources by name."""

    name = "amounts"

    def convert(
        self, value: str | dict[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, str]:
        if isinstance(value, dict):
            return value
        found: dict[str, str] = {}
        for part in value.split(","):
            name, equals, amount = part.strip().partition("=")
            if not equals or not name:
                self.fail(f"{part!r}: write RESOURCE=AMOUNT, such as cpu=4,memory=8Gi", param, ctx)
            try:
                Quantity.parse(amount)
            except ValueError:
                self.fail(f"{amount!r} is no amount of {name}, such as 4, 500m or 8Gi", param, ctx)
            found[name] = amount
        return found


AMOUNTS = Amounts()


@click.group()
def queue() -> None:
    """Show, make, open and close the queues in which gangs wait."""


@queue.command("list")
@OUTPUT
@takes(ClusterFlags)
def list_(settings: ClusterFlags, output: str) -> None:
    """Show all queues.

    Of each resource: what a queue uses, and after the slash what it deserves, or with ≤ what it may use at most.
    RUNNING, INQUEUE and PENDING are numbers of pod groups.
    """
    rows = queue_rows(with_client(settings, _queues))
    if output == "json":
        click.echo(json.dumps([row.as_json() for row in rows], indent=2))
    else:
        click.echo("\n".join(table(rows)))
        if explained := legend(rows):
            click.echo(click.style(explained, dim=True), err=True)


@queue.command()
@click.argument("name")
@OUTPUT
@takes(ClusterFlags)
def show(settings: ClusterFlags, name: str, output: str) -> None:
    """Show one queue and its pod groups, in the order in which it serves them."""
    found, groups = with_client(settings, lambda client: _look(client, name))
    row = next(one for one in queue_rows([found]) if one.name == name)
    if output == "json":
        click.echo(json.dumps({**row.as_json(), "groups": [one.as_json() for one in groups]}, indent=2))
    else:
        print_queue(row, groups)


@queue.command()
@click.argument("name")
@click.option("--weight", type=WholeNumber(1, 65535), default=1, metavar="N", help="Its share beside others.  [1]")
@click.option("--capability", type=AMOUNTS, metavar="AMOUNTS", help="At most this much: cpu=4,memory=8Gi.")
@click.option("--deserved", type=AMOUNTS, metavar="AMOUNTS", help="Its fair amount, which it may lend.")
@click.option("--guarantee", type=AMOUNTS, metavar="AMOUNTS", help="Kept for it, and never lent.")
@click.option("--parent", metavar="NAME", help="Queue that it is a part of.  [root]")
@click.option("--priority", type=WholeNumber(0), metavar="N", help="Queues of a higher one are served first.  [0]")
@click.option("--no-reclaim", is_flag=True, help="Others may not take back what it borrows.")
@OUTPUT
@takes(ClusterFlags)
def create(settings: ClusterFlags, name: str, output: str, **told: Any) -> None:
    """Make a queue."""
    made = with_client(settings, lambda client: client.create(manifest(name, **told), kind=QUEUE))
    if output == "json":
        click.echo(json.dumps(queue_rows([made])[0].as_json(), indent=2))
    else:
        click.echo(f"queue {name} is made: weight {dig(made, 'spec', 'weight') or 1}, below {parent_of(made)}.")


@queue.command("open")
@click.argument("name")
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def open_(settings: ClusterFlags, name: str, timeout: float, output: str) -> None:
    """Let a queue take and start gangs again, and the queues that were closed with it."""
    _change(settings, name, "OpenQueue", timeout, output)


@queue.command()
@click.argument("name")
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def close(settings: ClusterFlags, name: str, timeout: float, output: str) -> None:
    """Let a queue, and those below it, take nothing new; what runs goes on."""
    _change(settings, name, "CloseQueue", timeout, output)


def manifest(name: str, **told: Any) -> dict[str, Any]:
    """The Queue that the options of `create` describe."""
    spec: dict[str, Any] = {"weight": told["weight"], "reclaimable": not told.get("no_reclaim")}
    spec |= {key: told[key] for key in ("capability", "deserved", "parent", "priority") if told.get(key)}
    if told.get("guarantee"):
        spec["guarantee"] = {"resource": told["guarantee"]}
        spec["deserved"] = {**told["guarantee"], **spec.get("deserved", {})}  # Volcano wants it to be said, and no less
    return {"apiVersion": QUEUE.api_version, "kind": QUEUE.name, "metadata": {"name": name}, "spec": spec}


# --- opening and closing


def _change(settings: ClusterFlags, name: str, action: str, timeout: float, output: str) -> None:
    found = with_client(settings, lambda client: _command(client, name, action, timeout))
    if output == "json":
        click.echo(json.dumps(queue_rows([found])[0].as_json(), indent=2))
        return
    row = queue_rows([found])[0]
    left = sum(row.counts.values())
    rest = f": {left} pod group{'s' if left != 1 else ''} in it" if row.state == CLOSING else ""
    click.echo(f"queue {name} is {click.style(row.state, fg=COLOURS.get(row.state))}{rest}.")


async def _command(client: "Client", name: str, action: str, timeout: float) -> dict[str, Any]:  # noqa: ASYNC109 - the user's
    found = await _queue(client, name)
    if is_done(found, action):
        return found
    await _refuse_what_will_be(client, found, action)
    made = await client.create(command(action, found), kind=COMMAND)
    until = time.monotonic() + timeout
    while not is_done(found, action):
        if time.monotonic() >= until:
            await take_back(client, made)
            raise Failure(f"nobody followed the command {action} within {timeout:g} s. Does a manager run there?")
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
        raise Failure("the queue root cannot be closed: all others are below it")
    if action == "OpenQueue" and parent:
        try:
            above = await client.get(QUEUE, parent)
        except errors.NotFound:
            return
        if state_of(above) != OPEN:
            raise Failure(f"queue {name} cannot be opened: its parent {parent} is {state_of(above)}. Open that first")


async def take_back(client: "Client", made: Mapping[str, Any]) -> None:
    """Nobody is to follow a command, if one was made, after its author has given up."""
    from windlass.kube.objects import key_of

    if not made:
        return
    try:
        await client.delete(COMMAND, key_of(dict(made)))
    except errors.NotFound:  # it was followed after all, just now
        return


# --- looking


async def _queues(client: "Client") -> list[dict[str, Any]]:
    try:
        return (await client.list(QUEUE)).items
    except errors.NotFound as error:
        raise Failure(
            "this server has no queues: the kinds of scheduling.volcano.sh are not installed there"
        ) from error


async def _queue(client: "Client", name: str) -> dict[str, Any]:
    try:
        return await client.get(QUEUE, name)
    except errors.NotFound as error:
        raise Failure(f"there is no queue {name!r}. See them all: windlass queue list") from error


async def _look(client: "Client", name: str) -> tuple[dict[str, Any], list[GroupRow]]:
    found = await _queue(client, name)
    groups = [one for one in (await client.list(POD_GROUP)).items if (dig(one, "spec", "queue") or "default") == name]
    priorities = (await client.list(PRIORITY_CLASS)).items
    return found, group_rows(groups, priorities, datetime.now(UTC))
