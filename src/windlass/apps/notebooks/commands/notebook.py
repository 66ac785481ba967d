"""`windlass notebook`: the address of a notebook's server, for IDEs."""

from datetime import timedelta

import click

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.option_types import Number
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor import run_state

LONGEST_TOKEN_NAME = 63


@click.group()
def notebook() -> None:
    """Print the address of a notebook's server for an IDE."""


@notebook.command()
@click.argument("name")
@click.option("-n", "--namespace", default="default", metavar="NAME", help="Namespace of the notebook.  [default]")
@click.option("--user", "email", default="", metavar="EMAIL", help="Whose token is in it.  [the first user]")
@click.option("--days", type=Number(min=0.001, max=366), default=30.0, metavar="N", help="How long it counts.  [30]")
@takes(Settings)
def url(settings: Settings, name: str, namespace: str, email: str, days: float) -> None:
    """Print a URL that VS Code and PyCharm take for an existing Jupyter server.

    It has a new token of the user, which counts for notebooks only; the one of the URL before it is revoked.
    """
    from windlass.apps.notebooks.names import url_with_token
    from windlass.cli.user.directory import open_directory
    from windlass.gateway.identity.emails import normalised
    from windlass.gateway.identity.users import FIRST_EMAIL
    from windlass.kube.meta import Key
    from windlass.kube.names import dns_label_errors, dns_subdomain_errors

    for word, text, errors in (
        ("name", name, dns_subdomain_errors(name)),
        ("namespace", namespace, dns_label_errors(namespace)),
    ):
        if errors:
            raise Failure(f"{text!r} is no {word}: {errors[0]}", exit_code=2)
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
        label = f"notebook-{namespace}-{name}".replace(".", "-")[:LONGEST_TOKEN_NAME]
        token = directory.access_tokens.create(chosen.email, label, timedelta(days=days), ["notebooks"])
        directory.audit.record("token.created", user=chosen.email, token=label)
    click.echo(url_with_token(now.gateway_url, Key(namespace, name), token))
