"""MPIJob v2beta1, which connects to workers by SSH instead of exec as in v1.

The version at which a job was created decides how it runs; an annotation records it. In storage (v1) only jobs created
at v2beta1 have the annotation. At v2beta1 all jobs have it, so that writing back what was read changes nothing.
"""

from windlass.apps.training.conversion.round_trip import without
from windlass.apps.training.conversion.versions import Version
from windlass.apps.training.frameworks.mpi import MPIJobSpec
from windlass.apps.training.kinds import mpi_v2beta1 as second
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS
from windlass.kube.json import Object, dig_object

_FIELDS = frozenset(MPIJobSpec.__struct_encode_fields__)
_SHARED = _FIELDS.intersection(second.MPIJobSpec.__struct_encode_fields__)
_HOISTED = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")


def _raised(spec: Object) -> Object:
    return {name: value for name, value in spec.items() if name in _FIELDS}


def _lowered(spec: Object) -> Object:
    older = {name: spec[name] for name in _HOISTED if spec.get(name) is not None}
    shown = {name: value for name, value in spec.items() if name in _SHARED}
    return {**shown, "runPolicy": {**older, **dig_object(spec, "runPolicy")}} if older else shown


def _annotated(annotations: Object, storing: bool) -> Object:
    said = annotations.get(CREATED_AS) or (second.VERSION if storing else "v1")
    return without(annotations, CREATED_AS) if storing and said == "v1" else {**annotations, CREATED_AS: said}


VERSIONS = (Version(name=second.VERSION, raised=_raised, lowered=_lowered, annotated=_annotated),)
