"""Queues on a terminal: all of them in a table, and one with what is in it."""

from collections.abc import Mapping, Sequence

import click

from windlass.cli import screen
from windlass.cli.table import lines_of
from windlass.jobs.state.queue_state import CLOSED, CLOSING, MAIN, OPEN, GroupRow, QueueRow, resources_of

COLOURS = {OPEN: "green", CLOSING: "yellow", CLOSED: "red", "Running": "cyan", "Inqueue": "yellow"}


def table(rows: Sequence[QueueRow]) -> list[str]:
    resources = resources_of(rows)
    head = ["NAME", "PARENT", "STATE", "WEIGHT", *(MAIN.get(name, name.upper()) for name in resources)]
    cells = [[*head, "RUNNING", "INQUEUE", "PENDING"]]
    for row in rows:
        shares = [row.share(name) for name in resources]
        counts = [str(row.counts[name]) for name in ("running", "inqueue", "pending")]
        cells.append([f"{'  ' * row.depth}{row.name}", row.parent or "-", row.state, str(row.weight), *shares, *counts])
    return lines_of(cells, COLOURS)


def legend(rows: Sequence[QueueRow]) -> str:
    """What the numbers of resources are; empty where none has two."""
    shares = {row.share(name) for row in rows for name in resources_of(rows)}
    kinds = {"≤" if "≤" in share else "/" for share in shares if "/" in share}
    parts = {"/": "used/deserved", "≤": "used/≤most that the queue may use (its capability)"}
    return f"Resources: {', '.join(parts[kind] for kind in sorted(kinds))}" if kinds else ""


def print_queue(row: QueueRow, groups: Sequence[GroupRow]) -> None:
    click.echo(f"{click.style(row.name, bold=True)}  {click.style(row.state, fg=COLOURS.get(row.state))}")
    click.echo(f"  weight {row.weight}, below {row.parent or 'nothing'}")
    for name in ("allocated", "guarantee", "deserved", "capability"):
        amounts: Mapping[str, str] = getattr(row, name)
        if amounts:
            click.echo(f"  {name:<11}{', '.join(f'{key} {value}' for key, value in sorted(amounts.items()))}")
    if not groups:
        click.echo("No pod groups are in it.")
        return
    head = ["", "NAMESPACE", "NAME", "STATE", "PRIORITY", "MIN", "RUNNING", "AGE", "WAITS FOR"]
    cells = [
        [str(at), one.namespace, one.name, one.state, *_numbers(one), _short(one.waits_for) or "-"]
        for at, one in enumerate(groups, 1)
    ]
    click.echo("\n".join(lines_of([head, *cells], COLOURS)))


def _numbers(one: GroupRow) -> tuple[str, ...]:
    return (*map(str, (one.priority, one.min_member, one.running)), screen.duration(one.age))


def _short(why: str) -> str:
    """What it comes from, without the numbers that the other columns have."""
    return screen.one_line(why).partition("Origin reason is ")[2] or screen.one_line(why)
