"""ReplicaSet, and its elder the ReplicationController -> as many pods of one template as they say.

Pods that failed, succeeded or are being deleted do not count, and are replaced. What was refused (by a quota, say) is
reported in the condition ReplicaFailure and tried again later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from windlass.apis.apps_v1 import ReplicaSet, ReplicaSetStatus, WorkloadCondition
from windlass.apis.core_v1 import (
    Pod,
    PodTemplate,
    ReplicationController,
    ReplicationControllerCondition,
    ReplicationControllerStatus,
)
from windlass.controllers.core.belonging import belonging, letting_go
from windlass.controllers.core.pod_deletion_order import first_to_go
from windlass.controllers.core.pod_from_template import base_name, fresh_names, pod_from_template
from windlass.controllers.core.pod_state import is_active, is_available, is_ready, is_terminating, next_available_in
from windlass.kube import meta, refusals
from windlass.kube.conditions import find, without_condition
from windlass.kube.controller import Controller, Matching, Observed, matches
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector
from windlass.kube.objects import key_of
from windlass.kube.plan import Adopt, Create, Delete, Event, Outcome, Patch, Plan

REPLICA_FAILURE = "ReplicaFailure"
MAX_CHANGED_PODS = 500  # pods made or removed in one go; Kubernetes' number


@dataclass(frozen=True, slots=True)
class Wanted:
    """What both kinds say, in one form."""

    owner: meta.Object
    replicas: int
    selector: LabelSelector
    template: PodTemplate
    min_ready_seconds: int
    conditions: Sequence[Any]
    condition: type[Any]


def reconcile_replica_set(replica_set: ReplicaSet, observed: Observed) -> Plan:
    spec = replica_set.spec
    wanted = Wanted(
        owner=replica_set,
        replicas=1 if spec.replicas is None else spec.replicas,
        selector=spec.selector,
        template=spec.template,
        min_ready_seconds=spec.min_ready_seconds,
        conditions=replica_set.status.conditions,
        condition=WorkloadCondition,
    )
    return _plan(wanted, observed, _replica_set_status)


def reconcile_replication_controller(controller: ReplicationController, observed: Observed) -> Plan:
    spec = controller.spec
    wanted = Wanted(
        owner=controller,
        replicas=1 if spec.replicas is None else spec.replicas,
        selector=LabelSelector(match_labels=spec.selector),
        template=spec.template or {},
        min_ready_seconds=spec.min_ready_seconds,
        conditions=controller.status.conditions,
        condition=ReplicationControllerCondition,
    )
    return _plan(wanted, observed, _replication_controller_status)


def _plan(wanted: Wanted, observed: Observed, status_of: Any) -> Plan:
    owner = wanted.owner
    pods = belonging(owner, wanted.selector, observed.owned(Pod), observed.orphans(Pod))
    active = [pod for pod in pods.ours if is_active(pod)]
    surplus = len(active) - wanted.replicas
    going = owner.metadata.deletion_timestamp is not None
    settled = without_condition(wanted.conditions, REPLICA_FAILURE)
    status = partial(status_of, wanted, pods.ours, observed)
    missing = [] if going else _new_pods(wanted, -surplus, observed)
    superfluous: list[Pod] = []
    if surplus > 0 and not going:
        superfluous = first_to_go(active, _related(owner, observed), surplus, observed.now)[:MAX_CHANGED_PODS]
    return Plan(
        [
            *(Patch(pod, letting_go(pod, owner)) for pod in pods.release),
            *map(Adopt, pods.adopt),
            *map(Create, missing),
            *map(Delete, superfluous),
        ],
        status=status(settled),
        status_if_refused=lambda why: status(_with_failure(wanted, why, surplus, observed)),
        again_in=next_available_in(active, wanted.min_ready_seconds, observed.now),
    )


def _new_pods(wanted: Wanted, missing: int, observed: Observed) -> list[Any]:
    if missing <= 0 or not wanted.template:
        return []
    owner = wanted.owner
    free = (name for name in fresh_names(owner) if observed.one(Pod, name) is None)
    return [
        pod_from_template(wanted.template, name, base_name(owner), owner.metadata.namespace)
        for name in islice(free, min(missing, MAX_CHANGED_PODS))
    ]


def _related(owner: meta.Object, observed: Observed) -> list[Pod]:
    """Active pods of the owner, and of those that have the same owner as it: a Deployment's other ReplicaSets."""
    controller = owner.metadata.controller
    family = {owner.metadata.uid}
    if controller is not None and isinstance(owner, ReplicaSet):
        siblings = observed.all(ReplicaSet)
        family |= {s.metadata.uid for s in siblings if (c := s.metadata.controller) and c.uid == controller.uid}
    return [pod for pod in observed.all(Pod) if (c := pod.metadata.controller) and c.uid in family and is_active(pod)]


