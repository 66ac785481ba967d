"""`windlass logs`: show the logs of a job's replicas, or of a component of Windlass."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.apps.training.commands.job_screen import LineReporter, Prefixes
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.follow import Follower
from windlass.apps.training.jobs.state.job_state import belongs, has_ended, pod_names, replica_name, short_name
from windlass.apps.training.jobs.state.lookup import EVENT, POD, find_job
from windlass.apps.training.jobs.state.progress import MAIN_CONTAINERS, is_meant, main_container, stream_of
from windlass.cli.connection import namespace_of, with_client
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags, data_dir_at, takes
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.supervisor import log_files

if TYPE_CHECKING:
    from windlass.kube.client import Client

PARTS = ("windlass", "server", "manager", "node")
POLL_INTERVAL_SECONDS = 0.2  # seconds
TAIL = 100


@click.command()
@click.argument("what")
@click.option("-n", "--namespace", metavar="NAME", help="Namespace of the job.  [default: that of the kubeconfig]")
@click.option("-f", "--follow", is_flag=True, help="Follow until the job ends, and exit with its exit code.")
@click.option("--replica", metavar="NAME", help="Only this replica: worker-1, or worker for all workers.")
@click.option("--all", "everything", is_flag=True, help="Show all lines instead of the last 100 of each replica.")
@takes(ClusterFlags)
@click.pass_context
def logs(
    ctx: click.Context,
    settings: ClusterFlags,
    what: str,
    namespace: str | None,
    follow: bool,
    replica: str | None,
    everything: bool,
) -> None:
    """Show the logs of a job's replicas or of a Windlass component.

    WHAT is job/NAME (or tfjob/NAME, trainjob/NAME and so on), or one of windlass, server, manager, node. Includes
    replicas whose pods are deleted, as long as their logs are kept.
    """
    if what in PARTS:
        _show_part(data_dir_at(settings.data_dir).log_of(what), follow=follow, everything=everything)
        return
    where = namespace_of(settings, namespace)

    async def work(client: "Client") -> int:
        kind, job = await find_job(client, what, where)
        if follow and not has_ended(job):
            key = Key(where, str(dig(job, "metadata", "name")))
            follower = Follower(client, kind, key, LineReporter(), lambda pod, short: is_meant(replica, short, pod))
            return await follower.run()
        await _show(client, kind, job, replica, tail=None if everything else TAIL)
        return 0

    ctx.exit(with_client(settings, work))


async def _show(client: "Client", kind: Kind, job: dict[str, Any], replica: str | None, *, tail: int | None) -> None:
    namespace, name = str(dig(job, "metadata", "namespace")), str(dig(job, "metadata", "name"))
    living = [pod for pod in (await client.list(POD, namespace)).items if belongs(pod, kind.name, name)]
    known = {str(dig(pod, "metadata", "name")): pod for pod in living}
    # Of pods that are gone only the name is known; their logs are kept behind the same address.
    gone = {pod: short_name(pod, name) for pod in pod_names(job)}
    if not known and train_job.is_train_job(job):
        gone = train_job.deleted_pods(job, await _events(client, namespace))
    pods = gone | {pod: replica_name(obj) for pod, obj in known.items()}
    shown = dict(sorted(pods.items()))
    shown = {pod: short for pod, short in shown.items() if is_meant(replica, short, pod)}
    if replica and not shown:
        raise Failure(f"{name} has no replica {replica!r}. It has {', '.join(sorted(pods.values()))}")
    prefix = Prefixes(shown.values())
    for pod, short in shown.items():
        container = main_container(known[pod], kind.name) if pod in known else _container(kind.name, short)
        if pod in known and stream_of(known[pod], kind.name) is None:
            continue  # it has not started
        try:
            async for line in client.logs(Key(namespace, pod), container=container, tail=tail):
                click.echo(prefix(short) + line.decode(errors="replace"))
        except (errors.NotFound, errors.BadRequest):
            continue  # gone, and nothing was kept of it


async def _events(client: "Client", namespace: str) -> list[dict[str, Any]]:
    try:
        return (await client.list(EVENT, namespace)).items
    except errors.Forbidden:  # who may see jobs need not see events
        return []


def _container(kind: str, replica: str) -> str:
    """The main container of a pod that no longer exists."""
    return train_job.container_of(replica) if kind == train_job.KIND else MAIN_CONTAINERS.get(kind, "")


def _show_part(path: Path, *, follow: bool, everything: bool) -> None:
    if not path.is_file():
        raise Failure(f"{path} does not exist: Windlass has not run on this data dir")
    shown = path.read_text(errors="replace").splitlines() if everything else log_files.tail(path, TAIL)
    for line in shown:
        click.echo(line)
    if follow:
        _follow_part(path)


def _follow_part(path: Path) -> None:
    """Follow a log file as `tail -F` does: a replaced or truncated file is read from its beginning."""
    at, number = path.stat().st_size, path.stat().st_ino
    while True:
        time.sleep(POLL_INTERVAL_SECONDS)
        try:
            now = path.stat()
        except FileNotFoundError:
            continue
        if now.st_ino != number or now.st_size < at:
            at, number = 0, now.st_ino
        if now.st_size > at:
            with path.open("rb") as file:
                file.seek(at)
                fresh = file.read()
            at += len(fresh)
            click.echo(fresh.decode(errors="replace"), nl=False)
