"""`windlass down`: ask the running supervisor to stop, and wait until everything it started is gone."""

import signal

import click

from windlass.cli import process, screen, state
from windlass.cli.datadir import DataDir, wait_until_free
from windlass.cli.failure import Failure
from windlass.cli.leftovers import end_pods
from windlass.cli.option_types import Number
from windlass.cli.settings import Settings, takes


@click.command()
@click.option(
    "--timeout",
    type=Number(0),
    default=45.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for it to stop.",
)
@click.option("--kill", is_flag=True, help="Do not ask: kill it at once. Nothing acknowledged is lost.")
@click.option("--keep-pods", is_flag=True, help="Let the processes of pods go on; the next `windlass up` adopts them.")
@takes(Settings)
def down(settings: Settings, timeout: float, kill: bool, keep_pods: bool) -> None:
    """Stop a running Windlass, and its pods.

    Objects stay, and are there again at the next `windlass up`. Exits with 0 if nothing was running.
    """
    data = DataDir(settings.data_dir)
    if keep_pods and data.run.is_dir():
        data.keep_pods.touch()
    try:
        now = stop(data, timeout, kill=kill)
    finally:
        data.keep_pods.unlink(missing_ok=True)
    left = 0 if keep_pods else end_pods(data)
    if left:
        click.echo(f"Ended {left} {'pod' if left == 1 else 'pods'} that went on without it.")
    if now is None:
        click.echo(f"Windlass is not running on {screen.short(data.root)}.")
        return
    click.echo(f"Stopped. It ran for {screen.duration(now.uptime)}." if now.pid else "Stopped.")


def stop(data: DataDir, timeout: float, *, kill: bool = False) -> state.RunState | None:
    """Stop what runs and wait until it is gone; returns what it was, or None if nothing ran."""
    now = state.running(data)
    if now is None:
        return None
    _signal(now, signal.SIGKILL if kill else signal.SIGTERM)
    if not wait_until_free(data, timeout):
        raise Failure(f"Windlass (pid {now.pid}) has not stopped after {timeout:g} s. Kill it: windlass down --kill")
    if kill:
        state.forget(data)
    return now


def _signal(now: state.RunState, number: signal.Signals) -> None:
    """The supervisor stops its children; where it is gone or is to be killed, they are signalled themselves."""
    told = process.send(now.pid, now.born, number)
    if number is signal.SIGKILL or not told:
        for component in now.components:
            process.send(component.pid, component.born, number)