def _counts(wanted: Wanted, pods: Sequence[Pod], observed: Observed) -> dict[str, int]:
    active = [pod for pod in pods if is_active(pod)]
    labels = ((wanted.template.get("metadata") or {}).get("labels") or {}).items()
    return {
        "replicas": len(active),
        "fully_labeled_replicas": sum(labels <= pod.metadata.labels.items() for pod in active),
        "ready_replicas": sum(map(is_ready, active)),
        "available_replicas": sum(is_available(pod, wanted.min_ready_seconds, observed.now) for pod in active),
        "observed_generation": wanted.owner.metadata.generation,
    }


def _replica_set_status(
    wanted: Wanted, pods: Sequence[Pod], observed: Observed, conditions: list[Any]
) -> ReplicaSetStatus:
    terminating = sum(map(is_terminating, pods))
    return ReplicaSetStatus(**_counts(wanted, pods, observed), terminating_replicas=terminating, conditions=conditions)


def _replication_controller_status(
    wanted: Wanted, pods: Sequence[Pod], observed: Observed, conditions: list[Any]
) -> ReplicationControllerStatus:
    return ReplicationControllerStatus(**_counts(wanted, pods, observed), conditions=conditions)


def _with_failure(wanted: Wanted, why: Sequence[Outcome], surplus: int, observed: Observed) -> list[Any]:
    """The first failure stays as it is until all goes well again."""
    if find(wanted.conditions, REPLICA_FAILURE) is not None:
        return list(wanted.conditions)
    failure = wanted.condition(
        type=REPLICA_FAILURE,
        status="True",
        last_transition_time=timestamp(observed.now),
        reason="FailedCreate" if surplus < 0 else "FailedDelete",
        message=why[0].server_message,
    )
    return [*wanted.conditions, failure]


def event_for(_: meta.Object, outcome: Outcome) -> Event | None:
    """The events on the workload, in Kubernetes' words."""
    words: dict[str, tuple[str, str]] = {
        "create": ("Create", "Created pod: {}"),
        "delete": ("Delete", "Deleted pod: {}"),
    }
    if outcome.verb not in words:
        return None
    what, done = words[outcome.verb]
    if outcome.error is None:
        return Event(reason=f"Successful{what}", message=done.format(key_of(outcome.obj).name))
    if refusals.is_namespace_terminating(outcome.error):
        return None
    trying = "creating" if outcome.verb == "create" else "deleting"
    return Event(reason=f"Failed{what}", message=f"Error {trying}: {outcome.error.message}", warning=True)


def _selects_orphan(workload: ReplicaSet | ReplicationController, pod: Pod) -> bool:
    if pod.metadata.controller is not None:
        return False
    selector = workload.spec.selector
    return matches(
        selector if isinstance(selector, LabelSelector) else LabelSelector(match_labels=selector), pod.metadata.labels
    )


REPLICA_SETS = Controller(
    "replicaset-controller",
    ReplicaSet,
    reconcile_replica_set,
    owns=[Pod],
    watches=[(Pod, Matching(_selects_orphan))],
    event_for=event_for,
    workers=5,
)
REPLICATION_CONTROLLERS = Controller(
    "replication-controller",
    ReplicationController,
    reconcile_replication_controller,
    owns=[Pod],
    watches=[(Pod, Matching(_selects_orphan))],
    event_for=event_for,
    workers=5,
)
