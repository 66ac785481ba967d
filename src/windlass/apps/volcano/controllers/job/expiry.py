"""A job that is over is deleted when its time to live has passed, its pods before it."""

from datetime import timedelta

from windlass.apps.volcano.controllers.job.phases import FINISHED
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.controller import Acting, Api, Observed
from windlass.kube.errors import Conflict, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after


def left(job: Job, observed: Observed) -> timedelta | None:
    """How long it may still be there; None for ever."""
    ttl, state = job.spec.ttl_seconds_after_finished, job.status.state
    if ttl is None or state.phase not in FINISHED or state.last_transition_time is None:
        return None
    return moment_after(parse_time(state.last_transition_time), ttl) - observed.now


async def expire(job: Job, observed: Observed, api: Api) -> timedelta | None:
    rest = left(job, observed)
    if rest is None or rest > timedelta() or job.metadata.deletion_timestamp is not None:
        return rest if rest is not None and rest > timedelta() else None
    try:
        await api.delete(
            KINDS.of(Job),
            job.metadata.key,
            propagation="Foreground",
            uid=job.metadata.uid,
            resource_version=job.metadata.resource_version,
        )
    except (NotFound, Conflict):  # gone, or changed: it is looked at again
        return None
    return None


CONTROLLER = Acting("volcano-job-expiry", Job, expire, component=COMPONENT)
