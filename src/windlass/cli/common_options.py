"""Options that several commands have."""

import click

from windlass.cli.option_types import Number

OUTPUT = click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Output format.")
TIMEOUT = click.option(
    "--timeout", type=Number(min=0), default=60.0, metavar="SECONDS", help="How long to wait for the change.  [60]"
)
