"""`windlass open`: a browser at the gateway, signed in by a link that counts once."""

import webbrowser

import click

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor import run_state


@click.command()
@click.option("--user", "email", default="", metavar="EMAIL", help="Sign in as this user.  [the first one]")
@click.option("--print", "prints", is_flag=True, help="Print the link instead of opening a browser.")
@takes(Settings)
def open(settings: Settings, email: str, prints: bool) -> None:
    """Open a browser at the gateway, signed in.

    The link counts once, and for a minute.
    """
    from windlass.cli.user.directory import open_directory
    from windlass.gateway.identity.emails import normalised
    from windlass.gateway.identity.users import FIRST_EMAIL
    from windlass.gateway.login.links import SignInLinks

    data = data_dir_at(settings.data_dir)
    now = run_state.running(data)
    if now is None or not now.gateway_url:
        raise Failure(f"no gateway runs on {screen.short_path(data.root)}. Start it: windlass up")
    with open_directory(settings) as directory:
        users = directory.users
        first = users.find(FIRST_EMAIL) or next(iter(users.all()), None)
        chosen = users.find(normalised(email)) if email else first
        if chosen is None:
            raise Failure(f"there is no user {email}. See: windlass user list")
        link = f"{now.gateway_url}/oauth2/link?token={SignInLinks(directory.database).create(chosen.email)}"
    if prints or not webbrowser.open(link):
        click.echo(link)
    else:
        click.echo(f"Opened {now.gateway_url} as {chosen.email}.")
