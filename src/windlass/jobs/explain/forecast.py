"""When and where a described job would start on a running cluster."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.jobs.explain.observe import observe
from windlass.jobs.explain.train_job_pods import with_pods
from windlass.kube.json import Object
from windlass.scheduler.framework import conf
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.simulate.baselines import present
from windlass.scheduler.simulate.forecast import Forecast, forecast
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
