"""`windlass profile`: create, list and delete profiles, and restore deleted ones."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from windlass.apps.profiles.commands.export import export
from windlass.cli.common_options import OUTPUT
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, takes
from windlass.cli.table import render_table

if TYPE_CHECKING:
    from windlass.apps.profiles.kinds import Profile
    from windlass.kube.client import Client

NAME = click.argument("name")


@click.group()
def profile() -> None:
    """Create, list, export, delete and restore profiles."""


profile.add_command(export)


@profile.command()
@NAME
@click.option("--owner", required=True, metavar="EMAIL", help="User who owns the namespace.")
@takes(ClusterFlags)
def create(settings: ClusterFlags, name: str, owner: str) -> None:
    """Create a profile, and so a namespace of that name."""
    from windlass.apps.profiles.kinds import Profile, ProfileOwner, ProfileSpec
    from windlass.apps.profiles.names import name_problem
    from windlass.kube.kind import KINDS
    from windlass.kube.meta import ObjectMeta

    if problem := name_problem(name):
        raise Failure(problem, exit_code=2)
    made = Profile(metadata=ObjectMeta(name=name), spec=ProfileSpec(owner=ProfileOwner(kind="User", name=owner)))
    with_client(settings, lambda client: client.create(made, kind=KINDS.of(Profile)))
    click.echo(f"Created profile {name} of {owner}.")


@profile.command("list")
@OUTPUT
@takes(ClusterFlags)
def list_(settings: ClusterFlags, output: str) -> None:
    """List profiles, their owners, and which are in the recycle bin."""
    from windlass.apps.profiles.names import DELETED_AT

    rows = [
        {
            "name": one.metadata.name,
            "owner": one.spec.owner.name if one.spec.owner else "",
            "ready": _ready(one),
            "deletedAt": one.metadata.annotations.get(DELETED_AT, ""),
        }
        for one in with_client(settings, _profiles)
    ]
    if output == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    table = [[row["name"], row["owner"], row["ready"], row["deletedAt"] or "-"] for row in rows]
    click.echo("\n".join(render_table([["NAME", "OWNER", "READY", "DELETED"], *table], {})))


@profile.command()
@NAME
@takes(ClusterFlags)
def delete(settings: ClusterFlags, name: str) -> None:
    """Put a profile in the recycle bin for 24 hours."""
    from windlass.apps.profiles.names import DELETED_AT
    from windlass.kube.json import timestamp

    _annotate(settings, name, {DELETED_AT: timestamp(datetime.now(UTC))})
    click.echo(f"Deleted profile {name}. For 24 hours this brings it back: windlass profile restore {name}")


@profile.command()
@NAME
@takes(ClusterFlags)
def restore(settings: ClusterFlags, name: str) -> None:
    """Take a profile out of the recycle bin."""
    from windlass.apps.profiles.names import DELETED_AT, DELETED_BY

    if DELETED_AT not in _found(settings, name).metadata.annotations:
        raise Failure(f"profile {name} is not in the recycle bin")
    _annotate(settings, name, {DELETED_AT: None, DELETED_BY: None})
    click.echo(f"Restored profile {name}.")


@profile.command()
@NAME
@takes(ClusterFlags)
def purge(settings: ClusterFlags, name: str) -> None:
    """Delete a profile of the recycle bin now, with everything in its namespace."""
    from windlass.apps.profiles.kinds import Profile
    from windlass.apps.profiles.names import DELETED_AT
    from windlass.kube.kind import KINDS

    found = _found(settings, name)
    if DELETED_AT not in found.metadata.annotations:
        raise Failure(f"profile {name} is not in the recycle bin. Put it there first: windlass profile delete {name}")
    with_client(settings, lambda client: client.delete(KINDS.of(Profile), found.metadata.key, uid=found.metadata.uid))
    click.echo(f"Purged profile {name}.")


async def _profiles(client: "Client") -> "list[Profile]":
    from windlass.apps.profiles.kinds import Profile

    return sorted((await client.list(Profile)).items, key=lambda one: one.metadata.name)


def _ready(found: "Profile") -> str:
    return next((one.status for one in found.status.conditions if one.type == "Ready"), "Unknown")


def _found(settings: ClusterFlags, name: str) -> "Profile":
    from windlass.apps.profiles.kinds import Profile

    return with_client(settings, lambda client: client.get(Profile, name))


def _annotate(settings: ClusterFlags, name: str, annotations: dict[str, str | None]) -> None:
    from windlass.apps.profiles.kinds import Profile
    from windlass.kube.kind import KINDS
    from windlass.kube.meta import Key

    patch = {"metadata": {"annotations": annotations}}
    with_client(settings, lambda client: client.patch(KINDS.of(Profile), Key("", name), patch))
