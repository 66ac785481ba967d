"""`windlass queue`: queues in one table, what waits in one of them, and opening, closing and making them."""

import json
from typing import Any

import click

from windlass.cli.connection import with_client
from windlass.cli.option_types import Number, WholeNumber
from windlass.cli.queue.queue_screen import COLOURS, legend, print_queue, table
from windlass.cli.settings import ClusterFlags, takes
from windlass.jobs.control.queue_commands import QUEUE, change_queue, list_queues, manifest, queue_with_groups
from windlass.jobs.state.queue_state import CLOSING, parent_of, queue_rows
from windlass.kube.json import dig
from windlass.kube.quantity import Quantity

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
    rows = queue_rows(with_client(settings, list_queues))
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
    found, groups = with_client(settings, lambda client: queue_with_groups(client, name))
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


def _change(settings: ClusterFlags, name: str, action: str, timeout: float, output: str) -> None:
    found = with_client(settings, lambda client: change_queue(client, name, action, timeout))
    if output == "json":
        click.echo(json.dumps(queue_rows([found])[0].as_json(), indent=2))
        return
    row = queue_rows([found])[0]
    left = sum(row.counts.values())
    rest = f": {left} pod group{'s' if left != 1 else ''} in it" if row.state == CLOSING else ""
    click.echo(f"queue {name} is {click.style(row.state, fg=COLOURS.get(row.state))}{rest}.")
