"""Starts a supervisor in a session of its own, and waits until it is ready or has said why not."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from windlass.supervisor import log_files, run_state
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError

LOOK_EVERY = 0.03


def start_supervisor(flags: Sequence[str], data: DataDir) -> run_state.RunState:
    """Run `windlass up` with `flags` in the background, and return its state when it is ready."""
    log = data.log_of("windlass")
    log_files.rotate(log)
    with log.open("ab") as output:
        supervisor = subprocess.Popen(
            [sys.executable, "-P", "-m", "windlass", "up", *flags],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            start_new_session=True,
        )
    ready = _wait(supervisor, data)
    if ready is None:
        raise _why_not(log, supervisor.returncode)
    supervisor.returncode = 0  # it is meant to outlive this process, so Popen need not warn about it
    return ready


def _wait(supervisor: subprocess.Popen[bytes], data: DataDir) -> run_state.RunState | None:
    """Its state once it is ready; None if it ended before."""
    try:
        while supervisor.poll() is None:
            now = run_state.load(data)
            if now is not None and now.pid == supervisor.pid and now.phase == "ready":
                return now
            time.sleep(LOOK_EVERY)
    except KeyboardInterrupt:
        supervisor.terminate()
        supervisor.wait()
        raise
    return None


def _why_not(log: Path, code: int | None) -> SupervisorError:
    """The failure that the supervisor showed to its log, shown here."""
    lines = log_files.last_words(log)
    if lines and lines[0].startswith("error: "):
        return SupervisorError(
            lines[0].removeprefix("error: "), lines=tuple(line.removeprefix("  | ") for line in lines[1:])
        )
    return SupervisorError(f"Windlass did not start (exit code {code}). The last lines of {log}:", lines=lines)
