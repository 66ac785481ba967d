"""The demo's output: a live display in a terminal, plain lines elsewhere."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import click

from windlass.apps.training.commands.demo.demo_progress import Progress
from windlass.cli import screen

KEPT_LINES = 20
"""Log lines to print if the job fails; the live display does not show them."""
EPOCHS_PER_LINE = 5
"""Without a terminal, one in this many epochs is printed."""


class Screen(Protocol):
    """The output of the demo; also a JobReporter."""

    def step(self, text: str) -> None: ...

    def working(self, text: str) -> None: ...

    def line(self, replica: str, text: str) -> None: ...

    def note(self, text: str) -> None: ...

    def update(self, job: dict[str, Any] | None, pods: list[dict[str, Any]]) -> None: ...


class Clock:
    """Seconds per phase."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self._since = time.monotonic()

    def lap(self, phase: str) -> float:
        now = time.monotonic()
        self.phases[phase] = self.phases.get(phase, 0.0) + now - self._since
        self._since = now
        return self.phases[phase]


class Plain:
    """Prints line by line."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def step(self, text: str) -> None:
        click.echo(f"\n{click.style(text, bold=True)}")

    def working(self, text: str) -> None:
        if not text.startswith("+ "):  # uv's list of what it installed is long
            click.echo(f"  {text}")

    def line(self, replica: str, text: str) -> None:
        one = self._progress.read_line(replica, text)
        if not text.startswith("epoch") or one.epoch % EPOCHS_PER_LINE == 0 or one.epoch == 1:
            click.echo(f"  {replica}  {text}")

    def note(self, text: str) -> None:
        click.echo(f"  {text}")

    def update(self, job: dict[str, Any] | None, pods: list[dict[str, Any]]) -> None:
        self._progress.update(job, pods)


class Live(Plain):
    """A display that is updated in place."""

    def __init__(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        super().__init__(progress)
        self._since, self._note = time.monotonic(), ""
        self._doing: deque[str] = deque(maxlen=3)
        self._last: deque[str] = deque(maxlen=KEPT_LINES)
        self._live = RichLive(console=Console(highlight=False), refresh_per_second=8, get_renderable=self._picture)

    def __enter__(self) -> "Live":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        if self._progress.state == "Failed":
            click.echo("\n".join(self._last))

    def step(self, text: str) -> None:
        self._live.console.print(f"\n{text}", style="bold", markup=False)
        self._doing.clear()
        self._since, self._note = time.monotonic(), ""

    def working(self, text: str) -> None:
        self._doing.append(text)

    def line(self, replica: str, text: str) -> None:
        self._progress.read_line(replica, text)
        self._last.append(f"{replica}  {text}")

    def note(self, text: str) -> None:
        self._note = text

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = []
        took = screen.duration(time.monotonic() - self._since)
        parts += [Text(f"  {took:>4}  {line}", style="dim", no_wrap=True) for line in list(self._doing)]
        if self._progress.replicas:
            parts.append(self._table())
        if self._note:
            parts.append(Text(f"  {self._note}", style="dim", overflow="ellipsis", no_wrap=True))
        return Group(*parts)

    def _table(self) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        table = Table(box=None, padding=(0, 2), header_style="bold")
        for name in ("", "REPLICA", "STATE", "EPOCH", "", "LOSS", "SO FAR"):
            table.add_column(name)
        for name, one in sorted(self._progress.replicas.items()):
            bar = ProgressBar(total=one.epochs or 1, completed=one.epoch, width=20)
            table.add_row("", name, one.state, f"{one.epoch}/{one.epochs or '-'}", bar, one.loss, one.curve)
        return table


@contextmanager
def for_terminal(progress: Progress, *, live: bool) -> Iterator[Screen]:
    if not live:
        yield Plain(progress)
        return
    with Live(progress) as shown:
        yield shown
