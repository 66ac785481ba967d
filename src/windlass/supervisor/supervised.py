"""What a process does differently when a supervisor runs it: it ends when the supervisor is gone."""

import os
import signal
import threading


def end_with_supervisor() -> threading.Event:
    """Standard input is a pipe that only the supervisor holds open: its end is the supervisor's end.

    Answers what is set when this process ends for that, and not because it was asked to.
    """
    alone = threading.Event()
    threading.Thread(target=_wait_for_end, args=[alone], name="supervisor-watch", daemon=True).start()
    return alone


def _wait_for_end(alone: threading.Event) -> None:
    while os.read(0, 1):
        pass
    alone.set()
    os.kill(os.getpid(), signal.SIGTERM)
