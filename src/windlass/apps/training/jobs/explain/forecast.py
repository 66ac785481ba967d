"""When and where a described job would start on a running cluster."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.apps.trainer.simulated_pods import with_pods
from windlass.apps.training.jobs.explain.observe import observe
from windlass.apps.training.jobs.explain.owners import named_by_owner, owners_of
from windlass.kube.json import Object
from windlass.scheduler.cycle.gang_cycle import Decider, read_conf
from windlass.scheduler.explain.answer import WAITING, Explanation
from windlass.scheduler.explain.jobs import Asked, explain_job
from windlass.scheduler.extender_http import connect_blocking
from windlass.scheduler.framework import conf
from windlass.scheduler.framework.conf import BadConf, Conf
from windlass.scheduler.model.observed import Observed, system_of
from windlass.scheduler.simulate.baselines import present
from windlass.scheduler.simulate.forecast import Forecast, forecast, learn, world_of
from windlass.scheduler.simulate.job_manifest import read_added

if TYPE_CHECKING:
    from windlass.kube.client import Client


async def observe_with(client: "Client", documents: Sequence[Object], namespace: str) -> tuple[Observed, list[Object]]:
    """The objects of the cluster, and the documents of the job with TrainJobs and JobSets expanded to pods."""
    return await observe(client), await with_pods(client, documents, namespace)


def forecast_start(
    observed: Observed, documents: list[Object], namespace: str, own: Conf | None, now: float
) -> Forecast:
    """The start of the described job, by `own` configuration or the default one. Raises BadDescription."""
    added = read_added(documents, namespace, observed.priorities, now)
    return forecast(observed, added, own or present(conf.windlass()), now)


def explain_added(
    observed: Observed, documents: list[Object], namespace: str, in_force: Conf, now: float, timeout: float
) -> tuple[Explanation, int]:
    """The explanation of a described job that is not there yet, as if it were, and its number of pods.

    Simulates for at most `timeout` seconds. Raises BadDescription.
    """
    added = read_added(documents, namespace, observed.priorities, now)
    world = world_of(observed, system_of(observed), now)
    if added.job.queue not in world.cluster.queues:
        why = f"there is no queue {added.job.queue}"
        return Explanation("job", added.job.namespace, added.job.name, WAITING, why), len(added.tasks)
    world.cluster.put_job(added.job)
    for task in added.tasks:
        world.tasks[task.uid] = task
        world.cluster.put_task(added.job, task)
    decider = Decider(world.cluster, in_force, connect=connect_blocking)
    decider.recall_reservations(now)
    learn(decider.estimates, observed, world)
    until = time.monotonic() + timeout
    job = added.job
    asked = Asked("job", job.namespace, job.name, job, world, decider, now, give_up=lambda: time.monotonic() > until)
    return named_by_owner(explain_job(asked), owners_of(observed.groups)), len(added.tasks)


def conf_in_force(observed: Observed) -> Conf:
    """The configuration in the scheduler's ConfigMap if it is valid, else the default one."""
    if observed.conf is not None:
        try:
            return read_conf(observed.conf)
        except BadConf:
            return conf.windlass()
    return conf.windlass()
