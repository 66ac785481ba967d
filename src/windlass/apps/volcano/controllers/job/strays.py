"""Commands for jobs that are not there: nobody follows them, so they go after a while."""

from datetime import timedelta

from windlass.apps.volcano.controllers.job.commands import job_of
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.controller import Controller, Observed
from windlass.kube.meta import parse_time
from windlass.kube.plan import Delete, Plan

GRACE_PERIOD = timedelta(minutes=1)
"""Long enough for a job that was made just before its Command to be seen."""


def reconcile(command: Command, observed: Observed) -> Plan:
    target, made = job_of(command), command.metadata.creation_timestamp
    if target is None or made is None or command.metadata.deletion_timestamp is not None:
        return Plan()
    left = parse_time(made) + GRACE_PERIOD - observed.now
    if left > timedelta():
        return Plan(again_in=left)
    return Plan([Delete(command)]) if observed.one(Job, target.name) is None else Plan()


CONTROLLER = Controller(
    "volcano-job-stray-commands", Command, reconcile, watches=[(Job, lambda changed: ())], component=COMPONENT
)
