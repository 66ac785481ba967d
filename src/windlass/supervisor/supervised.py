"""Makes a supervised process exit when its supervisor is gone."""

import os
import signal
import threading


def end_with_supervisor() -> threading.Event:
    """Send SIGTERM to this process when standard input, a pipe from the supervisor, is closed.

    The returned event is set if the process ends for that reason.
    """
    orphaned = threading.Event()
    threading.Thread(target=_wait_for_end, args=[orphaned], name="supervisor-watch", daemon=True).start()
    return orphaned


def _wait_for_end(orphaned: threading.Event) -> None:
    while os.read(0, 1):
        pass
    orphaned.set()
    os.kill(os.getpid(), signal.SIGTERM)
