"""Advances a Workflow: from the object, its pods and what was read of them to the new status and the next actions.

`advance` is level-triggered: it may be called at any time, twice, or after a restart, and answers the same. What it
answers with `reads`, `lookups` or `actions` is provisional: the caller carries these out, adds the answers to the
observation and calls again, before it writes anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from windlass.apps.pipelines.argo import cleanup
from windlass.apps.pipelines.argo.artifacts import artifact_gc
from windlass.apps.pipelines.argo.artifacts.repositories import STATUS_FIELD
from windlass.apps.pipelines.argo.config_maps import Awaited, BadConfigMap
from windlass.apps.pipelines.argo.execution.daemons import stop_daemons
from windlass.apps.pipelines.argo.execution.execute import entry_call, execute, resumed
from windlass.apps.pipelines.argo.execution.hooks import EXIT, hooks_of
from windlass.apps.pipelines.argo.execution.locking import has_locks, still_held, still_waiting
from windlass.apps.pipelines.argo.execution.turn import Memo, Turn
from windlass.apps.pipelines.argo.language.expressions import ExpressionError, evaluate, is_true
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.tags import TagError, substitute
from windlass.apps.pipelines.argo.language.values import text_of
from windlass.apps.pipelines.argo.locks import Lock, lock_status
from windlass.apps.pipelines.argo.nodes import (
    COMPLETED,
    ERROR,
    FAILED,
    FAILURES,
    PENDING,
    RUNNING,
    SUCCEEDED,
    is_done,
    is_final,
    progress,
)
from windlass.apps.pipelines.argo.observation import (
    CacheLookup,
    InputFetch,
    InputLookup,
    Listing,
    Observation,
    OutputsRequest,
    PodPlaces,
    Removal,
    ResourceAction,
)
from windlass.apps.pipelines.argo.restarting import RETRIES_FIELD, restarted
from windlass.apps.pipelines.argo.templates import (
    STORED_TEMPLATES,
    AwaitedTemplate,
    NoTemplate,
    Templates,
    resolved_spec,
    stored_templates,
    with_stored,
)
from windlass.apps.pipelines.argo.times import moment
from windlass.apps.pipelines.argo.workflow_scope import workflow_outputs
from windlass.apps.pipelines.names import COMPLETED_LABEL, PHASE_LABEL, WORKFLOW_LABEL
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, timestamp
from windlass.kube.moments import moment_after

DEADLINE_EXCEEDED = "Max duration limit exceeded"
EXIT_SUFFIX = ".onExit"


@dataclass(frozen=True, kw_only=True)
class Advance:
    """The new status, and what to do once it is written."""

    status: Object
    creates: Sequence[Object] = ()
    """Pods to create."""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Texts to write before a pod is created, by their path in the claim; by the pod's name."""
    deletes: Sequence[str] = ()
    """Names of pods to delete."""
    objects: Sequence[Object] = ()
    """Claims and the budget to create before the pods, where they do not exist."""
    claim_deletes: Sequence[str] = ()
    budget_deletes: Sequence[str] = ()
    reads: Sequence[OutputsRequest] = ()
    lookups: Sequence[CacheLookup] = ()
    input_lookups: Sequence[InputLookup] = ()
    fetches: Sequence[InputFetch] = ()
    listings: Sequence[Listing] = ()
    places: Mapping[str, PodPlaces] = field(default_factory=dict[str, PodPlaces])
    """Artifacts of pods to create that name their stores, by the pod's name."""
    removals: Sequence[Removal] = ()
    """Output artifacts to remove, before the status is written."""
    needs_finalizer: bool = False
    """Whether the Workflow has artifacts to remove when it is deleted."""
    actions: Sequence[ResourceAction] = ()
    config_maps: Sequence[str] = ()
    """Names of ConfigMaps to read."""
    templates: Sequence[tuple[str, bool]] = ()
    """WorkflowTemplates to read, by name and whether they are of the cluster."""
    memos: Sequence[Memo] = ()
    """Outputs to keep in ConfigMaps."""
    lock_requests: Mapping[str, Sequence[Lock]] = field(default_factory=dict[str, Sequence[Lock]])
    """Locks to acquire, by the id of the node that needs them."""
    wake_at: datetime | None = None
    is_expired: bool = False
    """Whether the Workflow is to be deleted."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])


def advance(workflow: Object, observation: Observation) -> Advance:
    """Advance a Workflow as far as the observation allows."""
    old = restarted(workflow, timestamp(observation.now))
    if dig(old, "phase") in COMPLETED:
        return _completed(workflow, old, observation)
    started = moment(old.get("startedAt")) if old.get("startedAt") else observation.now
    templates = {**observation.templates, **stored_templates(old)}
    status: Object = {**old, "phase": RUNNING, "startedAt": timestamp(started)}
    status.pop("message", None)
    if templates:  # a Workflow keeps to the templates with which it started
        status[STORED_TEMPLATES] = with_stored(templates)
    try:
        spec = resolved_spec(dig_object(workflow, "spec"), templates)
        nodes = {name: dict(node) for name, node in dig_object(old, "nodes").items()}
        turn = Turn(workflow, spec, observation, Templates(spec, templates), nodes, _retries(old))
        turn.resolve_spec()
        _note_stop(turn, turn.spec, started)
        _note_resumed(turn)
        if refusal := next((f"{name}: {why}" for name, why in observation.refusals.items() if "/" in name), ""):
            return _refused(turn, status, refusal)
        return _advanced(turn, status, turn.spec)
    except AwaitedTemplate as awaited:
        return Advance(status=old, templates=[awaited.key])
    except Awaited as awaited:
        return Advance(status=old, config_maps=[str(awaited)])
    except (NoTemplate, TagError, ExpressionError, Unresolved, BadConfigMap) as error:
        status.pop("synchronization", None)
        return _with_labels(Advance(status=_ended(status, ERROR, str(error), timestamp(observation.now))))


def _refused(turn: Turn, status: Object, message: str) -> Advance:
    """End a Workflow without an object that its pods need."""
    for node in turn.nodes.values():
        if not is_final(node):
            turn.finish(node, ERROR, message)
    status.pop("synchronization", None)
    status = {**status, "nodes": turn.nodes, "conditions": _conditions(turn, True)}
    return _with_labels(
        Advance(
            status=_ended(status, ERROR, message, timestamp(turn.now)),
            deletes=sorted(turn.observation.pods),
            claim_deletes=cleanup.claims_to_delete(turn, turn.spec, ERROR),
            budget_deletes=cleanup.budgets_to_delete(turn, turn.spec, ERROR),
        )
    )


def _retries(status: Object) -> str:
    return str(status.get(RETRIES_FIELD) or "")


def _advanced(turn: Turn, status: Object, spec: Object) -> Advance:
    is_locked_out = not _has_locks(turn, spec)
    called: Object = {"template": spec.get("entrypoint")}
    root = None
    if is_locked_out:
        status |= {"phase": PENDING, "message": f"Waiting for {', '.join(sorted(still_waiting(turn)))}"}
    else:
        root = execute(turn, entry_call(turn, turn.name, called, dig_object(spec, "arguments")))
    phase, message = "", ""
    if is_done(root) or (root is None and turn.stop_message):
        phase, message = _main_end(turn, root)
    if not is_locked_out and not _are_hooks_over(turn, spec, phase or RUNNING):
        phase, message = "", ""
    if phase:
        phase, message = _run_exit_handler(turn, spec, phase, message)
    if phase:
        stop_daemons(turn, None)
    status["nodes"] = turn.nodes
    status["progress"] = progress(turn.nodes.values())
    if outputs := workflow_outputs(root or {}, turn.nodes.values()):
        status["outputs"] = outputs
    status["conditions"] = _conditions(turn, bool(phase))
    if turn.repository:
        status[STATUS_FIELD] = turn.repository
    status.pop("synchronization", None)
    if not phase and (locks := lock_status(still_held(turn), still_waiting(turn))):
        status["synchronization"] = locks
    if phase:
        status = _ended(status, phase, message, timestamp(turn.now))
    elif waiting := _waiting_pod(turn):
        status.setdefault("message", waiting)
    claims = [_claim(turn, claim) for claim in dig_list(spec, "volumeClaimTemplates")]
    made = Advance(
        status=status,
        creates=list(turn.creates.values()),
        files={name: texts for name, texts in turn.files.items() if texts},
        deletes=sorted((turn.deletes & set(turn.observation.pods)) | cleanup.pods_to_delete(turn, spec, phase)),
        objects=[] if phase else [*claims, *_budget(turn, dig_object(spec, "podDisruptionBudget"))],
        claim_deletes=cleanup.claims_to_delete(turn, spec, phase),
        budget_deletes=cleanup.budgets_to_delete(turn, spec, phase),
        reads=turn.reads,
        lookups=turn.lookups,
        input_lookups=turn.input_lookups,
        fetches=turn.fetches,
        listings=turn.listings,
        places={name: places for name, places in turn.places.items() if places != PodPlaces()},
        needs_finalizer=artifact_gc.needs_finalizer(spec),
        actions=turn.actions,
        config_maps=sorted(turn.config_maps.wanted),
        templates=sorted(turn.templates.wanted),
        memos=turn.memos,
        lock_requests=turn.lock_requests,
        wake_at=turn.wake_at,
        labels=_labels(turn, dig_object(spec, "workflowMetadata")),
        annotations=dig_object(spec, "workflowMetadata", "annotations"),
    )
    return _with_labels(made)


def _labels(turn: Turn, metadata: Object) -> Mapping[str, str]:
    """Labels that the Workflow gets, some of them from expressions. Raises ExpressionError and Unresolved."""
    computed = {
        name: text_of(evaluate(str(dig(source, "expression")), turn.globals))
        for name, source in dig_object(metadata, "labelsFrom").items()
    }
    return dig_object(metadata, "labels") | computed


def _has_locks(turn: Turn, spec: Object) -> bool:
    """Whether the Workflow has its own locks. Raises BadConfigMap and Awaited."""
    synchronization = spec.get("synchronization")
    if not synchronization or turn.stop_message:
        return True
    return has_locks(turn, "", substitute(synchronization, turn.globals))


def _note_stop(turn: Turn, spec: Object, started: datetime) -> None:
    """Why the Workflow has to stop: a user's wish, or its deadline."""
    seconds, shutdown = spec.get("activeDeadlineSeconds"), spec.get("shutdown")
    if seconds == 0:  # how Kubeflow terminates a run
        shutdown = "Terminate"
    if shutdown:
        turn.stop_message = f"workflow shutdown with strategy: {shutdown}"
        turn.stops_exit_handlers = shutdown == "Terminate"
    elif isinstance(seconds, int):
        deadline = moment_after(started, seconds)
        if turn.now >= deadline:
            turn.stop_message = DEADLINE_EXCEEDED
        else:
            turn.wake(deadline)


