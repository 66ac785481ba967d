"""`windlass explain`: why a gang or a pod waits, who comes first, who would have to end, and when it would start."""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from windlass.cli.failure import Failure
from windlass.cli.job_client import namespace_of, with_client
from windlass.cli.settings import ClusterFlags, SchedulerFlags, takes

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
@click.argument("name")
@click.option("-n", "--namespace", metavar="NAME", help="Namespace to look in.  [default: that of the kubeconfig]")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="Form of the answer.")
@takes(ExplainSettings)
def explain(settings: ExplainSettings, kind: str, name: str, namespace: str | None, output: str) -> None:
    """Say why a gang or a pod waits, and when it would start.

    What is asked and free of each resource, what the nodes say, its place in the queue, who would have to end, and when
    it would start if others end as expected. NAME of a job may say its kind, as vcjob/NAME or tfjob/NAME.
    """
    from windlass.cli.explain_screen import as_json, in_words

    wanted = KINDS.get(kind.lower())
    if wanted is None:
        raise Failure(f"{kind!r} cannot be explained: write podgroup, job or pod")
    where = namespace_of(settings, namespace)
    found = with_client(settings, lambda client: _look(client, settings, wanted, name, where))
    now = datetime.now(UTC)
    if output == "json":
        click.echo(json.dumps(as_json(found, now), indent=2))
    else:
        click.echo("\n".join(in_words(found, now)))


async def _look(client: "Client", settings: ExplainSettings, kind: str, name: str, namespace: str) -> "Explanation":
    from windlass.cli.job import find
    from windlass.cli.observing import observe

    owner: dict[str, Any] | None = None
    if kind == "job":
        _, owner = await find(client, name, namespace, suspendable=False)
        name = str(owner["metadata"]["name"])
    observed = await observe(client)
    conf = conf_in_force(settings, observed)
    return _explained(observed, conf, kind, name, namespace, owner)


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
    from windlass.scheduler.explain.asking import Asker, Unknown

    until = time.monotonic() + PATIENCE
    asker = Asker(observed, conf, time.time(), give_up=lambda: time.monotonic() > until)
    try:
        return asker.explain(kind, Key(namespace, name), owner)
    except Unknown as error:
        raise Failure(str(error)) from error
