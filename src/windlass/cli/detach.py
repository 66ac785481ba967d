"""`windlass up --detach`: start a supervisor in its own session, and wait until it is ready or has failed."""

import os
from dataclasses import replace

import click

from windlass.cli import screen
from windlass.cli.manager_settings import UpSettings
from windlass.cli.settings import as_flags, environment_for
from windlass.supervisor import node_facts, run_state
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.detach import start_supervisor


def start_detached(settings: UpSettings, data: DataDir) -> run_state.RunState:
    """Start the supervisor, print the progress, and return when it is ready."""
    screen.headline(data)
    settings = replace(settings, detach=False)
    ready = start_supervisor(as_flags(settings, UpSettings), data, environment_for(settings, os.environ))
    for component in ready.components:
        screen.done(component.name, f"pid {component.pid}")
    for problem in node_facts.problems(data):
        screen.problem(problem)
    click.echo(f"Ready in {ready.ready_after:.1f} s.")
    return ready