def _note_resumed(turn: Turn) -> None:
    """Complete pauses whose phase a user has set."""
    for node in turn.nodes.values():
        if node["type"] == "Suspend" and is_final(node) and not node.get("finishedAt"):
            node["finishedAt"] = timestamp(turn.now)
            if node["phase"] == SUCCEEDED:
                resumed(turn, node)


def _main_end(turn: Turn, root: Object | None) -> tuple[str, str]:
    if root is not None and root["phase"] == SUCCEEDED:
        return SUCCEEDED, ""
    if turn.stop_message:
        return FAILED, turn.stop_message
    if root is None or root["phase"] not in FAILURES:
        return SUCCEEDED, ""
    return str(root["phase"]), str(root.get("message", ""))


def _are_hooks_over(turn: Turn, spec: Object, phase: str) -> bool:
    """Run the hooks of the Workflow, except that at its end. Returns whether all that have started are over.

    A hook that fails does not change how the Workflow ends.
    """
    nodes: list[Object | None] = []
    for name, hook in hooks_of(spec).items():
        if name == EXIT or turn.stops_exit_handlers:
            continue
        turn.globals = turn.globals.merged(Scope({"workflow.status": phase}))
        full_name = f"{turn.name}.hooks.{name}"
        if turn.node(full_name) is not None or is_true(str(hook.get("expression") or ""), turn.globals):
            call = entry_call(turn, full_name, hook, dig_object(hook, "arguments"), is_exit=True)
            nodes.append(execute(turn, call))
    return all(is_final(node) for node in nodes)


