"""JobSet -> Jobs that start, fail and end together, a headless service by which their pods find each other, claims."""

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Service
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.controllers.jobset.reconcile import CLAIMS, reconcile
from windlass.controllers.jobset.telling import tell
from windlass.kube.controller import AnyController, Controller

NAME = "jobset"
"""What `--enable-scheme` calls it."""

CONTROLLER = Controller(NAME, JobSet, reconcile, owns=[Job, Service, CLAIMS], tell=tell, workers=5)


def controllers() -> tuple[AnyController, ...]:
    return (CONTROLLER,)
