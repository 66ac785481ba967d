"""StatefulSet -> pods with a number, a name and claims of their own, and a ControllerRevision for each template."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windlass.apis.apps_v1 import ControllerRevision, StatefulSet, StatefulSetStatus
from windlass.apis.core_v1 import Json, PersistentVolumeClaim, Pod, PodTemplate
from windlass.controllers.core import stateful_identity as identity
from windlass.controllers.core.belonging import Belonging, belonging, letting_go
from windlass.controllers.core.pod_state import is_available, is_finished, is_ready, next_available_in
from windlass.controllers.core.revisions import POD_REVISION, Newest, newest, outdated, template_of
from windlass.controllers.core.stateful_moves import Moves, Situation, is_going, next_moves
from windlass.kube.controller import Controller, Matching, Observed, matches
from windlass.kube.objects import key_of
from windlass.kube.plan import Adopt, Create, CreateUnowned, Delete, Event, Outcome, Patch, Plan
from windlass.kube.refusals import REPLICA_FAILURE


@dataclass(frozen=True, slots=True)
class Templates:
    """The template that pods are rolled to, and the one they are rolled from."""

    update: Newest
    current_name: str
    current: PodTemplate


def reconcile(stateful: StatefulSet, observed: Observed) -> Plan:
    spec = stateful.spec
    pods = _members(stateful, observed)
    history = belonging(
        stateful, spec.selector, observed.owned(ControllerRevision), observed.orphans(ControllerRevision)
    )
    templates = _templates(stateful, history.ours)
    by_number = {number: pod for pod in pods.ours if (number := identity.ordinal_of(stateful, pod)) is not None}
    situation = Situation(
        stateful,
        by_number,
        templates.update.name,
        lambda pod: is_available(pod, spec.min_ready_seconds, observed.now),
        lambda number: _claims_are_stale(stateful, number, observed),
    )
    moves = next_moves(situation)
    live = {pod.metadata.labels.get(POD_REVISION, "") for pod in pods.ours}
    live |= {templates.update.name, templates.current_name}
    status = _status(stateful, by_number, templates, situation.available)
    return Plan(
        [
            *_patches(stateful, pods, by_number, templates, observed),
            *map(CreateUnowned, _claims(stateful, by_number, moves, observed)),
            *map(Adopt, history.adopt),
            *map(Adopt, pods.adopt),
            *map(Create, templates.update.create),
            *(Create(_pod(stateful, templates, number)) for number in moves.create),
            *map(Delete, moves.delete),
            *map(Delete, outdated(history.ours, live, spec.revision_history_limit)),
        ],
        events=moves.events,
        status=status,
        status_if_refused=lambda why: status,
        again_in=next_available_in(pods.ours, spec.min_ready_seconds, observed.now),
    )


def _members(stateful: StatefulSet, observed: Observed) -> Belonging[Pod]:
    """Only pods with a name of the set's can be its members."""
    orphans = [pod for pod in observed.orphans(Pod) if identity.ordinal_of(stateful, pod) is not None]
    return belonging(stateful, stateful.spec.selector, observed.owned(Pod), orphans)


def _templates(stateful: StatefulSet, known: Sequence[ControllerRevision]) -> Templates:
    present = stateful.spec.template
    update = newest(stateful, present, known, stateful.status.collision_count or 0)
    name = stateful.status.current_revision
    found = next((revision for revision in known if revision.metadata.name == name), None)
    if found is None or name == update.name:
        return Templates(update, update.name, present)
    return Templates(update, name, template_of(found))


def _pod(stateful: StatefulSet, templates: Templates, number: int) -> Json:
    """Below the partition a lost pod comes back as it was."""
    strategy = stateful.spec.update_strategy
    partition = int((strategy.get("rollingUpdate") or {}).get("partition") or 0)
    rolling = strategy.get("type", "RollingUpdate") == "RollingUpdate"
    if rolling and number < identity.start_of(stateful) + partition:
        return identity.pod_of(stateful, templates.current, templates.current_name, number)
    return identity.pod_of(stateful, stateful.spec.template, templates.update.name, number)


# --- claims


def _claims(stateful: StatefulSet, pods: dict[int, Pod], moves: Moves, observed: Observed) -> list[Json]:
    """Those that are missing, of pods that are made now or still wait to start."""
    ordinals = identity.ordinals_of(stateful)
    waiting = [number for number, pod in pods.items() if number in ordinals and pod.status.phase == "Pending"]
    return [
        claim
        for number in sorted({*moves.create, *waiting})
        for claim in identity.claims_of(stateful, number)
        if observed.one(PersistentVolumeClaim, claim["metadata"]["name"]) is None
    ]


