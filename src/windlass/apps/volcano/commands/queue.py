"""`windlass queue`: list queues, show one with its pod groups, and create, open and close queues."""

import json
from typing import Any

import click

from windlass.apps.volcano.commands.queue_screen import COLOURS, legend, print_queue, table
from windlass.apps.volcano.queues.queue_commands import QUEUE, change_queue, list_queues, manifest, queue_with_groups
from windlass.apps.volcano.queues.queue_state import CLOSING, parent_of, queue_rows
from windlass.cli.common_options import OUTPUT, TIMEOUT
from windlass.cli.connection import with_client
from windlass.cli.option_types import WholeNumber
from windlass.cli.settings import ClusterFlags, takes
from windlass.kube.json import dig
from windlass.kube.quantity import Quantity


class Amounts(click.ParamType):
    """Resources by name: `cpu=4,memory=8Gi`."""

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
                self.fail(f"{amount!r} is not a quantity of {name}, such as 4, 500m or 8Gi", param, ctx)
            found[name] = amount
        return found


AMOUNTS = Amounts()


@click.group()
def queue() -> None:
    """Show, create, open and close queues."""


@queue.command("list")
@OUTPUT
@takes(ClusterFlags)
def list_(settings: ClusterFlags, output: str) -> None:
    """List all queues.

    For each resource: what a queue uses and, after the slash, what it deserves, or with ≤ its limit. RUNNING, INQUEUE
    and PENDING count pod groups.
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
    """Show a queue and its pod groups, in scheduling order."""
    found, groups = with_client(settings, lambda client: queue_with_groups(client, name))
    row = next(one for one in queue_rows([found]) if one.name == name)
    if output == "json":
        click.echo(json.dumps({**row.as_json(), "groups": [one.as_json() for one in groups]}, indent=2))
    else:
        print_queue(row, groups)


@queue.command()
@click.argument("name")
@click.option(
    "--weight", type=WholeNumber(1, 65535), default=1, metavar="N", help="Weight relative to other queues.  [1]"
)
@click.option("--capability", type=AMOUNTS, metavar="AMOUNTS", help="Upper limit: cpu=4,memory=8Gi.")
@click.option("--deserved", type=AMOUNTS, metavar="AMOUNTS", help="Fair share; what it does not use may be lent.")
@click.option("--guarantee", type=AMOUNTS, metavar="AMOUNTS", help="Reserved for the queue, never lent.")
@click.option("--parent", metavar="NAME", help="Parent queue.  [root]")
@click.option("--priority", type=WholeNumber(0), metavar="N", help="Queues of higher priority are served first.  [0]")
@click.option("--no-reclaim", is_flag=True, help="What it borrows cannot be reclaimed.")
@OUTPUT
@takes(ClusterFlags)
def create(settings: ClusterFlags, name: str, output: str, **options: Any) -> None:
    """Create a queue."""
    made = with_client(settings, lambda client: client.create(manifest(name, **options), kind=QUEUE))
    if output == "json":
        click.echo(json.dumps(queue_rows([made])[0].as_json(), indent=2))
    else:
        click.echo(f"queue {name} created: weight {dig(made, 'spec', 'weight') or 1}, parent {parent_of(made)}.")


@queue.command("open")
@click.argument("name")
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def open_(settings: ClusterFlags, name: str, timeout: float, output: str) -> None:
    """Open a queue, and the queues that were closed with it."""
    _change(settings, name, "OpenQueue", timeout, output)


@queue.command()
@click.argument("name")
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def close(settings: ClusterFlags, name: str, timeout: float, output: str) -> None:
    """Close a queue and its children to new pod groups; running ones continue."""
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
