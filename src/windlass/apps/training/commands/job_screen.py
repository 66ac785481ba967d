"""Jobs on a terminal: the lines of replicas with coloured prefixes, and tables."""

from collections.abc import Iterable
from typing import Any

import click

from windlass.apps.training.jobs.state.job_state import ENDED, Row
from windlass.cli import screen

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_cyan", "bright_green", "bright_yellow")
STATE_COLOURS = {
    "Succeeded": "green",
    "Failed": "red",
    "Running": "cyan",
    "Restarting": "yellow",
    "Suspended": "yellow",
}


class Prefixes:
    """Prefixes such as `worker-1 | `, as wide as the widest so far, with a colour for each replica."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._width = max((len(name) for name in names), default=0)
        self._colours: dict[str, str] = {}

    def __call__(self, replica: str) -> str:
        self._width = max(self._width, len(replica))
        colour = self._colours.setdefault(replica, COLOURS[len(self._colours) % len(COLOURS)])
        return click.style(f"{replica:<{self._width}} | ", fg=colour)


class LineReporter:
    """Prints the lines of replicas to standard output, and what happens to the job to standard error."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._prefix = Prefixes(names)

    def line(self, replica: str, text: str) -> None:
        click.echo(self._prefix(replica) + text)

    def note(self, text: str) -> None:
        click.echo(click.style(f"* {text}", dim=True), err=True)

    def running(self, text: str) -> None:
        self.note(text)

    def update(self, job: dict[str, Any] | None, pods: list[dict[str, Any]]) -> None:
        """Its lines say it all."""


def table(rows: Iterable[Row], *, namespaces: bool) -> list[str]:
    """Aligned as kubectl aligns, with coloured states."""
    cells = [_cells(one, namespaces=namespaces) for one in rows]
    head = ["KIND", "NAME", "STATE", "REPLICAS", "GANG", "AGE", "DURATION"]
    everything = [["NAMESPACE", *head] if namespaces else head, *cells]
    widths = [max(len(line[at]) for line in everything) for at in range(len(everything[0]))]
    return [_line(line, widths) for line in everything]


def _cells(one: Row, *, namespaces: bool) -> list[str]:
    duration = "-" if one.duration is None else screen.duration(one.duration)
    cells = [one.kind, one.name, one.state, _replicas(one), one.gang, screen.duration(one.age), duration]
    return [one.namespace, *cells] if namespaces else cells


def _replicas(one: Row) -> str:
    count = f"{one.ready}/{one.total}"
    return f"{count} ({one.running} still running)" if one.state in ENDED and one.running else count


def _line(cells: list[str], widths: list[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    padded[-1] = padded[-1].rstrip()
    return "   ".join(
        click.style(text, fg=STATE_COLOURS[cell]) if cell in STATE_COLOURS else text
        for cell, text in zip(cells, padded, strict=True)
    )
