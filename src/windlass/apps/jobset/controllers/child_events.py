"""The events about what could not be made, in upstream's words."""

from collections.abc import Mapping

from windlass.apps.jobset.kinds import JobSet
from windlass.kube.objects import key_of, wire
from windlass.kube.plan import Event, Outcome

_REASONS: Mapping[str, str] = {
    "Job": "JobCreationFailed",
    "Service": "HeadlessServiceCreationFailed",
    "PersistentVolumeClaim": "PVCCreationFailed",
}


def event_for(_: JobSet, outcome: Outcome) -> Event | None:
    if outcome.verb != "create" or outcome.error is None:
        return None
    kind, why = str(wire(outcome.obj)["kind"]), outcome.error.message
    if kind == "Job":
        why = f'job "{key_of(outcome.obj).name}" creation failed with error: {why}'
    return Event(reason=_REASONS[kind], message=why, warning=True)
