"""`windlass up --detach`: a supervisor in a session of its own, and a wait until it is ready or has said why not."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from windlass.cli import log_files, node_facts, screen, state
from windlass.cli.datadir import DataDir
from windlass.cli.failure import Failure
from windlass.cli.settings import UpSettings, as_flags

LOOK_EVERY = 0.03


def start_detached(settings: UpSettings, data: DataDir) -> state.RunState:
    """Start it, show how that goes, and return when it is ready."""
    log = data.log_of("windlass")
    log_files.rotate(log)
    screen.headline(data)
    flags = as_flags(replace(settings, detach=False), UpSettings)
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
    for component in ready.components:
        screen.done(component.name, f"pid {component.pid}")
    for problem in node_facts.problems(data):
        screen.problem(problem)
    click.echo(f"Ready in {ready.ready_after:.1f} s.")
    return ready


def _wait(supervisor: subprocess.Popen[bytes], data: DataDir) -> state.RunState | None:
    """Its state once it is ready; None if it ended before."""
    try:
        while supervisor.poll() is None:
            now = state.load(data)
            if now is not None and now.pid == supervisor.pid and now.phase == "ready":
                return now
            time.sleep(LOOK_EVERY)
    except KeyboardInterrupt:
        supervisor.terminate()
        supervisor.wait()
        raise
    return None


def _why_not(log: Path, code: int | None) -> Failure:
    """The failure that the supervisor showed to its log, shown here."""
    lines = log_files.last_words(log)
    if lines and lines[0].startswith("error: "):
        return Failure(lines[0].removeprefix("error: "), lines=tuple(line.removeprefix("  | ") for line in lines[1:]))
    return Failure(f"Windlass did not start (exit code {code}). The last lines of {log}:", lines=lines)
