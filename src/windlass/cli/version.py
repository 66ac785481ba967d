"""`windlass version`: print the versions of this program, of Python and of the platform."""

import platform

import click

from windlass import __version__
from windlass.cli.common_options import OUTPUT
from windlass.cli.settings import Settings, takes


@click.command()
@OUTPUT
@takes(Settings)
def version(settings: Settings, output: str) -> None:
    """Print the version."""
    facts = {"windlass": __version__, "python": platform.python_version(), "platform": platform.platform()}
    if output == "json":
        import json

        click.echo(json.dumps(facts, indent=2))
        return
    click.echo(f"windlass {facts['windlass']} (Python {facts['python']}, {facts['platform']})")
