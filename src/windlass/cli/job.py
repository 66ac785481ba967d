"""`windlass job`: suspend a job, so that its pods give back what they hold, and resume it."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from windlass.cli import train_job
from windlass.cli.failure import Failure
from windlass.cli.job_client import JOB as BATCH
from windlass.cli.job_client import job_kinds, namespace_of, with_client, words_for
from windlass.cli.job_state import has_ended, job_state
from windlass.cli.queue import COMMAND, EVERY, OUTPUT, TIMEOUT, take_back
from windlass.cli.settings import ClusterFlags, takes
from windlass.kube import errors
from windlass.kube.json import dig, dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

if TYPE_CHECKING:
    from windlass.kube.client import Client

VOLCANO = Kind(
    group="batch.volcano.sh", version="v1alpha1", name="Job", plural="jobs", short=("vcjob", "vj"), status=True
)
NAMESPACES = Kind(group="", version="v1", name="Namespace", plural="namespaces", namespaced=False)
SUSPENDED = ("Aborting", "Aborted")
ENDED = ("Completed", "Failed", "Terminated", "Completing", "Terminating")
NAMESPACE = click.option(
    "-n", "--namespace", metavar="NAME", help="Namespace of the job.  [default: that of the kubeconfig]"
)


@click.group()
def job() -> None:
    """Suspend and resume a Volcano job or a training job."""


@job.command()
@click.argument("name")
@NAMESPACE
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def suspend(settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str) -> None:
    """End the pods of a job, and keep the job; NAME, vcjob/NAME or tfjob/NAME."""
    _change(settings, name, namespace, timeout, output, suspended=True)


@job.command()
@click.argument("name")
@NAMESPACE
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def resume(settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str) -> None:
    """Start a suspended job again."""
    _change(settings, name, namespace, timeout, output, suspended=False)


def _change(
    settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str, *, suspended: bool
) -> None:
    where = namespace_of(settings, namespace)
    kind, found = with_client(settings, lambda client: _carry_out(client, name, where, timeout, suspended=suspended))
    state = state_of(kind, found)
    if output == "json":
        answer = {"namespace": where, "kind": kind.name, "name": dig(found, "metadata", "name"), "state": state}
        click.echo(json.dumps({**answer, "apiVersion": kind.api_version}, indent=2))
    else:
        click.echo(f"{words(kind)}/{dig(found, 'metadata', 'name')} is {state}.")


def words(kind: Kind) -> str:
    """As kubectl calls it where that is one kind only."""
    return {VOLCANO: "vcjob", BATCH: BATCH.group_resource}.get(kind, kind.name.lower())


def state_of(kind: Kind, obj: Mapping[str, Any]) -> str:
    return str(dig(obj, "status", "state", "phase") or "Pending") if kind == VOLCANO else job_state(obj)


def is_suspended(kind: Kind, obj: Mapping[str, Any]) -> bool:
    return state_of(kind, obj) in (SUSPENDED if kind == VOLCANO else ("Suspended",))


async def _carry_out(
    client: "Client",
    told: str,
    namespace: str,
    timeout: float,  # noqa: ASYNC109 - the user's
    *,
    suspended: bool,
) -> tuple[Kind, dict[str, Any]]:
    kind, found = await find(client, told, namespace)
    name = str(dig(found, "metadata", "name"))
    if is_suspended(kind, found) == suspended and (kind == VOLCANO or asks_for(found) == suspended):
        return kind, found
    if has_ended(found) if kind != VOLCANO else state_of(kind, found) in ENDED:
        raise Failure(f"{words(kind)}/{name} is {state_of(kind, found)}: there is nothing to suspend or to resume")
    made: dict[str, Any] = {}
    if kind == VOLCANO:
        made = await client.create(command("AbortJob" if suspended else "ResumeJob", found), kind=COMMAND)
    else:
        await client.patch(kind, Key(namespace, name), {"spec": wish(kind.name, suspended=suspended)})
    until = time.monotonic() + timeout
    while is_suspended(kind, found) != suspended:
        if time.monotonic() >= until:
            await take_back(client, made)
            what = "suspended" if suspended else "resumed"
            raise Failure(f"{words(kind)}/{name} was not {what} within {timeout:g} s. Does a manager run there?")
        await asyncio.sleep(EVERY)
        found = await client.get(kind, name, namespace)
    return kind, found


def asks_for(obj: Mapping[str, Any]) -> bool:
    """Whether a training job is asked to be suspended."""
    where = dig_object(obj, "spec") if train_job.is_train_job(obj) else dig_object(obj, "spec", "runPolicy")
    return where.get("suspend") is True


def wish(kind: str, *, suspended: bool) -> dict[str, Any]:
    """What of a training job's spec asks for it."""
    asked = {"suspend": suspended}
    return asked if kind == train_job.KIND else {"runPolicy": asked}


def command(action: str, found: Mapping[str, Any]) -> dict[str, Any]:
    metadata = dig_object(found, "metadata")
    target = {"apiVersion": VOLCANO.api_version, "kind": VOLCANO.name, "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": COMMAND.api_version,
        "kind": COMMAND.name,
        "metadata": {"generateName": f"{metadata['name']}-{action.lower()}-", "namespace": metadata["namespace"]},
        "action": action,
        "target": {**target, "controller": True},
    }


async def find(client: "Client", told: str, namespace: str, *, suspendable: bool = True) -> tuple[Kind, dict[str, Any]]:
    """The job that `NAME`, `vcjob/NAME` or `tfjob/NAME` means."""
    which, _, name = told.rpartition("/")
    known = await kinds_of(client, suspendable=suspendable)
    kinds = [kind for kind in known if which.lower() in ("", "job", *words_for(kind))]
    if not kinds:
        others, can = ([], "suspended") if suspendable else (["podgroup", "pod", "job"], "explained")
        listed = ", ".join([*others, *(words(kind) for kind in known)])
        raise Failure(f"{which!r} is not a kind that can be {can}. Kinds that can: {listed}")
    found: list[tuple[Kind, dict[str, Any]]] = []
    for kind in kinds:
        try:
            found.append((kind, {"kind": kind.name, **await client.get(kind, name, namespace)}))
        except errors.NotFound:
            continue
    if not found:
        await _check_namespace(client, namespace)
        what = f"{which.lower()} {name!r}" if which else f"job {name!r}"
        raise Failure(f"there is no {what} in namespace {namespace}. See them: windlass jobs -A; kubectl get vcjobs -A")
    if len(found) > 1:
        choices = ", ".join(f"{words(kind)}/{name}" for kind, _ in found)
        raise Failure(f"there are several of that name: say which, {choices}")
    return found[0]


async def _check_namespace(client: "Client", name: str) -> None:
    try:
        await client.get(NAMESPACES, name)
    except errors.NotFound as error:
        raise Failure(f"there is no namespace {name}") from error
    except errors.Forbidden:
        return


async def kinds_of(client: "Client", *, suspendable: bool = True) -> list[Kind]:
    """Volcano's jobs and training jobs, and if they need not know to be suspended, ChainerJobs and Kubernetes' own."""
    training = [kind for kind in await job_kinds(client) if kind.name != "ChainerJob" or not suspendable]
    has_volcano = any(kind == VOLCANO for kind in await client.served())
    return [*([VOLCANO] if has_volcano else []), *training, *([] if suspendable else [BATCH])]
