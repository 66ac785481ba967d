"""`windlass open`: a browser at the gateway, signed in by a link that counts once."""

import webbrowser

import click

from windlass.cli.settings import Settings, takes


@click.command()
@click.option("--user", "email", default="", metavar="EMAIL", help="Sign in as this user.  [the first one]")
@click.option("--print", "prints", is_flag=True, help="Print the link instead of opening a browser.")
@takes(Settings)
def open(settings: Settings, email: str, prints: bool) -> None:
    """Open a browser at the gateway, signed in.

    The link counts once, and for a minute.
    """
    from windlass.cli.user.sign_in_link import make_sign_in_link

    link = make_sign_in_link(settings, email)
    if prints or not webbrowser.open(link.url):
        click.echo(link.url)
    else:
        click.echo(f"Opened {link.origin} as {link.email}.")
