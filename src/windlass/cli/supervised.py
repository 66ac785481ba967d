"""What a process does differently when a supervisor runs it: it ends when the supervisor is gone."""

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import click

from windlass.cli.settings import SUPERVISED

supervised_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--supervised", is_flag=True, hidden=True, help="Ends when standard input closes; the caller holds the lock."
)


def end_with_supervisor() -> threading.Event:
    """Standard input is a pipe that only the supervisor holds open: its end is the supervisor's end.

    Answers what is set when this process ends for that, and not because it was asked to.
    """
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[SUPERVISED] = True
    alone = threading.Event()
    threading.Thread(target=_wait_for_end, args=[alone], name="supervisor-watch", daemon=True).start()
    return alone


def _wait_for_end(alone: threading.Event) -> None:
    while os.read(0, 1):
        pass
    alone.set()
    os.kill(os.getpid(), signal.SIGTERM)


def set_up_logging(debug: bool) -> None:
    import logging

    logging.basicConfig(
        level=logging.DEBUG if debug else logging.INFO,
        format="%(asctime)s %(levelname)-7s %(name)s: %(message)s",
    )
