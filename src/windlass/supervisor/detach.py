"""Starts a supervisor in its own session, and waits until it is ready or has failed."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from windlass.supervisor import log_files, run_state
from windlass.supervisor.child import WINDLASS
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError

POLL_INTERVAL_SECONDS = 0.03


def start_supervisor(flags: Sequence[str], data: DataDir, environment: Mapping[str, str]) -> run_state.RunState:
    """Run `windlass up` with `flags` in the background, and return its state when it is ready."""
    log = data.log_of("windlass")
    log_files.rotate(log)
    with log.open("ab") as output:
        supervisor = subprocess.Popen(
            [*WINDLASS, "up", *flags],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=environment,
            start_new_session=True,
        )
    ready = _wait(supervisor, data)
    if ready is None:
        raise _why_not(log, supervisor.returncode)
    supervisor.returncode = 0  # it is meant to outlive this process, so Popen need not warn about it
    return ready


def _wait(supervisor: subprocess.Popen[bytes], data: DataDir) -> run_state.RunState | None:
    """The state once the supervisor is ready; None if it exited before."""
    try:
        while supervisor.poll() is None:
            now = run_state.load(data)
            if now is not None and now.pid == supervisor.pid and now.phase == "ready":
                return now
            time.sleep(POLL_INTERVAL_SECONDS)
    except KeyboardInterrupt:
        supervisor.terminate()
        supervisor.wait()
        raise
    return None


def _why_not(log: Path, code: int | None) -> SupervisorError:
    """The error that the supervisor wrote to its log."""
    lines = log_files.error_lines(log)
    if lines and lines[0].startswith("error: "):
        return SupervisorError(
            lines[0].removeprefix("error: "), lines=tuple(line.removeprefix("  | ") for line in lines[1:])
        )
    return SupervisorError(f"Windlass did not start (exit code {code}). The last lines of {log}:", lines=lines)
