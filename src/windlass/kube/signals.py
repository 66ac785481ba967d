"""Signals as a Unix program treats them.

A caller may start a program with signals ignored: `nohup` ignores SIGHUP, a shell without job control ignores SIGINT of
what it starts in the background. They stay ignored in this process, but the programs that it starts must not inherit
that: Ctrl-C would do nothing in a pod's shell.
"""

import signal
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

INHERITED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD)
"""Those that callers ignore. Not SIGTTIN and SIGTTOU: with a handler, reading and writing a terminal would not work."""


def keep_ignored_from_children() -> None:
    """Ignore by a handler what is ignored by inheritance: exec resets handlers to the default, and keeps SIG_IGN."""
    for number in INHERITED:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)


def is_ignored(number: signal.Signals) -> bool:
    """Whether the caller wants this process to ignore a signal."""
    return signal.getsignal(number) in (signal.SIG_IGN, _do_nothing)


def on_signals(
    loop: "AbstractEventLoop", numbers: Iterable[signal.Signals], callback: Callable[[], object]
) -> list[signal.Signals]:
    """Have the loop call `callback` on these signals, and return them without those that are ignored.

    SIGTERM always counts: it is how a supervisor and `windlass down` stop a process.
    """
    handled = [number for number in numbers if number is signal.SIGTERM or not is_ignored(number)]
    for number in handled:
        loop.add_signal_handler(number, callback)
    return handled


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """Ignore a signal in this process alone."""
