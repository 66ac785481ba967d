"""`windlass doctor`: check what most often goes wrong, and say what to do."""

import json
from dataclasses import asdict

import click

from windlass.cli.common_options import OUTPUT
from windlass.cli.settings import Settings, takes

WRONG = 1


@click.command()
@OUTPUT
@takes(Settings)
@click.pass_context
def doctor(ctx: click.Context, settings: Settings, output: str) -> None:
    """Check what is wrong with this Windlass, and say what to do.

    Exits with 0 if nothing is wrong, and with 1 if something is. Changes nothing.
    """
    from windlass.cli.doctor.facts import gather
    from windlass.cli.doctor.findings import CHECKS, findings

    found = findings(gather(settings))
    if output == "json":
        click.echo(json.dumps([asdict(one) for one in found], indent=2))
    elif not found:
        click.echo(f"Nothing is wrong ({len(CHECKS)} checks).")
    for one in found if output == "text" else ():
        click.echo(click.style(f"{one.check}: ", fg="yellow", bold=True) + one.problem)
        click.echo(f"  {one.advice}")
    ctx.exit(WRONG if found else 0)
