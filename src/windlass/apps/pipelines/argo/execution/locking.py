"""Locks of a Workflow or of a template (`synchronization`): asked for before a node starts, kept until it is over."""

from datetime import timedelta

from windlass.apps.pipelines.argo.config_maps import BadConfigMap, missing
from windlass.apps.pipelines.argo.execution.turn import Turn
from windlass.apps.pipelines.argo.locks import Lock
from windlass.apps.pipelines.argo.nodes import is_final
from windlass.kube.json import Object, dig, dig_list, dig_object

RECHECK_INTERVAL = timedelta(seconds=10)
"""How often a waiting Workflow is advanced: the limit of a semaphore may have changed."""


def has_locks(turn: Turn, node_id: str, synchronization: Object) -> bool:
    """Whether a node holds its locks, whose tags were replaced; asks for them if not. Raises BadConfigMap and Awaited.

    `node_id` is empty for the locks of the whole Workflow.
    """
    wanted = locks_of(turn, synchronization)
    if not wanted:
        return True
    if all(node_id in turn.held.get(lock.name, ()) for lock in wanted):
        return True
    turn.lock_requests[node_id] = tuple(wanted)
    if not turn.observation.locks.get(node_id):
        turn.wake(turn.now + RECHECK_INTERVAL)
        return False
    for lock in wanted:
        turn.held.setdefault(lock.name, set()).add(node_id)
    return True


def locks_of(turn: Turn, synchronization: Object) -> list[Lock]:
    mutexes = [dig_object(synchronization, "mutex"), *dig_list(synchronization, "mutexes")]
    locks = [Lock(f"{turn.namespace}/Mutex/{mutex['name']}") for mutex in mutexes if dig(mutex, "name")]
    for semaphore in (dig_object(synchronization, "semaphore"), *dig_list(synchronization, "semaphores")):
        reference = dig_object(semaphore, "configMapKeyRef")
        if reference:
            name = f"{turn.namespace}/ConfigMap/{reference.get('name')}/{reference.get('key')}"
            locks.append(Lock(name, _limit(turn, reference)))
    return list(dict.fromkeys(locks))


def _limit(turn: Turn, reference: Object) -> int:
    value = turn.config_maps.value(reference, is_parameter=False)
    if value is None:
        raise missing(reference)
    try:
        return int(value)
    except ValueError:
        raise BadConfigMap(
            f"the ConfigMap {reference.get('name')}: {reference.get('key')} is {value!r}, and not a number"
        ) from None


def still_held(turn: Turn) -> dict[str, set[str]]:
    """Locks at the end of a turn of a Workflow that is not over: those of its nodes that are not over."""

    def is_kept(node_id: str) -> bool:
        node = turn.nodes.get(node_id)
        return not node_id or (node is not None and not is_final(node))

    kept = {name: {node_id for node_id in nodes if is_kept(node_id)} for name, nodes in turn.held.items()}
    return {name: nodes for name, nodes in kept.items() if nodes}


def still_waiting(turn: Turn) -> dict[str, set[str]]:
    """Nodes that wait, by the locks that they wait for."""
    waiting: dict[str, set[str]] = {}
    for node_id, locks in turn.lock_requests.items():
        for lock in locks:
            if node_id not in turn.held.get(lock.name, ()):
                waiting.setdefault(lock.name, set()).add(node_id)
    return waiting
