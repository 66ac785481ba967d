"""The status of TFJob v1alpha1: a phase, a state and the number of pods in each state, by role.

The status also has the fields of v1, so that writing the object back loses nothing and scripts may read either. The v1
map of replicas has the name of v1alpha2, since v1alpha1 has a list under the v1 name.
"""

from windlass.apps.training.conversion.round_trip import without
from windlass.kube.json import Json, Object, dig, dig_list, dig_object

_TYPES = {"Master": "MASTER", "Worker": "WORKER"}
_STATES = {"active": "Running", "succeeded": "Succeeded", "failed": "Failed"}
_COMPUTED = ("phase", "reason", "state", "replicaStatuses")


def lowered_status(status: Object) -> Object:
    if not status:
        return status
    true = {str(dig(each, "type")): each for each in dig_list(status, "conditions") if dig(each, "status") == "True"}
    phase, state = _phase_and_state(set(true))
    failed = dig(true.get("Failed"), "message") or ""
    replicas = dig_object(status, "replicaStatuses")
    shown: Object = {"phase": phase, "reason": failed, "state": state}
    shown["replicaStatuses"] = [_replica_status(name, counts) for name, counts in replicas.items()]
    if "replicaStatuses" in status:
        shown["tfReplicaStatuses"] = status["replicaStatuses"]
    return without(status, *_COMPUTED) | shown


def raised_status(status: Object) -> Object:
    raised = without(status, *_COMPUTED, "tfReplicaStatuses")
    if "tfReplicaStatuses" in status:
        raised["replicaStatuses"] = status["tfReplicaStatuses"]
    return raised


def _phase_and_state(conditions: set[str]) -> tuple[str, str]:
    """The phase and state of a job. In v1alpha1 the phase of a failed job was Done too; its state was Failed."""
    for finished in ("Succeeded", "Failed"):
        if finished in conditions:
            return "Done", finished
    if conditions & {"Running", "Restarting"}:
        return "Running", "Running"
    return ("Creating", "Running") if "Created" in conditions else ("", "Unknown")


def _replica_status(name: str, counts: Json) -> Object:
    numbers = {shown: dig(counts, name) for name, shown in _STATES.items() if dig(counts, name)}
    state = next((state for state in ("Failed", "Running", "Succeeded") if state in numbers), "Unknown")
    return {"tf_replica_type": _TYPES.get(name, name.upper()), "state": state, "ReplicasStates": numbers}
