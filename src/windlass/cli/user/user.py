"""`windlass user`: local users, their passwords, groups, sessions and access tokens.

The commands write to the gateway's database themselves, so they work whether or not Windlass runs; a running gateway
sees the change at the next request.
"""

import json
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from windlass.cli import screen
from windlass.cli.common_options import OUTPUT
from windlass.cli.failure import Failure
from windlass.cli.option_types import Number
from windlass.cli.settings import Settings, takes
from windlass.cli.table import render_table
from windlass.cli.user.directory import Directory, open_directory
from windlass.gateway.access.machine_viewers import is_withdrawn, set_withdrawn
from windlass.gateway.identity import passwords
from windlass.gateway.identity.emails import normalised
from windlass.gateway.identity.users import UserError, checked_email
from windlass.gateway.tokens.access_tokens import DEFAULT_SCOPES, SCOPES, TokenError

EMAIL = click.argument("email")
GROUP = click.option("--group", "groups", multiple=True, metavar="NAME", help="Group of the user; repeatable.")
PASSWORD_STDIN = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


@click.group()
def user() -> None:
    """Add, change, remove and list the users of the gateway."""


@user.command()
@EMAIL
@click.option("--username", default="", metavar="NAME", help="Name to show.  [the part before @]")
@GROUP
@PASSWORD_STDIN
@takes(Settings)
def add(settings: Settings, email: str, username: str, groups: tuple[str, ...], password_stdin: bool) -> None:
    """Add a user. Without --password-stdin and a terminal, a password is made and shown."""
    with _directory(settings) as directory:
        address = checked_email(email)
        if directory.users.find(address) is not None:
            raise UserError(f"there is a user {address} already. Change it: windlass user passwd {address}")
        password, is_made = _new_password(password_stdin)
        directory.users.add(address, password, username=username, groups=groups)
        directory.audit.record("user.added", user=address, groups=",".join(groups))
    click.echo(f"Added {address}." + (f" Password: {password}" if is_made else ""))


@user.command()
@EMAIL
@PASSWORD_STDIN
@click.option("--keep-sessions", is_flag=True, help="Leave the user signed in where they are.")
@takes(Settings)
def passwd(settings: Settings, email: str, password_stdin: bool, keep_sessions: bool) -> None:
    """Set a user's password, and end their sessions."""
    with _directory(settings) as directory:
        address = _known(directory, email)
        password, is_made = _new_password(password_stdin)
        directory.users.set_password(address, password)
        ended = 0 if keep_sessions else directory.sessions.revoke_all(address)
        directory.audit.record("user.password", user=address)
    click.echo(f"Changed the password of {address}; {_count(ended, 'session')} ended.")
    if is_made:
        click.echo(f"Password: {password}")


@user.command()
@EMAIL
@GROUP
@takes(Settings)
def groups(settings: Settings, email: str, groups: tuple[str, ...]) -> None:
    """Set a user's groups: those given, and no others. They count at the next request."""
    with _directory(settings) as directory:
        address = _known(directory, email)
        directory.users.set_groups(address, groups)
        directory.audit.record("user.groups", user=address, groups=",".join(groups))
    click.echo(f"{address} is in {', '.join(groups) if groups else 'no group'}.")


@user.command()
@EMAIL
@takes(Settings)
def rm(settings: Settings, email: str) -> None:
    """Remove a user with their sessions and tokens. Their profile and its data stay."""
    with _directory(settings) as directory:
        address = normalised(email)
        directory.users.remove(address)
        directory.audit.record("user.removed", user=address)
    click.echo(f"Removed {address}.")


@user.command("list")
@OUTPUT
@takes(Settings)
def list_(settings: Settings, output: str) -> None:
    """Show all users, with their groups and how many sessions they have."""
    with _directory(settings) as directory:
        found = [
            {
                "email": one.email,
                "username": one.username,
                "groups": list(one.groups),
                "source": one.source,
                "sessions": len(directory.sessions.list(one.email)),
            }
            for one in directory.users.all()
        ]
    if output == "json":
        click.echo(json.dumps(found, indent=2))
        return
    rows = [
        [one["email"], one["username"], ",".join(one["groups"]) or "-", one["source"], str(one["sessions"])]
        for one in found
    ]
    click.echo("\n".join(render_table([["EMAIL", "NAME", "GROUPS", "SOURCE", "SESSIONS"], *rows], {})))


