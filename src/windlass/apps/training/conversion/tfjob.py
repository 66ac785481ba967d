"""TFJob v1alpha2, v1beta1 and v1beta2: the format of v1, with fields of the run policy beside the replicas.

The clean pod policy defaulted to Running in these versions; in v1 it defaults to None.
"""

from functools import partial

from windlass.apps.training.conversion import tfjob_v1alpha1 as first
from windlass.apps.training.conversion.round_trip import without
from windlass.apps.training.conversion.versions import Version
from windlass.apps.training.frameworks.tensorflow import TFJobSpec
from windlass.apps.training.kinds.common import ReplicaSpec
from windlass.kube.json import Object, dig_object, is_list, is_object

FIELDS = frozenset(TFJobSpec.__struct_encode_fields__)
REPLICA_FIELDS = frozenset(ReplicaSpec.__struct_encode_fields__)
CLEAN = "cleanPodPolicy"
_ALPHA2 = (CLEAN, "ttlSecondsAfterFinished")
_BETA2 = (*_ALPHA2, "activeDeadlineSeconds", "backoffLimit")


def _raised(hoisted: tuple[str, ...], spec: Object) -> Object:
    policy = {name: spec[name] for name in hoisted if spec.get(name) is not None} | dig_object(spec, "runPolicy")
    policy[CLEAN] = policy.get(CLEAN) or "Running"
    known = {key: value for key, value in spec.items() if key in FIELDS and key not in hoisted}
    replicas = dig_object(spec, "tfReplicaSpecs")
    if replicas:
        known["tfReplicaSpecs"] = {name: _replica(replica) for name, replica in replicas.items()}
    return {**known, "runPolicy": policy}


def _replica(replica: object) -> object:
    return {k: v for k, v in replica.items() if k in REPLICA_FIELDS} if is_object(replica) else replica


def _lowered(hoisted: tuple[str, ...], spec: Object) -> Object:
    policy = {**dig_object(spec, "runPolicy")}
    shown: Object = {}
    for name in hoisted:
        value = policy.pop(name, None)
        shown[name] = spec.get(name) if value is None else value
    shown[CLEAN] = shown[CLEAN] or "None"
    if shown[CLEAN] == "Running":
        del shown[CLEAN]
    if policy:
        shown["runPolicy"] = policy
    return without(spec, "runPolicy", *hoisted) | {name: value for name, value in shown.items() if value is not None}


def _raised_status(status: Object) -> Object:
    if "tfReplicaStatuses" not in status:
        return status
    return without(status, "tfReplicaStatuses") | {"replicaStatuses": status["tfReplicaStatuses"]}


def _lowered_status(status: Object) -> Object:
    if "replicaStatuses" not in status:
        return status
    return without(status, "replicaStatuses") | {"tfReplicaStatuses": status["replicaStatuses"]}


def _shape(spec: Object) -> str:
    """The format of a spec: existing manifests declare v1alpha2 and have v1alpha1's list of replicas."""
    return first.VERSION.name if is_list(spec.get("replicaSpecs")) and not spec.get("tfReplicaSpecs") else ""


V1ALPHA2 = Version(
    name="v1alpha2",
    raised=partial(_raised, _ALPHA2),
    lowered=partial(_lowered, _ALPHA2),
    raised_status=_raised_status,
    lowered_status=_lowered_status,
    shape_of=_shape,
)
V1BETA1 = Version(name="v1beta1", raised=partial(_raised, _ALPHA2), lowered=partial(_lowered, _ALPHA2))
V1BETA2 = Version(name="v1beta2", raised=partial(_raised, _BETA2), lowered=partial(_lowered, _BETA2))
VERSIONS = (first.VERSION, V1ALPHA2, V1BETA1, V1BETA2)
