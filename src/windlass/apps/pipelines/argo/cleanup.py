"""What a Workflow removes: pods by `podGC`, claims by `volumeClaimGC`, its budget, and itself by `ttlStrategy`."""

from datetime import datetime

from windlass.apps.pipelines.argo.execution.turn import Turn
from windlass.apps.pipelines.argo.naming import pod_name
from windlass.apps.pipelines.argo.nodes import SUCCEEDED, is_final
from windlass.apps.pipelines.argo.times import moment, seconds_of
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.moments import moment_after
from windlass.kube.selector import from_object


def pods_to_delete(turn: Turn, spec: Object, phase: str) -> set[str]:
    """Names of pods that exist and are no longer wanted; `phase` is that of a finished Workflow, else empty."""
    policy = dig_object(spec, "podGC")
    strategy = policy.get("strategy")
    if not strategy or (strategy == "OnWorkflowCompletion" and not phase):
        return set()
    if strategy == "OnWorkflowSuccess" and phase != SUCCEEDED:
        return set()
    try:
        delay = seconds_of(policy.get("deleteDelayDuration") or 0)
    except ValueError:
        delay = 0.0
    wanted = from_object(dig_object(policy, "labelSelector"))
    names: set[str] = set()
    for node in turn.nodes.values():
        name = pod_name(turn.name, node["name"], node.get("templateName", ""))
        state = turn.observation.pods.get(name)
        if state is None or state.is_deleting or not is_final(node) or node["type"] != "Pod":
            continue
        if strategy == "OnPodSuccess" and node["phase"] != SUCCEEDED:
            continue
        if not wanted.matches(state.labels):
            continue
        at = moment_after(moment(node.get("finishedAt")), delay)
        if turn.now >= at:
            names.add(name)
        else:
            turn.wake(at)
    return names


def budgets_to_delete(turn: Turn, spec: Object, phase: str) -> list[str]:
    """The name of the Workflow's PodDisruptionBudget, once it is over."""
    return [turn.name] if phase and dig_object(spec, "podDisruptionBudget") else []


def claims_to_delete(turn: Turn, spec: Object, phase: str) -> list[str]:
    """Names of the Workflow's own claims, once it is over."""
    strategy = dig(spec, "volumeClaimGC", "strategy") or "OnWorkflowSuccess"
    if not phase or (strategy == "OnWorkflowSuccess" and phase != SUCCEEDED):
        return []
    return [str(volume["persistentVolumeClaim"]["claimName"]) for volume in turn.claim_volumes]


def expiry(spec: Object, status: Object) -> datetime | None:
    """When a finished Workflow is deleted; None for never."""
    policy = dig_object(spec, "ttlStrategy")
    field = "secondsAfterSuccess" if status["phase"] == SUCCEEDED else "secondsAfterFailure"
    seconds = policy.get(field, policy.get("secondsAfterCompletion"))
    return moment_after(moment(status.get("finishedAt")), seconds) if isinstance(seconds, int) else None
