"""`windlass down`: ask the running supervisor to stop, and wait until everything it started is gone."""

import click

from windlass.cli import screen
from windlass.cli.option_types import Number
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor.leftover_pods import end_pods
from windlass.supervisor.stop import stop


@click.command()
@click.option(
    "--timeout",
    type=Number(0),
    default=45.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait until it has stopped.",
)
@click.option("--kill", is_flag=True, help="Kill it at once. No acknowledged write is lost.")
@click.option(
    "--keep-pods", is_flag=True, help="Leave the pods' processes running; the next `windlass up` adopts them."
)
@takes(Settings)
def down(settings: Settings, timeout: float, kill: bool, keep_pods: bool) -> None:
    """Stop a running Windlass, and its pods.

    Objects are kept for the next `windlass up`. Exits with 0 if nothing was running.
    """
    data = data_dir_at(settings.data_dir)
    if keep_pods and data.run.is_dir():
        data.keep_pods.touch()
    try:
        now = stop(data, timeout, kill=kill)
    finally:
        data.keep_pods.unlink(missing_ok=True)
    left = 0 if keep_pods else end_pods(data)
    if left:
        click.echo(f"Stopped {left} {'pod that was' if left == 1 else 'pods that were'} left running.")
    if now is None:
        click.echo(f"Windlass is not running on {screen.short_path(data.root)}.")
        return
    click.echo(f"Stopped. It ran for {screen.duration(now.uptime)}." if now.pid else "Stopped.")
