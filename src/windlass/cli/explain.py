"""`windlass explain`: why a gang or a pod waits, who comes first, who would have to end, and when it would start."""

import json
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from windlass.cli.failure import Failure
from windlass.cli.job_client import namespace_of, with_client
from windlass.cli.settings import ClusterFlags, SchedulerFlags, takes
from windlass.kube import errors
from windlass.kube.json import dig

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.scheduler.batch.conf import Conf
    from windlass.scheduler.explain.answer import Explanation
    from windlass.scheduler.observed import Observed

KINDS = {"podgroup": "podgroup", "podgroups": "podgroup", "pg": "podgroup", "job": "job", "jobs": "job",
         "pod": "pod", "pods": "pod", "po": "pod"}  # fmt: skip
"""How one may call each kind."""
PATIENCE = 20.0  # seconds that the start of a job is looked for


@dataclass(frozen=True, kw_only=True)
class ExplainSettings(ClusterFlags, SchedulerFlags):
    """A server, and how its scheduler is set up where no ConfigMap says so."""


@click.command()
@click.argument("kind", metavar="podgroup|job|pod")
@click.argument("name", required=False, metavar="NAME")
@click.option("-n", "--namespace", metavar="NAME", help="Namespace to look in.  [default: that of the kubeconfig]")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@takes(ExplainSettings)
def explain(settings: ExplainSettings, kind: str, name: str | None, namespace: str | None, output: str) -> None:
    """Say why a gang or a pod waits, and when it would start.

    What is asked and free of each resource, what the nodes say, its place in the queue, who would have to end, and when
    it would start if others end as expected. A job may be called by its kind, as with kubectl: tfjob NAME, vcjob/NAME.
    """
    from windlass.cli.explain_screen import as_json, in_words

    wanted, which = asked_for(kind, name)
    where = namespace_of(settings, namespace)
    found = with_client(settings, lambda client: _look(client, settings, wanted, which, where))
    now = datetime.now(UTC)
    if output == "json":
        click.echo(json.dumps(as_json(found, now), indent=2))
    else:
        click.echo("\n".join(in_words(found, now)))


def asked_for(kind: str, name: str | None) -> tuple[str, str]:
    """podgroup, job or pod, and its name, which says the kind of a job where that was told."""
    if name is None or "/" in name:
        kind, _, name = (name or kind).partition("/")
    if not name or not kind:
        raise click.UsageError(
            "say what to explain: podgroup NAME, pod NAME, job NAME, or a job by its kind, such as tfjob NAME"
        )
    word, _, group = kind.lower().partition(".")
    known = KINDS.get(word, "job")
    return known, name if known != "job" or (word in KINDS and not group) else f"{kind}/{name}"


async def _look(client: "Client", settings: ExplainSettings, kind: str, name: str, namespace: str) -> "Explanation":
    from windlass.cli.explain_containers import waiting_notes
    from windlass.cli.job import find
    from windlass.cli.observing import observe
    from windlass.scheduler.explain.asking import Unknown

    owner: dict[str, Any] | None = None
    if kind == "job":
        _, owner = await find(client, name, namespace, suspendable=False)
        name = str(owner["metadata"]["name"])
    try:
        observed = await observe(client)
    except errors.Forbidden as error:
        raise Failure(f"{error}. To explain, the whole cluster is read; `kubectl describe` tells why, too") from error
    conf = conf_in_force(settings, observed)
    try:
        found = _explained(observed, conf, kind, name, namespace, owner)
    except Unknown as error:
        check_namespace(namespace, observed)
        raise Failure(str(error)) from error
    return replace(found, notes=(*found.notes, *waiting_notes(kind, name, namespace, owner, observed.pods)))


def check_namespace(name: str, observed: "Observed") -> None:
    if not any(dig(one, "metadata", "name") == name for one in observed.namespaces):
        raise Failure(f"there is no namespace {name}")


def conf_in_force(settings: ExplainSettings, observed: "Observed") -> "Conf":
    """What was told; else what the scheduler's ConfigMap says, if that can be used."""
    from windlass.cli.scheduler import conf_of
    from windlass.scheduler.batch.conf import BadConf
    from windlass.scheduler.batch.cycle import read_conf

    if settings.scheduler_conf is None and observed.conf is not None:
        try:
            return read_conf(observed.conf)
        except BadConf as error:
            click.echo(f"The scheduler's ConfigMap cannot be used: {error}", err=True)
    return conf_of(settings)


def _explained(
    observed: "Observed", conf: "Conf", kind: str, name: str, namespace: str, owner: dict[str, Any] | None
) -> "Explanation":
    from windlass.kube.meta import Key
    from windlass.scheduler.explain.asking import Asker

    until = time.monotonic() + PATIENCE
    asker = Asker(observed, conf, time.time(), give_up=lambda: time.monotonic() > until)
    return asker.explain(kind, Key(namespace, name), owner)
