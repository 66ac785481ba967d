"""Explains why a gang, a job or a pod waits, from all that the server has."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.explain.observe import observe
from windlass.apps.training.jobs.explain.owners import named_by_owner, owners_of
from windlass.apps.training.jobs.explain.waiting_pods import waiting_notes
from windlass.apps.training.jobs.state.lookup import find_any_job
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.meta import Key
from windlass.scheduler.explain.answer import Explanation
from windlass.scheduler.explain.lookup import Explainer, Unknown
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.model.observed import Observed

if TYPE_CHECKING:
    from windlass.kube.client import Client

FORECAST_TIMEOUT_SECONDS = 20.0  # how long to simulate until the job starts


async def explain_waiting(
    client: "Client", kind: str, name: str, namespace: str, conf_for: Callable[[Observed], Conf]
) -> Explanation:
    """The explanation of the podgroup, job or pod of that name; `conf_for` gives the scheduler's configuration."""
    owner: dict[str, Any] | None = None
    if kind == "job":
        _, owner = await find_any_job(client, name, namespace, suspendable=False)
        name = str(owner["metadata"]["name"])
    try:
        observed = await observe(client)
    except errors.Forbidden as error:
        raise JobsError(
            f"{error}. This command reads the whole cluster; `kubectl describe` may show the reason, too"
        ) from error
    try:
        return explain_observed(observed, conf_for(observed), kind, Key(namespace, name), owner)
    except Unknown as error:
        check_namespace(namespace, observed)
        raise JobsError(str(error)) from error


def check_namespace(name: str, observed: Observed) -> None:
    if not any(dig(one, "metadata", "name") == name for one in observed.namespaces):
        raise JobsError(f"namespace {name} not found")


def explain_observed(
    observed: Observed,
    conf: Conf,
    kind: str,
    key: Key,
    owner: dict[str, Any] | None,
    timeout: float = FORECAST_TIMEOUT_SECONDS,
) -> Explanation:
    """The explanation from objects that were read already; simulates for at most `timeout` seconds. Raises Unknown."""
    until = time.monotonic() + timeout
    asker = Explainer(observed, conf, time.time(), give_up=lambda: time.monotonic() > until)
    found = named_by_owner(asker.explain(kind, key, owner), owners_of(observed.groups))
    return replace(found, notes=(*found.notes, *waiting_notes(kind, key.name, key.namespace, owner, observed.pods)))
