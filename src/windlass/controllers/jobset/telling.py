"""The events about what could not be made, in upstream's words."""

from collections.abc import Mapping

from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.kube.objects import key_of, wire
from windlass.kube.plan import Deed, Note

_REASONS: Mapping[str, str] = {
    "Job": "JobCreationFailed",
    "Service": "HeadlessServiceCreationFailed",
    "PersistentVolumeClaim": "PVCCreationFailed",
}


def tell(_: JobSet, deed: Deed) -> Note | None:
    if deed.verb != "create" or deed.error is None:
        return None
    kind, why = str(wire(deed.obj)["kind"]), deed.error.message
    if kind == "Job":
        why = f'job "{key_of(deed.obj).name}" creation failed with error: {why}'
    return Note(reason=_REASONS[kind], message=why, warning=True)