def _run_exit_handler(turn: Turn, spec: Object, phase: str, message: str) -> tuple[str, str]:
    """Run `onExit`. Returns the phase of the Workflow; empty while the handler runs."""
    exit_hook = hooks_of(spec).get(EXIT)
    if exit_hook is None or turn.stops_exit_handlers:
        return phase, message
    failures = [
        {
            "displayName": node["displayName"],
            "message": node.get("message", ""),
            "templateName": node.get("templateName", ""),
            "phase": node["phase"],
            "podName": node["id"],
            "finishedAt": node.get("finishedAt", ""),
        }
        for node in turn.nodes.values()
        if node["phase"] in FAILURES
        and node["type"] == "Pod"
        and not node["name"].startswith(f"{turn.name}{EXIT_SUFFIX}")
    ]
    values = {"workflow.status": phase, "workflow.failures": encode(failures).decode()}
    turn.globals = turn.globals.merged(Scope(values))
    if exit_hook.get("expression") and not is_true(str(exit_hook["expression"]), turn.globals):
        return phase, message
    arguments = dig_object(exit_hook, "arguments") or dig_object(spec, "arguments")
    call = entry_call(turn, f"{turn.name}{EXIT_SUFFIX}", exit_hook, arguments, is_exit=True)
    node = execute(turn, call)
    if not is_final(node):
        return "", ""
    assert node is not None
    return (str(node["phase"]), str(node.get("message", ""))) if node["phase"] in FAILURES else (phase, message)


