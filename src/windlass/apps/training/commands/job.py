"""`windlass job`: suspend a job, so that its pods release their resources, resume it, and restart it."""

import json
from collections.abc import Mapping
from typing import Any

import click

from windlass.apps.training.jobs.control.restart import restart_job
from windlass.apps.training.jobs.control.suspend import set_suspended, state_of
from windlass.apps.training.jobs.state.lookup import display_name
from windlass.cli.common_options import OUTPUT, TIMEOUT
from windlass.cli.connection import namespace_of, with_client
from windlass.cli.settings import ClusterFlags, takes
from windlass.kube.json import dig
from windlass.kube.kind import Kind

NAMESPACE = click.option(
    "-n", "--namespace", metavar="NAME", help="Namespace of the job.  [default: that of the kubeconfig]"
)


@click.group()
def job() -> None:
    """Suspend, resume and restart a Volcano job or a training job."""


@job.command()
@click.argument("name")
@NAMESPACE
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def suspend(settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str) -> None:
    """Delete the pods of a job, and keep the job; NAME, vcjob/NAME or tfjob/NAME."""
    _change(settings, name, namespace, timeout, output, suspended=True)


@job.command()
@click.argument("name")
@NAMESPACE
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def resume(settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str) -> None:
    """Resume a suspended job."""
    _change(settings, name, namespace, timeout, output, suspended=False)


@job.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Restart a job that has not ended, too: its pods are killed.")
@NAMESPACE
@TIMEOUT
@OUTPUT
@takes(ClusterFlags)
def restart(settings: ClusterFlags, name: str, force: bool, namespace: str | None, timeout: float, output: str) -> None:
    """Delete a job and create it again, under the same name."""
    where = namespace_of(settings, namespace)
    kind, made = with_client(settings, lambda client: restart_job(client, name, where, timeout, force=force))
    if output == "json":
        _print_state(kind, made, where, output)
    else:
        click.echo(f"{display_name(kind)}/{dig(made, 'metadata', 'name')} was restarted.")


def _change(
    settings: ClusterFlags, name: str, namespace: str | None, timeout: float, output: str, *, suspended: bool
) -> None:
    where = namespace_of(settings, namespace)
    kind, found = with_client(settings, lambda client: set_suspended(client, name, where, timeout, suspended=suspended))
    _print_state(kind, found, where, output)


def _print_state(kind: Kind, found: Mapping[str, Any], where: str, output: str) -> None:
    state = state_of(kind, found)
    if output == "json":
        answer = {"namespace": where, "kind": kind.name, "name": dig(found, "metadata", "name"), "state": state}
        click.echo(json.dumps({**answer, "apiVersion": kind.api_version}, indent=2))
    else:
        click.echo(f"{display_name(kind)}/{dig(found, 'metadata', 'name')} is {state}.")
