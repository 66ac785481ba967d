"""The error of a command that cannot do what was requested: what failed, why, and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from windlass.apis.user_error import UserError


class Failure(click.ClickException):
    """Shown as `error: <message>`, followed by `lines` (the end of a log), indented."""

    def __init__(self, message: str, *, lines: tuple[str, ...] = (), exit_code: int = 1) -> None:
        super().__init__(message)
        self.lines = lines
        self.exit_code = exit_code  # pyright: ignore[reportAttributeAccessIssue] - click reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(click.style("error: ", fg="red", bold=True) + self.message, err=True)
        for line in self.lines:
            click.echo(click.style("  | ", dim=True) + line, err=True)


@contextmanager
def as_failures() -> Iterator[None]:
    """Turn errors that are meant for the user into a `Failure` with the same cause."""
    try:
        yield
    except UserError as error:
        raise Failure(error.message, lines=error.lines) from error.__cause__
