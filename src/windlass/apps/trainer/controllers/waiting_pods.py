"""Which pod of a TrainJob cannot start, and why: a condition for as long as that is so, and an event when it begins."""

from collections.abc import Sequence

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apis.reason_text import pod_wait_message
from windlass.apps.jobset.names import JOBSET_NAME
from windlass.apps.trainer.kinds import TrainJob, TrainJobStatus
from windlass.controllers.waiting_containers import waiting_container
from windlass.kube.conditions import find, with_condition, without_condition
from windlass.kube.controller import Observed
from windlass.kube.meta import Condition, Key
from windlass.kube.plan import Event

PODS_STARTED = "PodsStarted"


def job_of(pod: Pod) -> Key | None:
    """The TrainJob that a pod may be of: its JobSet is called as the job."""
    name = pod.metadata.labels.get(JOBSET_NAME)
    return Key(pod.metadata.namespace, name) if name else None


def explained(job: TrainJob, status: TrainJobStatus, observed: Observed) -> tuple[TrainJobStatus, list[Event]]:
    """The status of a job that has not ended, with PodsStarted=False while a pod waits for more than its turn."""
    waiting = _waiting(observed.labelled(Pod, {JOBSET_NAME: job.metadata.name}))
    if waiting is None:
        return without(status), []
    known = find(status.conditions, PODS_STARTED)
    conditions = with_condition(status.conditions, waiting, observed.now)
    is_new = known is None or known.message != waiting.message
    notes = [Event(reason=waiting.reason, message=waiting.message, warning=True)] if is_new else []
    return msgspec.structs.replace(status, conditions=conditions), notes


def without(status: TrainJobStatus) -> TrainJobStatus:
    """The same of a job that has ended, or whose pods have started."""
    if find(status.conditions, PODS_STARTED) is None:
        return status
    return msgspec.structs.replace(status, conditions=without_condition(status.conditions, PODS_STARTED))


def _waiting(pods: Sequence[Pod]) -> Condition | None:
    for pod in pods:
        pending = pod.status.phase in ("", "Pending") and pod.metadata.deletion_timestamp is None
        if pending and (wait := waiting_container(pod)) is not None:
            message = pod_wait_message(wait)
            return Condition(type=PODS_STARTED, status="False", reason=wait.reason, message=message)
    return None
