"""Queues on a terminal: a table of all, and one with its pod groups."""

from collections.abc import Mapping, Sequence

import click

from windlass.apis.gang_waits import GangWait
from windlass.apps.volcano.queues.queue_state import CLOSED, CLOSING, MAIN, OPEN, GroupRow, QueueRow, resources_of
from windlass.cli import screen
from windlass.cli.table import render_table

COLOURS = {OPEN: "green", CLOSING: "yellow", CLOSED: "red", "Running": "cyan", "Inqueue": "yellow"}


def table(rows: Sequence[QueueRow]) -> list[str]:
    resources = resources_of(rows)
    head = ["NAME", "PARENT", "STATE", "WEIGHT", *(MAIN.get(name, name.upper()) for name in resources)]
    cells = [[*head, "RUNNING", "INQUEUE", "PENDING"]]
    for row in rows:
        shares = [row.share(name) for name in resources]
        counts = [str(row.counts[name]) for name in ("running", "inqueue", "pending")]
        cells.append([f"{'  ' * row.depth}{row.name}", row.parent or "-", row.state, str(row.weight), *shares, *counts])
    return render_table(cells, COLOURS)


def legend(rows: Sequence[QueueRow]) -> str:
    """Explains the resource columns; empty if none has two numbers."""
    shares = {row.share(name) for row in rows for name in resources_of(rows)}
    kinds = {"≤" if "≤" in share else "/" for share in shares if "/" in share}
    parts = {"/": "used/deserved", "≤": "used/≤capability (the queue's limit)"}
    return f"Resources: {', '.join(parts[kind] for kind in sorted(kinds))}" if kinds else ""


def print_queue(row: QueueRow, groups: Sequence[GroupRow]) -> None:
    click.echo(f"{click.style(row.name, bold=True)}  {click.style(row.state, fg=COLOURS.get(row.state))}")
    click.echo(f"  weight {row.weight}, parent {row.parent or 'none'}")
    for name in ("allocated", "guarantee", "deserved", "capability"):
        amounts: Mapping[str, str] = getattr(row, name)
        if amounts:
            click.echo(f"  {name:<11}{', '.join(f'{key} {value}' for key, value in sorted(amounts.items()))}")
    if not groups:
        click.echo("It has no pod groups.")
        return
    head = ["", "NAMESPACE", "NAME", "STATE", "PRIORITY", "MIN", "RUNNING", "AGE", "WAITS FOR"]
    cells = [
        [str(at), one.namespace, one.name, one.state, *_numbers(one), _waits_for(one.wait)]
        for at, one in enumerate(groups, 1)
    ]
    click.echo("\n".join(render_table([head, *cells], COLOURS)))


def _numbers(one: GroupRow) -> tuple[str, ...]:
    return (*map(str, (one.priority, one.min_member, one.running)), screen.duration(one.age))


def _waits_for(wait: GangWait | None) -> str:
    return screen.one_line(wait.short_text) if wait is not None else "-"