@user.command()
@EMAIL
@click.option("--name", default="token", metavar="NAME", help="Name of the token; another of that name is replaced.")
@click.option("--days", type=Number(min=0.001, max=366), default=30.0, metavar="N", help="How long it lives.  [30]")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="Where it counts; repeatable.  [api and gateway]",
)
@click.option("--list", "lists", is_flag=True, help="Show the user's tokens instead.")
@click.option("--revoke", metavar="NAME", help="End the token of this name instead.")
@OUTPUT
@takes(Settings)
def token(
    settings: Settings,
    email: str,
    name: str,
    days: float,
    scopes: tuple[str, ...],
    lists: bool,
    revoke: str | None,
    output: str,
) -> None:
    """Make a personal access token and print it; it is not kept and cannot be shown again."""
    with _directory(settings) as directory:
        address = _known(directory, email)
        if lists:
            _print_tokens(directory, address, output)
        elif revoke:
            if not directory.access_tokens.revoke(address, revoke):
                raise Failure(f"{address} has no token {revoke!r}. See: windlass user token {address} --list")
            directory.audit.record("token.revoked", user=address, token=revoke)
            click.echo(f"Revoked {revoke}.")
        else:
            made = directory.access_tokens.create(address, name, timedelta(days=days), scopes or DEFAULT_SCOPES)
            directory.audit.record("token.created", user=address, token=name)
            click.echo(made)


def _print_tokens(directory: Directory, email: str, output: str) -> None:
    tokens = directory.access_tokens.list(email)
    if output == "json":
        listed: list[dict[str, Any]] = [
            {"name": one.name, "scopes": list(one.scopes), "expires": _moment(one.expires)} for one in tokens
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    rows = [[one.name, ",".join(one.scopes), _left(one.expires)] for one in tokens]
    click.echo("\n".join(render_table([["NAME", "SCOPES", "ENDS IN"], *rows], {})))


@user.command()
@EMAIL
@click.option("--end", metavar="ID", help="End the session of this ID instead of showing all.")
@OUTPUT
@takes(Settings)
def sessions(settings: Settings, email: str, end: str | None, output: str) -> None:
    """Show the sessions of a user, or end one."""
    with _directory(settings) as directory:
        address = _known(directory, email)
        if end is None:
            _print_sessions(directory, address, output)
            return
        if not directory.sessions.revoke(address, end):
            raise Failure(f"{address} has no session {end!r}. See: windlass user sessions {address}")
        directory.audit.record("session.revoked", user=address, session=end)
    click.echo(f"Ended {end}.")


def _print_sessions(directory: Directory, email: str, output: str) -> None:
    found = directory.sessions.list(email)
    if output == "json":
        listed: list[dict[str, Any]] = [
            {"id": one.name, "address": one.address, "userAgent": one.user_agent, "lastUsed": _moment(one.last_used)}
            for one in found
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    rows = [[one.name, one.address or "-", _left(one.expires()), one.user_agent or "-"] for one in found]
    click.echo("\n".join(render_table([["ID", "ADDRESS", "ENDS IN", "BROWSER"], *rows], {})))


@user.command()
@click.option("--sessions", is_flag=True, help="End every session, too.")
@takes(Settings)
def rotate(settings: Settings, sessions: bool) -> None:
    """Make a new key for ID tokens, and new secrets of the gateway. Tokens of the old key are valid until they end."""
    with _directory(settings) as directory:
        directory.signing_keys.rotate()
        directory.own_secrets.renew()
        if sessions:
            directory.database.write("DELETE FROM sessions")
        directory.audit.record("keys.rotated")
    click.echo("The key and the secrets are new from now on." + (" All sessions have ended." if sessions else ""))


@user.command("machine-view")
@click.argument("switch", type=click.Choice(["on", "off"]), required=False)
@takes(Settings)
def machine_view(settings: Settings, switch: str | None) -> None:
    """Allow the only user of this machine to see all of it in the dashboard, or withdraw that; without on or off, show.

    It holds only while Windlass listens on loopback addresses and has one local user.
    """
    with _directory(settings) as directory:
        if switch is not None:
            set_withdrawn(directory.database, withdrawn=switch == "off")
            directory.audit.record("machine-view.allowed" if switch == "on" else "machine-view.withdrawn")
        is_off = is_withdrawn(directory.database)
    click.echo("The machine view is off." if is_off else "The machine view is on while there is only one user.")


@contextmanager
def _directory(settings: Settings) -> Generator[Directory]:
    try:
        with open_directory(settings) as directory:
            yield directory
    except (UserError, TokenError) as error:
        raise Failure(str(error)) from error


def _known(directory: Directory, email: str) -> str:
    address = normalised(email)
    if directory.users.find(address) is None:
        raise UserError(f"there is no user {address}. See: windlass user list")
    return address


def _new_password(from_stdin: bool) -> tuple[str, bool]:
    """The password, and whether it was made up here."""
    if from_stdin:
        password = sys.stdin.readline().rstrip("\n")
    elif sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        return passwords.generate(), True
    if why := passwords.weakness(password):
        raise Failure(why)
    return password, False


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _left(expires: float) -> str:
    left = expires - time.time()
    return screen.duration(left) if left > 0 else "ended"
