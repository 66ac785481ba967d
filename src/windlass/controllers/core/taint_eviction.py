"""Pod -> gone from a node whose NoExecute taints it does not tolerate, or tolerates for no longer.

How long is counted from the taint's `timeAdded`, which is put on taints that came without it: so a restart forgets
nothing.
"""

from datetime import timedelta

import msgspec

from windlass.apis.core_v1 import Node, Pod, PodCondition, Taint, Toleration
from windlass.controllers.core.node_health import node_name
from windlass.kube.conditions import find, with_condition
from windlass.kube.controller import Controller, Naming, Observed
from windlass.kube.json import timestamp
from windlass.kube.meta import parse_time
from windlass.kube.moments import moment_after
from windlass.kube.plan import Delete, Event, Patch, Plan

NO_EXECUTE = "NoExecute"
TARGET = PodCondition(
    type="DisruptionTarget",
    status="True",
    reason="DeletionByTaintManager",
    message="Taint manager: deleting due to NoExecute taint",
)


def reconcile(pod: Pod, observed: Observed) -> Plan:
    node = observed.one(Node, pod.spec.node_name) if pod.spec.node_name else None
    if node is None or pod.metadata.deletion_timestamp is not None:
        return Plan()
    left = time_left(pod, [taint for taint in node.spec.taints if taint.effect == NO_EXECUTE], observed)
    if left is None or left > timedelta():
        return Plan(again_in=left)
    told = find(pod.status.conditions, TARGET.type)
    if told is None or told.reason != TARGET.reason:  # it says why first; that change brings it back
        conditions = with_condition(pod.status.conditions, TARGET, observed.now)
        return Plan(status=msgspec.structs.replace(pod.status, conditions=conditions))
    message = f"Marking for deletion Pod {pod.metadata.key}"
    return Plan([Delete(pod)], events=[Event(reason="TaintManagerEviction", message=message)])


def time_left(pod: Pod, taints: list[Taint], observed: Observed) -> timedelta | None:
    """Until it must go: the shortest of what its tolerations give; None when it may stay."""
    ends: list[timedelta] = []
    for taint in taints:
        bearing = [one for one in pod.spec.tolerations if tolerates(one, taint)]
        if not bearing:
            return timedelta()
        seconds = [one.toleration_seconds for one in bearing if one.toleration_seconds is not None]
        if seconds:
            since = parse_time(taint.time_added) if taint.time_added else observed.now
            ends.append(moment_after(since, max(min(seconds), 0)) - observed.now)
    return min(ends, default=None)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect):
        return False
    exists = toleration.operator == "Exists"
    if toleration.key != taint.key:
        return not toleration.key and exists
    return exists or toleration.value == taint.value


def date_taints(node: Node, observed: Observed) -> Plan:
    if all(taint.time_added for taint in node.spec.taints if taint.effect == NO_EXECUTE):
        return Plan()
    dated = [
        msgspec.structs.replace(taint, time_added=timestamp(observed.now))
        if taint.effect == NO_EXECUTE and not taint.time_added
        else taint
        for taint in node.spec.taints
    ]
    return Plan([Patch(node, {"spec": {"taints": msgspec.to_builtins(dated)}})])


def evicts(node: Node) -> bool:
    return any(taint.effect == NO_EXECUTE for taint in node.spec.taints)


NODES = Naming(node_name, when=evicts)
CONTROLLER = Controller("taint-eviction-controller", Pod, reconcile, watches=[(Node, NODES)], workers=2)
DATES = Controller("taint-dates", Node, date_taints)
