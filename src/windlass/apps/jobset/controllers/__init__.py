"""JobSet -> Jobs that start, fail and end together, a headless service by which their pods find each other, claims."""

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Service
from windlass.apps.jobset.controllers.child_events import event_for
from windlass.apps.jobset.controllers.reconcile import CLAIMS, reconcile
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.jobset.names import JOBSET_NAME
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController, Controller, Key
from windlass.kube.refusals import REPLICA_FAILURE


def set_of_job(job: Job) -> Key | None:
    """By its name: Jobs of a set that was deleted are in the way of another of that name until they have gone."""
    return _key(job.metadata.namespace, job.metadata.labels)


def set_of_service(service: Service) -> Key | None:
    return _key(service.metadata.namespace, service.spec.selector)


def _key(namespace: str, labels: dict[str, str]) -> Key | None:
    name = labels.get(JOBSET_NAME)
    return Key(namespace, name) if name else None


CONTROLLER = Controller(
    "jobset",
    JobSet,
    reconcile,
    owns=[Job, Service, CLAIMS],
    watches=[(Job, set_of_job), (Service, set_of_service)],
    event_for=event_for,
    refusal_condition=REPLICA_FAILURE,
    workers=5,
)


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return (CONTROLLER,)
