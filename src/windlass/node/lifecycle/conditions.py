"""Computes a pod's conditions. Conditions owned by others (PodScheduled, readiness gates) are preserved."""

from msgspec import Struct

from windlass.kube.json import Object, dig_list
from windlass.node.lifecycle import times
from windlass.node.lifecycle.ending import EVICTED_BY_NODE, Ending
from windlass.node.lifecycle.statuses import uninitialized, unready
from windlass.node.lifecycle.view import View

NO_RESIZE = "this node cannot resize a running container: the new resources apply when it is restarted"


class _Condition(Struct, frozen=True):
    type: str
    holds: bool
    reason: str = ""
    message: str = ""


def conditions(view: View, phase: str, ending: Ending | None, container_statuses: Object) -> list[Object]:
    """Return all conditions.

    `phase` is the phase that the pod is about to reach: a pod whose containers have completed is not ready though a
    sidecar runs.
    """
    containers_ready = _containers_ready(view, phase)
    mine = [
        _Condition("PodReadyToStartContainers", view.has_sandbox and bool(view.observed.address)),
        _initialized(view, phase),
        _ready(view, containers_ready),
        containers_ready,
    ]
    if ending is not None and ending.evicted:
        mine.append(_Condition("DisruptionTarget", True, EVICTED_BY_NODE, ending.message))
    if _is_resized(view, container_statuses):
        mine.append(_Condition("PodResizePending", True, "Infeasible", NO_RESIZE))
    old: list[Object] = dig_list(view.status, "conditions")
    owned = {each.type for each in mine} | {"PodResizePending"}
    kept = [each for each in old if each.get("type") not in owned]
    known = {each.get("type"): each for each in old}
    return [*(_as_object(view, each, known.get(each.type)) for each in mine), *kept]


def _as_object(view: View, condition: _Condition, old: Object | None) -> Object:
    status = "True" if condition.holds else "False"
    result: Object = {"type": condition.type, "status": status}
    if view.metadata.get("generation") is not None:
        result["observedGeneration"] = view.metadata["generation"]
    if condition.reason:
        result["reason"] = condition.reason
    if condition.message:
        result["message"] = condition.message
    same = old is not None and old.get("status") == status and old.get("lastTransitionTime")
    result["lastTransitionTime"] = (
        old["lastTransitionTime"] if old is not None and same else times.format_time(view.now)
    )
    return result


def _listed(names: list[str]) -> str:
    return f"[{' '.join(names)}]"


def _initialized(view: View, phase: str) -> _Condition:
    if phase == "Succeeded":
        return _Condition("Initialized", True, "PodCompleted")
    missing = uninitialized(view)
    if not missing:
        return _Condition("Initialized", True)
    text = f"containers with incomplete status: {_listed(missing)}"
    return _Condition("Initialized", False, "ContainersNotInitialized", text)


def _containers_ready(view: View, phase: str) -> _Condition:
    if phase == "Succeeded":
        return _Condition("ContainersReady", False, "PodCompleted")
    if phase == "Failed":
        return _Condition("ContainersReady", False, "PodFailed")
    missing = unready(view)
    if not missing:
        return _Condition("ContainersReady", True)
    text = f"containers with unready status: {_listed(missing)}"
    return _Condition("ContainersReady", False, "ContainersNotReady", text)


def _ready(view: View, containers_ready: _Condition) -> _Condition:
    if not containers_ready.holds:
        return _Condition("Ready", False, containers_ready.reason, containers_ready.message)
    known = {each.get("type"): each.get("status") for each in dig_list(view.status, "conditions")}
    missing: list[str] = []
    for gate in dig_list(view.spec, "readinessGates"):
        wanted = gate.get("conditionType")
        if wanted not in known:
            missing.append(f'corresponding condition of pod readiness gate "{wanted}" does not exist.')
        elif known[wanted] != "True":
            missing.append(f'the status of pod readiness gate "{wanted}" is not "True", but {known[wanted]}')
    if missing:
        return _Condition("Ready", False, "ReadinessGatesNotReady", ", ".join(missing))
    return _Condition("Ready", True)


def _is_resized(view: View, container_statuses: Object) -> bool:
    specs = {each["name"]: each for each in (*view.all_inits, *view.mains)}
    for listed in ("initContainerStatuses", "containerStatuses"):
        for status in dig_list(container_statuses, listed):
            if "resources" not in status or "running" not in status["state"]:
                continue
            wanted: Object = specs[status["name"]].get("resources") or {}
            if {key: wanted[key] for key in ("limits", "requests") if wanted.get(key)} != status["resources"]:
                return True
    return False
