"""Node -> the taints that its conditions and a cordon ask for, as Kubernetes names them.

`NoSchedule` taints always; `NoExecute` ones, which make pods leave, while another node is ready. If none is, there is
nowhere to go, and it is more likely that all agents are cut off than that all nodes are gone: Kubernetes too stops
evicting then.

A condition that a node does not have says nothing of its taints, which are left as they are.
"""

from collections.abc import Mapping

import msgspec

from windlass.apis.core_v1 import Node, Taint
from windlass.controllers.core.node_health import READY
from windlass.kube.conditions import find, is_true
from windlass.kube.controller import Controller, Matching, Observed
from windlass.kube.json import timestamp
from windlass.kube.plan import Patch, Plan

PREFIX = "node.kubernetes.io/"
NOT_READY, UNREACHABLE = PREFIX + "not-ready", PREFIX + "unreachable"
UNSCHEDULABLE = PREFIX + "unschedulable"
NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
BY_STATUS: Mapping[str, Mapping[str, str]] = {
    READY: {"False": NOT_READY, "Unknown": UNREACHABLE},
    "MemoryPressure": {"True": PREFIX + "memory-pressure"},
    "DiskPressure": {"True": PREFIX + "disk-pressure"},
    "PIDPressure": {"True": PREFIX + "pid-pressure"},
    "NetworkUnavailable": {"True": PREFIX + "network-unavailable"},
}

Mark = tuple[str, str]
"""A taint's key and effect, which are its identity."""


def reconcile(node: Node, observed: Observed) -> Plan:
    evicting = _is_unwell(node) and any(_is_ready(other) for other in observed.all(Node))
    taints = tainted(node, timestamp(observed.now), evicting=evicting)
    if taints == list(node.spec.taints):
        return Plan()
    return Plan([Patch(node, {"spec": {"taints": msgspec.to_builtins(taints) or None}})])


def tainted(node: Node, moment: str, *, evicting: bool) -> list[Taint]:
    """The node's taints as they should be; those that are nothing of ours stay as they are."""
    wanted, ours = _wanted(node, evicting=evicting)
    kept = [taint for taint in node.spec.taints if _mark(taint) not in ours or _mark(taint) in wanted]
    there = {_mark(taint) for taint in kept}
    new = [Taint(key=key, effect=effect, time_added=moment) for key, effect in wanted if (key, effect) not in there]
    return [*kept, *new]


def _wanted(node: Node, *, evicting: bool) -> tuple[list[Mark], set[Mark]]:
    """Which taints it should have, and which it may have from here."""
    wanted: list[Mark] = [(UNSCHEDULABLE, NO_SCHEDULE)] if node.spec.unschedulable else []
    ours: set[Mark] = {(UNSCHEDULABLE, NO_SCHEDULE)}
    for type, keys in BY_STATUS.items():
        condition = find(node.status.conditions, type)
        if condition is None:
            continue
        effects = (NO_SCHEDULE, NO_EXECUTE) if type == READY else (NO_SCHEDULE,)
        ours |= {(key, effect) for key in keys.values() for effect in effects}
        key = keys.get(condition.status)
        if key is not None:
            wanted += [(key, effect) for effect in effects if effect == NO_SCHEDULE or evicting]
    return wanted, ours


def _mark(taint: Taint) -> Mark:
    return taint.key, taint.effect


def _is_another(node: Node, changed: Node) -> bool:
    return changed is not node


def _is_unwell(node: Node) -> bool:
    """Not ready, by its own word: a node that says nothing of it is left alone."""
    ready = find(node.status.conditions, READY)
    return ready is not None and ready.status != "True"


def _is_ready(node: Node) -> bool:
    return is_true(node.status.conditions, READY)


CONTROLLER = Controller("node-taints", Node, reconcile, watches=[(Node, Matching(_is_another, among=_is_unwell))])
