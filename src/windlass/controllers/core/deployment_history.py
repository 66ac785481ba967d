"""A Deployment's ReplicaSets: which is the new one, which are old, how they are annotated, which are forgotten."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass.apis.apps_v1 import Deployment, ReplicaSet, ReplicaSetSpec
from windlass.apis.wellknown import LAST_APPLIED_ANNOTATION
from windlass.controllers.core.deployment_templates import HASH_LABEL, same_template, template_hash
from windlass.controllers.core.rollout_arithmetic import max_surge, replicas_of
from windlass.kube.meta import ObjectMeta

REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS_ANNOTATION = "deployment.kubernetes.io/max-replicas"
NOT_COPIED = frozenset(
    (
        LAST_APPLIED_ANNOTATION,
        REVISION,
        REVISION_HISTORY,
        DESIRED,
        MAX_REPLICAS_ANNOTATION,
        "deprecated.deployment.rollback.to",
    )
)
LONGEST_HISTORY = 2000  # characters
UNLIMITED = 2**31 - 1


def size(replica_set: ReplicaSet) -> int:
    """How many pods it is to have."""
    return 1 if replica_set.spec.replicas is None else replica_set.spec.replicas


def age(replica_set: ReplicaSet) -> tuple[str, str]:
    """Sorts the oldest first."""
    return replica_set.metadata.creation_timestamp or "", replica_set.metadata.name


def revision(replica_set: ReplicaSet) -> int:
    text = replica_set.metadata.annotations.get(REVISION, "0")
    return int(text) if text.isdigit() else 0


@dataclass(frozen=True, slots=True)
class History:
    """`new` has the Deployment's template; `old` are the others, the oldest first."""

    new: ReplicaSet | None
    old: Sequence[ReplicaSet]

    @property
    def all(self) -> list[ReplicaSet]:
        return [*self.old, self.new] if self.new is not None else list(self.old)

    @property
    def active(self) -> list[ReplicaSet]:
        return [replica_set for replica_set in self.all if size(replica_set) > 0]

    @property
    def next_revision(self) -> int:
        return max(map(revision, self.old), default=0) + 1


def history(deployment: Deployment, replica_sets: Iterable[ReplicaSet]) -> History:
    """Where several have the template, the oldest is the new one, so that the answer does not change."""
    by_age = sorted(replica_sets, key=age)
    template = deployment.spec.template
    new = next((one for one in by_age if same_template(one.spec.template, template)), None)
    return History(new, [one for one in by_age if one is not new])


def scale_annotations(deployment: Deployment) -> dict[str, str]:
    """How many pods there were to be when the ReplicaSet was last scaled, for scaling in proportion."""
    replicas = replicas_of(deployment)
    return {DESIRED: str(replicas), MAX_REPLICAS_ANNOTATION: str(replicas + max_surge(deployment))}


def copied_annotations(deployment: Deployment) -> dict[str, str]:
    return {key: value for key, value in deployment.metadata.annotations.items() if key not in NOT_COPIED}


def new_replica_set(deployment: Deployment, past: History, replicas: int) -> ReplicaSet:
    """The ReplicaSet of the Deployment's present template."""
    name, spec = deployment.metadata.name, deployment.spec
    mark = {HASH_LABEL: template_hash(spec.template, deployment.status.collision_count)}
    metadata: dict[str, Any] = spec.template.get("metadata") or {}
    labels: dict[str, str] = {**(metadata.get("labels") or {}), **mark}
    selector = msgspec.structs.replace(spec.selector, match_labels={**spec.selector.match_labels, **mark})
    annotations = {
        **copied_annotations(deployment),
        REVISION: str(past.next_revision),
        **scale_annotations(deployment),
    }
    return ReplicaSet(
        metadata=ObjectMeta(
            name=f"{name}-{mark[HASH_LABEL]}",
            namespace=deployment.metadata.namespace,
            labels=labels,
            annotations=annotations,
        ),
        spec=ReplicaSetSpec(
            replicas=replicas,
            min_ready_seconds=spec.min_ready_seconds,
            selector=selector,
            template={**spec.template, "metadata": {**metadata, "labels": labels}},
        ),
    )


def promoted_annotations(deployment: Deployment, new: ReplicaSet, past: History) -> dict[str, str]:
    """What the new ReplicaSet must be annotated with; one that was old before gets the highest revision again."""
    wanted = copied_annotations(deployment)
    was, becomes = revision(new), past.next_revision
    if was < becomes:
        wanted[REVISION] = str(becomes)
        if REVISION in new.metadata.annotations:
            wanted[REVISION_HISTORY] = _longer_history(new.metadata.annotations.get(REVISION_HISTORY, ""), str(was))
    return {key: value for key, value in wanted.items() if new.metadata.annotations.get(key) != value}


def _longer_history(so_far: str, was: str) -> str:
    """The revisions that a ReplicaSet has been, the oldest of them dropped where they are too many."""
    entries = [*filter(None, so_far.split(",")), was]
    while len(",".join(entries)) > LONGEST_HISTORY:
        del entries[0]
    return ",".join(entries)


def forgotten(deployment: Deployment, past: History) -> list[ReplicaSet]:
    """Old ReplicaSets beyond `revisionHistoryLimit`, of the lowest revisions; never one that has pods."""
    limit = deployment.spec.revision_history_limit
    if limit is None or limit == UNLIMITED:
        return []
    alive = [one for one in past.old if one.metadata.deletion_timestamp is None]
    surplus = sorted(alive, key=lambda one: (revision(one), age(one)))[: max(0, len(alive) - limit)]
    return [
        one
        for one in surplus
        if not size(one) and not one.status.replicas and one.metadata.generation <= one.status.observed_generation
    ]
