"""Options and logging that the commands of components share."""

import threading
from collections.abc import Callable
from typing import Any

import click

from windlass.cli.settings import SUPERVISED
from windlass.supervisor import supervised

supervised_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--supervised", is_flag=True, hidden=True, help="Ends when standard input closes; the caller holds the lock."
)


def end_with_supervisor() -> threading.Event:
    """Exit when the supervisor exits, and let `main` log bugs with a traceback; see `supervised`."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[SUPERVISED] = True
    return supervised.end_with_supervisor()


def set_up_logging(debug: bool) -> None:
    import logging

    from windlass.kube import log_format

    log_format.set_up_logging(logging.DEBUG if debug else logging.INFO)
