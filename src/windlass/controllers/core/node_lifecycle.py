"""Node -> conditions Unknown when its agent has been silent for forty seconds; and its pods not ready.

An agent shows life by its Lease in `kube-node-lease` and by the heartbeat of its status. The taints that follow are
put on by `node_taints`; the pods leave by them. The agent itself says Ready when it is back.
"""

from datetime import timedelta

import msgspec

from windlass.apis.coordination_v1 import Lease
from windlass.apis.core_v1 import Node, Pod
from windlass.controllers.core.node_health import (
    CHECK_INTERVAL,
    GRACE,
    READY,
    Health,
    has_agent,
    lost_conditions,
    lost_readiness,
    node_name,
    observe,
    sign_of,
)
from windlass.kube.api import Api
from windlass.kube.conditions import find, is_true, with_condition
from windlass.kube.controller import Acted, Acting, Controller, Naming, Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.plan import Event, Plan

NODE = KINDS.of(Node)
LEASES = "kube-node-lease"


class NodeLifecycle:
    """Remembers each node's last sign of life, by name, for as long as the process runs."""

    def __init__(self, grace: timedelta = GRACE) -> None:
        self._grace = grace
        self._healths: dict[str, Health] = {}

    async def act(self, node: Node, observed: Observed, api: Api) -> Acted | timedelta | None:
        name, lease = node.metadata.name, observed.one(Lease, node.metadata.name, LEASES)
        before = self._healths.get(name)
        if not has_agent(node, lease) and (before is None or before.sign[0] != node.metadata.uid):
            return None
        health = self._healths[name] = observe(before, sign_of(node, lease), observed.now)
        if health.silent < self._grace:
            return min(CHECK_INTERVAL, self._grace - health.silent)
        conditions = lost_conditions(node, observed.now)
        if conditions == list(node.status.conditions):
            return CHECK_INTERVAL
        told = [{**msgspec.to_builtins(each), "status": each.status} for each in conditions]  # also where it is unknown
        await api.set_status(
            NODE, node.metadata.key, {"conditions": told}, resource_version=node.metadata.resource_version
        )
        message = f"Node {name} status is now: NodeNotReady"
        was_ready = is_true(node.status.conditions, READY)
        return Acted(
            again_in=CHECK_INTERVAL, events=[Event(reason="NodeNotReady", message=message)] if was_ready else []
        )


def node_of(lease: Lease) -> Key | None:
    return Key("", lease.metadata.name) if lease.metadata.namespace == LEASES else None


def mark_unready(pod: Pod, observed: Observed) -> Plan:
    """A pod whose node went not ready while the pod was ready, is not. What says ready later knows better."""
    node = observed.one(Node, pod.spec.node_name) if pod.spec.node_name else None
    lost = lost_readiness(node) if node is not None else None
    ready = find(pod.status.conditions, READY)
    if lost is None or ready is None or ready.status != "True":
        return Plan()
    if (ready.last_transition_time or "") > (lost.last_transition_time or ""):
        return Plan()
    conditions = with_condition(pod.status.conditions, msgspec.structs.replace(ready, status="False"), observed.now)
    return Plan(
        status=msgspec.structs.replace(pod.status, conditions=conditions),
        events=[Event(reason="NodeNotReady", message="Node is not ready", warning=True)],
    )


NODES = Naming(node_name, when=lambda node: lost_readiness(node) is not None)
CONTROLLER = Acting("node-lifecycle", Node, NodeLifecycle().act, watches=[(Lease, node_of)])
PODS = Controller("node-lifecycle-pods", Pod, mark_unready, watches=[(Node, NODES)])