def _waiting_pod(turn: Turn) -> str:
    """The first pod that does not start, and why; empty if there is none."""
    pods = (node for node in turn.nodes.values() if node["type"] == "Pod" and node["phase"] == PENDING)
    return next((f"{node['displayName']}: {node['message']}" for node in pods if node.get("message")), "")


def _conditions(turn: Turn, is_completed: bool) -> list[Object]:
    is_running = any(node["type"] == "Pod" and node["phase"] == RUNNING for node in turn.nodes.values())
    conditions = [{"type": "PodRunning", "status": str(is_running)}]
    return [*conditions, {"type": "Completed", "status": "True"}] if is_completed else conditions


def _ended(status: Object, phase: str, message: str, now: str) -> Object:
    return {**status, "phase": phase, "finishedAt": now, **({"message": message} if message else {})}


def _completed(workflow: Object, status: Object, observation: Observation) -> Advance:
    """Delete what a finished Workflow leaves behind, when its time has come."""
    templates = {**observation.templates, **stored_templates(status)}
    try:
        spec = resolved_spec(dig_object(workflow, "spec"), templates)
    except NoTemplate:
        spec = dig_object(workflow, "spec")
    nodes = {name: dict(node) for name, node in dig_object(status, "nodes").items()}
    unused: Object = {**spec, "arguments": {}, STATUS_FIELD: None}  # which may name ConfigMaps that are gone
    turn = Turn(workflow, unused, observation, Templates(spec, templates), nodes, _retries(status))
    phase = str(status["phase"])
    garbage = [] if artifact_gc.has_failed(status) else [*artifact_gc.removals(spec, status, "OnWorkflowCompletion")]
    if garbage and observation.removals:
        status, garbage = artifact_gc.with_removed(status, observation.removals), []
    expires = cleanup.expiry(spec, status)
    is_expired = expires is not None and observation.now >= expires
    if expires is not None and not is_expired:
        turn.wake(expires)
    made = Advance(
        status=status,
        deletes=sorted(cleanup.pods_to_delete(turn, spec, phase)),
        claim_deletes=cleanup.claims_to_delete(turn, spec, phase),
        budget_deletes=cleanup.budgets_to_delete(turn, spec, phase),
        wake_at=turn.wake_at,
        is_expired=is_expired,
        removals=garbage,
    )
    return _with_labels(made)


def _claim(turn: Turn, template: Object) -> Object:
    metadata = {
        **dig_object(template, "metadata"),
        "name": turn.claim_name(template),
        "namespace": turn.namespace,
        "ownerReferences": [turn.owner()],
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": dig_object(template, "spec"),
    }


def _budget(turn: Turn, given: Object) -> list[Object]:
    """The PodDisruptionBudget of the Workflow's pods, if it has one."""
    if not given:
        return []
    metadata = {"name": turn.name, "namespace": turn.namespace, "ownerReferences": [turn.owner()]}
    spec = {**given, "selector": given.get("selector") or {"matchLabels": {WORKFLOW_LABEL: turn.name}}}
    return [{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}]


def _with_labels(made: Advance) -> Advance:
    phase = str(made.status["phase"])
    labels = {PHASE_LABEL: phase, **({COMPLETED_LABEL: "true"} if phase in COMPLETED else {})}
    return replace(made, labels={**made.labels, **labels})
