"""`windlass lamps`: how bright a lamp may be."""

import click


@click.command()
def lamps() -> None:
    """Say how bright a lamp may be."""
    click.echo("0 to 100")