def _claims_are_stale(stateful: StatefulSet, number: int, observed: Observed) -> bool:
    name = identity.pod_name(stateful, number)
    claims = (observed.one(PersistentVolumeClaim, claim) for claim in identity.claim_names(stateful, number).values())
    return any(claim is not None and identity.is_stale(claim, name) for claim in claims)


def _patches(
    stateful: StatefulSet, pods: Belonging[Pod], by_number: dict[int, Pod], templates: Templates, observed: Observed
) -> list[Patch]:
    if stateful.metadata.deletion_timestamp is not None:
        return []
    patches = [*templates.update.patch, *(Patch(pod, letting_go(pod, stateful)) for pod in pods.release)]
    adopted = {pod.metadata.name for pod in pods.adopt}
    for number, pod in by_number.items():
        if pod.metadata.name in adopted or is_going(pod):
            continue
        patches += _retention(stateful, number, pod, observed)
        labels = identity.identity_labels(stateful, number)
        if not labels.items() <= pod.metadata.labels.items() and not is_finished(pod):
            patches.append(Patch(pod, {"metadata": {"labels": labels}}))
    return patches


def _retention(stateful: StatefulSet, number: int, pod: Pod, observed: Observed) -> list[Patch]:
    scaled_down = number not in identity.ordinals_of(stateful)
    patches: list[Patch] = []
    for name in identity.claim_names(stateful, number).values():
        claim = observed.one(PersistentVolumeClaim, name)
        if claim is None or claim.metadata.deletion_timestamp is not None:
            continue
        patch = identity.retention_patch(stateful, claim, pod, scaled_down=scaled_down)
        if patch is not None:
            patches.append(Patch(claim, patch))
    return patches


# --- status and events


def _status(
    stateful: StatefulSet, by_number: dict[int, Pod], templates: Templates, available: Callable[[Pod], bool]
) -> StatefulSetStatus:
    pods = [pod for pod in by_number.values() if pod.status.phase]
    ready = [pod for pod in pods if pod.status.phase == "Running" and is_ready(pod)]
    staying = [pod.metadata.labels.get(POD_REVISION) for pod in pods if not is_going(pod)]
    updated, current = staying.count(templates.update.name), staying.count(templates.current_name)
    current_name = templates.current_name
    wanted = len(identity.ordinals_of(stateful))
    rolling = stateful.spec.update_strategy.get("type", "RollingUpdate") == "RollingUpdate"
    if rolling and updated == len(ready) == len(pods) == wanted:
        current, current_name = updated, templates.update.name
    return StatefulSetStatus(
        observed_generation=stateful.metadata.generation,
        replicas=len(pods),
        ready_replicas=len(ready),
        available_replicas=sum(map(available, ready)),
        current_replicas=current,
        updated_replicas=updated,
        current_revision=current_name,
        update_revision=templates.update.name,
        collision_count=templates.update.collisions,
        conditions=stateful.status.conditions,
    )


def event_for(stateful: StatefulSet, outcome: Outcome) -> Event | None:
    """The events on the set, in Kubernetes' words."""
    kind = str(outcome.obj["kind"]) if isinstance(outcome.obj, dict) else type(outcome.obj).__name__
    name, mine = key_of(outcome.obj).name, stateful.metadata.name
    verb = "update" if outcome.verb == "patch" else outcome.verb
    reason = ("Failed" if outcome.error else "Successful") + verb.title()
    if kind == "PersistentVolumeClaim" and outcome.verb == "create":
        pod = f"{mine}-{name.rpartition('-')[2]}"
        result = f"failed error: {outcome.error.message}" if outcome.error else "success"
        message = f"create Claim {name} Pod {pod} in StatefulSet {mine} {result}"
    elif kind == "Pod":
        result = f"failed error: {outcome.error.message}" if outcome.error else "successful"
        message = f"{verb} Pod {name} in StatefulSet {mine} {result}"
    else:
        return None
    return Event(reason=reason, message=message, warning=outcome.error is not None)


def may_be_member(stateful: StatefulSet, pod: Pod) -> bool:
    return (
        pod.metadata.controller is None
        and identity.ordinal_of(stateful, pod) is not None
        and matches(stateful.spec.selector, pod.metadata.labels)
    )


def may_have_claimed(stateful: StatefulSet, claim: PersistentVolumeClaim) -> bool:
    stem, _, _ = claim.metadata.name.rpartition("-")
    name = stateful.metadata.name
    return any(stem == f"{one['metadata']['name']}-{name}" for one in stateful.spec.volume_claim_templates)


CONTROLLER = Controller(
    "statefulset-controller",
    StatefulSet,
    reconcile,
    owns=[Pod, ControllerRevision],
    watches=[(Pod, Matching(may_be_member)), (PersistentVolumeClaim, Matching(may_have_claimed))],
    event_for=event_for,
    refusal_condition=REPLICA_FAILURE,
    workers=5,
)
