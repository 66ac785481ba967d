"""Stops a running Windlass, and waits until all of its processes are gone."""

import signal

from windlass.supervisor import process, run_state
from windlass.supervisor.datadir import DataDir, wait_until_free
from windlass.supervisor.errors import SupervisorError


def stop(data: DataDir, timeout: float, *, kill: bool = False) -> run_state.RunState | None:
    """Stop what runs and wait until it is gone; return its last state, or None if nothing ran."""
    now = run_state.running(data)
    if now is None:
        return None
    _signal(now, signal.SIGKILL if kill else signal.SIGTERM)
    if not wait_until_free(data, timeout):
        raise SupervisorError(
            f"Windlass (pid {now.pid}) has not stopped after {timeout:g} s. Kill it: windlass down --kill"
        )
    if kill:
        run_state.forget(data)
    return now


def _signal(now: run_state.RunState, number: signal.Signals) -> None:
    """Signal the supervisor, which stops its children; signal them directly if it is gone or is killed."""
    signalled = process.send(now.pid, now.born, number)
    if number is signal.SIGKILL or not signalled:
        for component in now.components:
            process.send(component.pid, component.born, number)
