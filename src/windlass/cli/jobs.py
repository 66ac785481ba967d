"""`windlass jobs`: training jobs of every kind in one table."""

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from windlass.cli import train_job
from windlass.cli.failure import Failure
from windlass.cli.job_client import JOB, POD, group_kinds, job_kinds, namespace_of, with_client
from windlass.cli.job_screen import table
from windlass.cli.job_state import Around, Row, has_ended, row
from windlass.cli.settings import ClusterFlags, takes
from windlass.kube import errors
from windlass.kube.json import dig

if TYPE_CHECKING:
    from windlass.kube.client import Client

EVERY = 1.0  # seconds between two looks with --watch


@click.command()
@click.option("-n", "--namespace", metavar="NAME", help="Namespace to look in.  [default: that of the kubeconfig]")
@click.option("-A", "--all-namespaces", is_flag=True, help="Look in all namespaces.")
@click.option("-w", "--watch", is_flag=True, help="Go on, and print what changes.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@takes(ClusterFlags)
def jobs(settings: ClusterFlags, namespace: str | None, all_namespaces: bool, watch: bool, output: str) -> None:
    """Show training jobs of every kind in one table.

    REPLICAS are those that run, of a job that has ended those that succeeded, and all; a job that is done may leave
    some running, as its cleanPodPolicy says. GANG is how many must start together, if a gang scheduler starts them,
    and how far that is.
    """
    where = "" if all_namespaces else namespace_of(settings, namespace)
    if watch and output == "json":
        raise click.UsageError("--watch prints a table: leave out -o json")
    if watch:
        with_client(settings, lambda client: _watch(client, where, namespaces=all_namespaces))
        return
    rows = with_client(settings, lambda client: look(client, where))
    if output == "json":
        click.echo(json.dumps([as_json(one) for one in rows], indent=2))
    elif rows:
        click.echo("\n".join(table(rows, namespaces=all_namespaces)))
    else:
        place = f"namespace {where}" if where else "any namespace"
        click.echo(f"No training jobs in {place}. Start one: windlass run train.py", err=True)


async def look(client: "Client", namespace: str) -> list[Row]:
    """Every job, the newest last; of all namespaces if none is said."""
    kinds = await job_kinds(client)
    if not kinds:
        raise Failure("this server has no training jobs: the kinds of kubeflow.org are not installed there")
    found: list[dict[str, Any]] = []
    for kind in kinds:
        found += [{"kind": kind.name, **obj} for obj in (await client.list(kind, namespace)).items]
    found.sort(key=lambda obj: (str(dig(obj, "metadata", "creationTimestamp")), str(dig(obj, "metadata", "name"))))
    around = Around(
        groups=await _groups(client, namespace),
        jobs=await _batch_jobs(client, namespace) if any(map(train_job.is_train_job, found)) else [],
        running_pods=await _running_pods(client, namespace) if any(map(has_ended, found)) else [],
    )
    now = datetime.now(UTC)
    return [row(obj, around, now) for obj in found]


async def _running_pods(client: "Client", namespace: str) -> list[dict[str, Any]]:
    try:
        return (await client.list(POD, namespace, fields="status.phase=Running")).items
    except errors.Forbidden:  # who may see jobs need not see pods
        return []


async def _batch_jobs(client: "Client", namespace: str) -> list[dict[str, Any]]:
    """Of which TrainJobs are made: they know how many pods run."""
    try:
        return (await client.list(JOB, namespace)).items
    except errors.Forbidden:
        return []


async def _groups(client: "Client", namespace: str) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for kind in await group_kinds(client):
        try:
            items = (await client.list(kind, namespace)).items
        except errors.Forbidden:  # who may see jobs need not see groups
            continue
        found |= {(str(dig(one, "metadata", "namespace")), str(dig(one, "metadata", "name"))): one for one in items}
    return found


async def _watch(client: "Client", namespace: str, *, namespaces: bool) -> None:
    """As kubectl does it: the table, then a line for each job that has changed. Ages are no change."""
    told: dict[tuple[str, str, str], tuple[object, ...]] | None = None
    while True:
        rows = await look(client, namespace)
        lines = table(rows, namespaces=namespaces)
        if told is None:
            click.echo(lines[0])
            told = {}
        changed = [one for one in rows if told.get(_id(one)) != _content(one)]
        for one, line in zip(rows, lines[1:], strict=True):
            if one in changed:
                click.echo(line)
        for gone in told.keys() - {_id(one) for one in rows}:
            click.echo(f"{gone[1]}   {gone[2]}   deleted")
        told = {_id(one): _content(one) for one in rows}
        await asyncio.sleep(EVERY)


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
