"""`windlass jobs`: list training jobs of all kinds."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from windlass.apps.training.commands.job_screen import table
from windlass.apps.training.jobs.state.job_state import Row
from windlass.apps.training.jobs.state.listing import list_jobs
from windlass.cli.common_options import OUTPUT
from windlass.cli.connection import namespace_of, with_client
from windlass.cli.settings import ClusterFlags, takes

if TYPE_CHECKING:
    from windlass.kube.client import Client

POLL_INTERVAL_SECONDS = 1.0  # seconds between two looks with --watch


@click.command()
@click.option("-n", "--namespace", metavar="NAME", help="Namespace to search.  [default: that of the kubeconfig]")
@click.option("-A", "--all-namespaces", is_flag=True, help="Search all namespaces.")
@click.option("-w", "--watch", is_flag=True, help="Keep running, and print changes.")
@OUTPUT
@takes(ClusterFlags)
def jobs(settings: ClusterFlags, namespace: str | None, all_namespaces: bool, watch: bool, output: str) -> None:
    """List training jobs of all kinds.

    REPLICAS shows running and total replicas, or for a finished job succeeded and total ones; a finished job may leave
    some running, depending on its cleanPodPolicy. GANG shows how many must start together, if a gang scheduler starts
    them, and the phase of the pod group.
    """
    where = "" if all_namespaces else namespace_of(settings, namespace)
    if watch and output == "json":
        raise click.UsageError("--watch does not support -o json")
    if watch:
        with_client(settings, lambda client: _watch(client, where, namespaces=all_namespaces))
        return
    rows = with_client(settings, lambda client: list_jobs(client, where))
    if output == "json":
        click.echo(json.dumps([as_json(one) for one in rows], indent=2))
    elif rows:
        click.echo("\n".join(table(rows, namespaces=all_namespaces)))
    else:
        place = f"namespace {where}" if where else "any namespace"
        click.echo(f"No training jobs in {place}. Start one: windlass run train.py", err=True)


async def _watch(client: "Client", namespace: str, *, namespaces: bool) -> None:
    """Print the table, then a line for each job that changed, as kubectl does. Ages are not compared."""
    printed: dict[tuple[str, str, str], tuple[object, ...]] | None = None
    while True:
        rows = await list_jobs(client, namespace)
        lines = table(rows, namespaces=namespaces)
        if printed is None:
            click.echo(lines[0])
            printed = {}
        changed = [one for one in rows if printed.get(_id(one)) != _content(one)]
        for one, line in zip(rows, lines[1:], strict=True):
            if one in changed:
                click.echo(line)
        for gone in printed.keys() - {_id(one) for one in rows}:
            click.echo(f"{gone[1]}   {gone[2]}   deleted")
        printed = {_id(one): _content(one) for one in rows}
        await asyncio.sleep(POLL_INTERVAL_SECONDS)


def _id(one: Row) -> tuple[str, str, str]:
    return one.namespace, one.kind, one.name


def _content(one: Row) -> tuple[object, ...]:
    return one.state, one.ready, one.total, one.running, one.gang


def as_json(one: Row) -> dict[str, Any]:
    return {
        "namespace": one.namespace,
        "kind": one.kind,
        "name": one.name,
        "state": one.state,
        "ready": one.ready,
        "total": one.total,
        "running": one.running,
        "gang": None if one.gang == "-" else one.gang,
        "ageSeconds": round(one.age, 1),
        "durationSeconds": None if one.duration is None else round(one.duration, 1),
    }
