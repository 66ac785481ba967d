"""The columns of pods: ready containers, a status word, and restarts.

The status word is the pod's phase unless something more specific is known: a reason in the pod's status, the state of
an init container while the pod initializes, or what its containers wait for or terminated with; the first container
takes precedence.
"""

from datetime import datetime
from typing import Any

from windlass.apiserver.tables.cells import AGE, NAME, at, condition_status, since, text, wide
from windlass.kube.json import Object, dig, dig_list, dig_object

_COMPLETED = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}
_TERMINAL = frozenset(_COMPLETED)


def _restartable_inits(pod: Object) -> set[str]:
    """Names of the sidecars: init containers that keep running."""
    return {c["name"] for c in dig_list(pod, "spec", "initContainers") if c.get("restartPolicy") == "Always"}


def _death(terminated: Object) -> str:
    """The reason of a terminated container, in a word."""
    if reason := terminated.get("reason"):
        return reason
    if signal := terminated.get("signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _init_reason(pod: Object) -> str:
    """The state of the init container that blocks the pod; empty without one."""
    statuses: list[Object] | None = dig(pod, "status", "initContainerStatuses")
    if not statuses:
        return ""
    sidecars = _restartable_inits(pod)
    for index, status in enumerate(statuses):
        state = dig_object(status, "state")
        terminated = state.get("terminated")
        if terminated is not None and not terminated.get("exitCode"):
            continue
        if status.get("started") and status.get("name") in sidecars:
            continue
        if terminated is not None:
            return f"Init:{_death(terminated)}"
        waiting = dig(state, "waiting", "reason")
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}"
        return f"Init:{index}/{len(dig_list(pod, 'spec', 'initContainers'))}"
    return ""


def _containers_reason(pod: Object, reason: str) -> str:
    """What the containers wait for or terminated with; the first container with a reason takes precedence."""
    running = False
    for status in reversed(dig_list(pod, "status", "containerStatuses")):
        state: Object = status.get("state") or {}
        if waiting := dig(state, "waiting", "reason"):
            reason = waiting
        elif (terminated := state.get("terminated")) is not None:
            reason = _death(terminated)
        elif status.get("ready") and state.get("running") is not None:
            running = True
    if reason == "Completed" and running:
        return "Running" if condition_status(pod, "Ready") == "True" else "NotReady"
    return reason


def status_word(pod: Object, now: datetime) -> str:
    """The STATUS column of `kubectl get pods`."""
    status: Object = pod.get("status") or {}
    phase = status.get("phase", "")
    reason = status.get("reason") or phase
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            reason = "SchedulingGated"
    initializing = _init_reason(pod)
    if not initializing:
        reason = _containers_reason(pod, reason)
    elif condition_status(pod, "Initialized") == "True":
        reason = _containers_reason(pod, initializing)
    else:
        reason = initializing
    if pod["metadata"].get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            return "Unknown"
        if phase not in _TERMINAL:
            return "Terminating"
    return reason


def _is_initializing(pod: Object) -> bool:
    return bool(_init_reason(pod)) and condition_status(pod, "Initialized") != "True"


def ready(pod: Object, now: datetime) -> str:
    """Ready containers (including sidecars) out of all."""
    spec: Object = pod.get("spec") or {}
    status: Object = pod.get("status") or {}
    total = len(spec.get("containers") or ())
    ready_now = 0
    if not _is_initializing(pod):
        for container in status.get("containerStatuses") or ():
            if container.get("ready") and "running" in (container.get("state") or ()):
                ready_now += 1
    if spec.get("initContainers"):
        sidecars = _restartable_inits(pod)
        total += len(sidecars)
        for container in status.get("initContainerStatuses") or ():
            if container.get("name") in sidecars and container.get("started") and container.get("ready"):
                ready_now += 1
    return f"{ready_now}/{total}"


def restarts(pod: Object, now: datetime) -> str:
    """The number of restarts, and the age of the last one."""
    status: Object = pod.get("status") or {}
    counted: list[Object] = status.get("initContainerStatuses") or []
    if not counted:
        counted = status.get("containerStatuses") or []
    elif not _is_initializing(pod):
        sidecars = _restartable_inits(pod)
        counted = [container for container in counted if container.get("name") in sidecars]
        counted += status.get("containerStatuses") or []
    total = sum([container.get("restartCount", 0) for container in counted])
    if not total:
        return "0"
    last = max([dig(container, "lastState", "terminated", "finishedAt") or "" for container in counted])
    return f"{total} ({since(last, now)} ago)" if last else str(total)


def _address(pod: Object, now: datetime) -> str:
    addresses = dig_list(pod, "status", "podIPs")
    return (addresses[0].get("ip") if addresses else dig(pod, "status", "podIP")) or "<none>"


def _readiness_gates(pod: Object, now: datetime) -> str:
    gates = dig_list(pod, "spec", "readinessGates")
    if not gates:
        return "<none>"
    passed = sum(condition_status(pod, gate.get("conditionType", "")) == "True" for gate in gates)
    return f"{passed}/{len(gates)}"


def row_conditions(pod: Object) -> list[Any]:
    """Mark the row of a completed pod, so that clients may hide it."""
    phase = dig(pod, "status", "phase")
    if phase not in _COMPLETED:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _COMPLETED[phase]}]


POD = (
    NAME,
    text("Ready", ready, "The aggregate readiness state of this pod for accepting traffic."),
    text("Status", status_word, "The aggregate status of the containers in this pod."),
    text("Restarts", restarts, "The number of times the containers in this pod have been restarted and when last."),
    AGE,
    wide("IP", _address, "The address of the pod."),
    wide("Node", at("spec", "nodeName", default="<none>"), "The node of the pod."),
    wide(
        "Nominated Node",
        at("status", "nominatedNodeName", default="<none>"),
        "The node on which preemption frees resources for the pod.",
    ),
    wide("Readiness Gates", _readiness_gates, "The number of the pod's readiness gates that are true."),
)
