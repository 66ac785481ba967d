"""Validation of objects in an old version, for errors that conversion to v1 would hide."""

from collections.abc import Iterator

from windlass.apps.training.conversion.tfjob_v1alpha1 import TYPES, type_of
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, not_supported, required, type_invalid
from windlass.kube.json import Json, Object, dig, dig_object, is_list, is_object

_LIST = "spec.replicaSpecs"
_CHIEF = "spec.terminationPolicy.chief"
_CLEAN = ("All", "Running", "None")


def legacy_problems(obj: Object) -> list[Cause]:
    """Return all invalid fields of a job in its own version, in addition to those that v1 validation finds.

    An object without errors can be converted to v1 without losing anything significant.
    """
    spec, version = dig_object(obj, "spec"), str(obj.get("apiVersion")).rpartition("/")[2]
    if obj.get("kind") != "TFJob" or version not in ("v1alpha1", "v1alpha2") or "replicaSpecs" not in spec:
        return []
    if "tfReplicaSpecs" in spec:
        return [forbidden(_LIST, "may not be given together with spec.tfReplicaSpecs")]
    replicas = spec["replicaSpecs"]
    if not is_list(replicas):
        return [type_invalid(_LIST, replicas, "must be a list")]
    if not replicas:
        return [required(_LIST, "must have at least one replica")]
    wrong = [type_invalid(f"{_LIST}[{i}]", each, "must be an object") for i, each in enumerate(replicas)
             if not is_object(each)]  # fmt: skip
    if wrong:
        return wrong
    ends_with_master = (
        version == "v1alpha1" or "terminationPolicy" in spec
    )  # only v1alpha1 requires a MASTER in every job
    return [
        *_types(replicas),
        *_numbers(replicas),
        *(_termination(spec, replicas) if ends_with_master else ()),
        *_clean(spec),
    ]


def _types(replicas: list[Json]) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, replica in enumerate(replicas):
        field, written, name = f"{_LIST}[{index}].tfReplicaType", dig(replica, "tfReplicaType"), type_of(replica)
        if name.lower() not in {known.lower() for known in TYPES}:
            yield not_supported(field, written, ("MASTER", "PS", "WORKER"))
        elif name.lower() in seen:
            yield duplicate(field, written or "MASTER")
        seen.add(name.lower())


def _numbers(replicas: list[Json]) -> Iterator[Cause]:
    for index, replica in enumerate(replicas):
        number, port = dig(replica, "replicas"), dig(replica, "tfPort")
        if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
            yield type_invalid(f"{_LIST}[{index}].replicas", number, "must be an integer")
        elif type_of(replica).lower() == "master" and number not in (None, 1):
            yield invalid(f"{_LIST}[{index}].replicas", number, "the MASTER must have 1 replica")
        if port is not None and (not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536):
            yield invalid(f"{_LIST}[{index}].tfPort", port, "must be between 1 and 65535, inclusive")


def _termination(spec: Object, replicas: list[Json]) -> Iterator[Cause]:
    """Check the termination policy: only the Master, or without one the first worker, can end a v1 job."""
    chief = dig_object(spec, "terminationPolicy", "chief")
    name, index = chief.get("replicaName") or "MASTER", chief.get("replicaIndex") or 0
    types = {type_of(replica).lower() for replica in replicas}
    if name not in ("MASTER", "WORKER", "CHIEF"):
        yield not_supported(f"{_CHIEF}.replicaName", name, ("MASTER", "WORKER"))
    elif name.lower() not in types:
        yield invalid(f"{_CHIEF}.replicaName", name, f"{_LIST} has no replica of this type")
    elif name == "WORKER" and types & {"master", "chief"}:
        yield forbidden(f"{_CHIEF}.replicaName", "a job with a MASTER ends with the MASTER, not with a WORKER")
    if index != 0:
        yield invalid(f"{_CHIEF}.replicaIndex", index, "must be 0")


def _clean(spec: Object) -> Iterator[Cause]:
    policy = spec.get("cleanupPodPolicy")
    if policy and policy not in _CLEAN:
        yield not_supported("spec.cleanupPodPolicy", policy, _CLEAN)
