"""`windlass explain`: why a gang or a pod waits, what is ahead of it, and when it would start."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import click

from windlass.cli.common_options import OUTPUT
from windlass.cli.connection import namespace_of, with_client
from windlass.cli.settings import ClusterFlags, SchedulerFlags, takes

if TYPE_CHECKING:
    from windlass.scheduler.framework.conf import Conf
    from windlass.scheduler.model.observed import Observed

KINDS = {"podgroup": "podgroup", "podgroups": "podgroup", "pg": "podgroup", "job": "job", "jobs": "job",
         "pod": "pod", "pods": "pod", "po": "pod"}  # fmt: skip
"""The accepted names of each kind."""


@dataclass(frozen=True, kw_only=True)
class ExplainSettings(ClusterFlags, SchedulerFlags):
    """A server, and the configuration of its scheduler if no ConfigMap has one."""


@click.command()
@click.argument("kind", metavar="podgroup|job|pod")
@click.argument("name", required=False, metavar="NAME")
@click.option("-n", "--namespace", metavar="NAME", help="Namespace to search.  [default: that of the kubeconfig]")
@OUTPUT
@takes(ExplainSettings)
def explain(settings: ExplainSettings, kind: str, name: str | None, namespace: str | None, output: str) -> None:
    """Explain why a gang or a pod waits, and when it would start.

    Shows the requested and free amount of each resource, the nodes' reasons, its place in the queue, which pods would
    have to be preempted, and when it would start if others finish as expected. A job may be named by its kind, as with
    kubectl: tfjob NAME, vcjob/NAME.
    """
    from windlass.apps.training.commands.explain_screen import as_json, in_words
    from windlass.apps.training.jobs.explain.explain import explain_waiting

    wanted, which = asked_for(kind, name)
    where = namespace_of(settings, namespace)
    conf_for = partial(conf_in_force, settings)
    found = with_client(settings, lambda client: explain_waiting(client, wanted, which, where, conf_for))
    now = datetime.now(UTC)
    if output == "json":
        click.echo(json.dumps(as_json(found, now), indent=2))
    else:
        click.echo("\n".join(in_words(found, now)))


def asked_for(kind: str, name: str | None) -> tuple[str, str]:
    """podgroup, job or pod, and its name, which includes the kind of a job if that was given."""
    if name is None or "/" in name:
        kind, _, name = (name or kind).partition("/")
    if not name or not kind:
        raise click.UsageError(
            "say what to explain: podgroup NAME, pod NAME, job NAME, or a job by its kind, such as tfjob NAME"
        )
    word, _, group = kind.lower().partition(".")
    known = KINDS.get(word, "job")
    return known, name if known != "job" or (word in KINDS and not group) else f"{kind}/{name}"


def conf_in_force(settings: ExplainSettings, observed: "Observed") -> "Conf":
    """The given configuration, else that of the scheduler's ConfigMap if it is valid."""
    from windlass.cli.components.scheduler import conf_of
    from windlass.scheduler.cycle.gang_cycle import read_conf
    from windlass.scheduler.framework.conf import BadConf

    if settings.scheduler_conf is None and observed.conf is not None:
        try:
            return read_conf(observed.conf)
        except BadConf as error:
            click.echo(f"The scheduler's ConfigMap cannot be used: {error}", err=True)
    return conf_of(settings)
