"""The next step of a Deployment: how big each of its ReplicaSets is to be, as {name: replicas} of those that change.

Each step is one that Kubernetes would take, decided from sizes and from what the ReplicaSets say is available.
"""

from windlass.apis.apps_v1 import Deployment, ReplicaSet
from windlass.controllers.core.deployment_history import DESIRED, MAX_REPLICAS_ANNOTATION, History, age, size
from windlass.controllers.core.rollout_arithmetic import (
    is_rolling,
    max_surge,
    min_available,
    replicas_of,
    rounded,
    surge,
)

Sizes = dict[str, int]


def is_scaling(deployment: Deployment, past: History) -> bool:
    """Whether `spec.replicas` was changed since the ReplicaSets were last scaled."""
    wanted = replicas_of(deployment)
    return any(
        (desired := one.metadata.annotations.get(DESIRED)) is not None and desired != str(wanted) for one in past.active
    )


def new_size(deployment: Deployment, past: History) -> int:
    """How big the new ReplicaSet may be now: as big as wanted, unless that would be too many pods in all."""
    wanted, now = replicas_of(deployment), size(past.new) if past.new is not None else 0
    if not is_rolling(deployment):
        return wanted
    room = wanted + surge(deployment) - sum(map(size, past.all))
    return now if room <= 0 else now + min(room, wanted - now)


def rolled(deployment: Deployment, past: History) -> Sizes:
    """One step of a rolling update: grow the new, else shrink the old."""
    new, wanted = past.new, replicas_of(deployment)
    if new is None:
        return {}
    if size(new) != wanted:
        becomes = wanted if size(new) > wanted else new_size(deployment, past)
        if becomes != size(new):
            return {new.metadata.name: becomes}
    return _shrunk(deployment, past, new)


def _shrunk(deployment: Deployment, past: History, new: ReplicaSet) -> Sizes:
    """First pods of the old that are not available anyway, then available ones beyond the least that must be."""
    if not sum(map(size, past.old)):
        return {}
    least = min_available(deployment)
    spare = sum(map(size, past.all)) - least - (size(new) - new.status.available_replicas)
    if spare <= 0:
        return {}
    sizes = {one.metadata.name: size(one) for one in past.old}
    for one in past.old:
        broken = min(spare, size(one) - one.status.available_replicas)
        if size(one) and broken > 0:
            sizes[one.metadata.name] -= broken
            spare -= broken
    spare = sum(one.status.available_replicas for one in past.all) - least
    for one in past.old:
        gone = min(sizes[one.metadata.name], spare)
        if gone > 0:
            sizes[one.metadata.name] -= gone
            spare -= gone
    return {one.metadata.name: sizes[one.metadata.name] for one in past.old if sizes[one.metadata.name] != size(one)}


def emptied(past: History) -> Sizes:
    return {one.metadata.name: 0 for one in past.old if size(one)}


def rescaled(deployment: Deployment, past: History) -> Sizes:
    """After `spec.replicas` was changed: sizes for all ReplicaSets concerned, even where they stay.

    In the midst of a rolling update the change is shared out in proportion to their sizes, so as to lessen the risk
    where the new template turns out to be bad.
    """
    wanted, active = replicas_of(deployment), past.active
    if len(active) <= 1:
        only = active[0] if active else past.new or max(past.old, key=age, default=None)
        return {only.metadata.name: wanted} if only is not None else {}
    if _saturated(deployment, past.new):
        return emptied(past)
    return _in_proportion(deployment, active) if is_rolling(deployment) else {}


def _saturated(deployment: Deployment, new: ReplicaSet | None) -> bool:
    wanted = replicas_of(deployment)
    return (
        new is not None
        and new.metadata.annotations.get(DESIRED) == str(wanted)
        and size(new) == wanted == new.status.available_replicas
    )


def _in_proportion(deployment: Deployment, active: list[ReplicaSet]) -> Sizes:
    wanted = replicas_of(deployment)
    allowed = wanted + max_surge(deployment) if wanted > 0 else 0
    to_add = allowed - sum(map(size, active))
    # The biggest first; of those alike the newest when growing, the oldest when shrinking.
    ordered = sorted(sorted(active, key=age, reverse=to_add > 0), key=size, reverse=True)
    sizes, added = {one.metadata.name: size(one) for one in ordered}, 0
    for one in ordered:
        share = _share(one, deployment, to_add, added)
        sizes[one.metadata.name] += share
        added += share
    biggest = ordered[0].metadata.name
    sizes[biggest] = max(0, sizes[biggest] + to_add - added)
    return sizes


def _share(one: ReplicaSet, deployment: Deployment, to_add: int, added: int) -> int:
    left = to_add - added
    if to_add == 0 or left == 0:
        return 0
    fair = _fair_share(one, deployment)
    return min(fair, left) if to_add > 0 else max(fair, left)


def _fair_share(one: ReplicaSet, deployment: Deployment) -> int:
    wanted = replicas_of(deployment)
    if wanted == 0:
        return -size(one)
    text = one.metadata.annotations.get(MAX_REPLICAS_ANNOTATION, "")
    before = int(text) if text.isdigit() and int(text) else deployment.status.replicas
    if not before:
        return 0
    return rounded(size(one) * (wanted + max_surge(deployment)) / before) - size(one)
