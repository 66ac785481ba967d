"""HorizontalPodAutoscaler -> its target's scale, looked at every fifteen seconds.

What it wished for and did lately is kept in memory, for the stabilization windows and the policies; after a restart
they begin anew with the current scale, as in Kubernetes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from windlass.apis.autoscaling_v2 import (
    HorizontalPodAutoscaler,
    HorizontalPodAutoscalerCondition,
    HorizontalPodAutoscalerStatus,
)
from windlass.apis.core_v1 import ConditionStatus, Json, Pod
from windlass.controllers.core.autoscaling_counts import Tolerance
from windlass.controllers.core.autoscaling_metrics import Failed, Target, Wish, wish_of
from windlass.controllers.core.autoscaling_pace import Memory, Verdict, paced, rules, tolerance_of
from windlass.kube.api import Api
from windlass.kube.conditions import with_condition
from windlass.kube.controller import Acted, Acting, Seen
from windlass.kube.errors import ApiError
from windlass.kube.json import dig, timestamp
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.plan import Note
from windlass.kube.view import typed

AUTOSCALER = KINDS.of(HorizontalPodAutoscaler)
EVERY = timedelta(seconds=15)
Conditions = list[HorizontalPodAutoscalerCondition]


@dataclass(slots=True)
class Look:
    """One look at one autoscaler: what will be its status, and what there is to tell."""

    autoscaler: HorizontalPodAutoscaler
    now: datetime
    conditions: Conditions
    events: list[Note]
    current: int | None = None
    desired: int | None = None
    metrics: list[Json] | None = None
    scaled: bool = False

    def say(self, type: str, status: ConditionStatus, reason: str, message: str) -> None:
        new = HorizontalPodAutoscalerCondition(type=type, status=status, reason=reason, message=message)
        self.conditions = with_condition(self.conditions, new, self.now)

    def warn(self, reason: str, message: str) -> None:
        self.events.append(Note(reason=reason, message=message, warning=True))

    def status(self) -> HorizontalPodAutoscalerStatus:
        was = self.autoscaler.status
        return HorizontalPodAutoscalerStatus(
            observed_generation=self.autoscaler.metadata.generation,
            last_scale_time=timestamp(self.now) if self.scaled else was.last_scale_time,
            current_replicas=was.current_replicas if self.current is None else self.current,
            desired_replicas=(was.desired_replicas or 0) if self.desired is None else self.desired,
            current_metrics=was.current_metrics if self.metrics is None else self.metrics,
            conditions=self.conditions,
        )


class Autoscalers:
    def __init__(self) -> None:
        self._memories: dict[str, Memory] = {}

    async def act(self, autoscaler: HorizontalPodAutoscaler, seen: Seen, api: Api) -> Acted | None:
        uid = autoscaler.metadata.uid
        if autoscaler.metadata.deletion_timestamp is not None:
            self._memories.pop(uid, None)
            return None
        memory = self._memories.setdefault(uid, Memory())
        early = _too_early(memory, autoscaler, seen.now)
        if early is not None:
            return Acted(again_in=early)
        memory.looked_at, memory.generation = seen.now, autoscaler.metadata.generation
        look = Look(autoscaler, seen.now, list(autoscaler.status.conditions), [])
        await _scale(look, memory, api)
        await _write(autoscaler, look.status(), api)
        return Acted(again_in=EVERY, events=look.events)


def _too_early(memory: Memory, autoscaler: HorizontalPodAutoscaler, now: datetime) -> timedelta | None:
    """Its own status changes it too: then the next look is when it would have been."""
    if memory.looked_at is None or memory.generation != autoscaler.metadata.generation:
        return None
    left = memory.looked_at + EVERY - now
    return left if left > timedelta() else None


async def _scale(look: Look, memory: Memory, api: Api) -> None:
    ref, namespace = look.autoscaler.spec.scale_target_ref, look.autoscaler.metadata.namespace
    try:
        kind = await api.find_kind(ref.api_version or "v1", ref.kind)
        scale = await api.get_under(kind, Key(namespace, ref.name), "scale")
    except ApiError as error:
        why = f"the HPA controller was unable to get the target's current scale: {error}"
        look.say("AbleToScale", "False", "FailedGetScale", why)
        look.warn("FailedGetScale", str(error))
        return
    why = "the HPA controller was able to get the target's current scale"
    look.say("AbleToScale", "True", "SucceededGetScale", why)
    look.current = int(dig(scale, "spec", "replicas") or 0)
    if not memory.wishes:
        memory.wishes.append((look.now, look.current))
    reason = await _decide(look, scale, memory, api)
    if look.desired is not None and look.desired != look.current:
        await _rescale(look, kind, reason, memory, api)


async def _decide(look: Look, scale: Json, memory: Memory, api: Api) -> str:
    """Sets what is desired; answers why."""
    spec, current = look.autoscaler.spec, look.current or 0
    least = 1 if spec.min_replicas is None else spec.min_replicas
    if current == 0 and least != 0:
        why = "scaling is disabled since the replica count of the target is zero"
        look.say("ScalingActive", "False", "ScalingDisabled", why)
        look.desired = 0
        return ""
    if current > spec.max_replicas:
        look.desired = spec.max_replicas
        return "Current number of replicas above Spec.MaxReplicas"
    if current < least:
        look.desired = least
        return "Current number of replicas below Spec.MinReplicas"
    wish = await _wish(look, await _target(look, scale, api), api)
    if wish is None:
        return ""
    verdict = paced(current, wish.replicas, (least, spec.max_replicas), spec.behavior, memory, look.now)
    _tell_pace(look, verdict)
    look.desired = verdict.replicas
    return f"{wish.name} above target" if verdict.replicas > current else "All metrics below target"


def _tell_pace(look: Look, verdict: Verdict) -> None:
    reason, message = verdict.able or ("ReadyForNewScale", "recommended size matches current size")
    look.say("AbleToScale", "True", reason, message)
    look.say("ScalingLimited", "True" if verdict.limited else "False", verdict.reason, verdict.message)


async def _target(look: Look, scale: Json, api: Api) -> Target:
    namespace, selector = look.autoscaler.metadata.namespace, str(dig(scale, "status", "selector") or "")
    pods = (await api.list(typed(Pod), namespace, labels=selector)).items if selector else []
    up, down = rules(look.autoscaler.spec.behavior)
    return Target(
        namespace,
        selector,
        look.current or 0,
        int(dig(scale, "status", "replicas") or 0),
        pods,
        Tolerance(tolerance_of(up), tolerance_of(down)),
        look.now,
    )


async def _wish(look: Look, target: Target, api: Api) -> Wish | None:
    """The largest of what the metrics ask for. Where one could not be had, the others may not scale down."""
    if not target.selector:
        why = "the HPA target's scale is missing a selector"
        look.say("ScalingActive", "False", "InvalidSelector", why)
        look.warn("SelectorRequired", "selector is required")
        return None
    wishes, failures = await _all_wishes(look.autoscaler.spec.metrics, target, api)
    for failure in failures:
        look.warn(failure.reason, str(failure))
    best = max(wishes, key=lambda wish: wish.replicas, default=None)
    if best is None or (failures and best.replicas < target.replicas):
        first, total = failures[0], len(look.autoscaler.spec.metrics)
        why = f"the HPA was unable to compute the replica count: {first}"
        look.say("ScalingActive", "False", first.reason, why)
        message = f"invalid metrics ({len(failures)} invalid out of {total}), first error is: {first}"
        look.warn("FailedComputeMetricsReplicas", message)
        return None
    why = f"the HPA was able to successfully calculate a replica count from {best.name}"
    look.say("ScalingActive", "True", "ValidMetricFound", why)
    look.metrics = [wish.status for wish in wishes]
    return best


async def _all_wishes(metrics: Sequence[Json], target: Target, api: Api) -> tuple[list[Wish], list[Failed]]:
    wishes: list[Wish] = []
    failures: list[Failed] = []
    for metric in metrics:
        try:
            wishes.append(await wish_of(metric, target, api))
        except Failed as failure:
            failures.append(failure)
    return wishes, failures


async def _rescale(look: Look, kind: Kind, reason: str, memory: Memory, api: Api) -> None:
    current, desired, metadata = look.current or 0, look.desired or 0, look.autoscaler.metadata
    key = Key(metadata.namespace, look.autoscaler.spec.scale_target_ref.name)
    try:
        await api.patch(kind, key, {"spec": {"replicas": desired}}, subresource="scale")
    except ApiError as error:
        why = f"the HPA controller was unable to update the target scale: {error}"
        look.say("AbleToScale", "False", "FailedUpdateScale", why)
        look.warn("FailedRescale", f"New size: {desired}; reason: {reason}; error: {error}")
        look.desired = current
        return
    why = f"the HPA controller was able to update the target scale to {desired}"
    look.say("AbleToScale", "True", "SucceededRescale", why)
    look.events.append(Note(reason="SuccessfulRescale", message=f"New size: {desired}; reason: {reason}"))
    memory.changes.append((look.now, desired - current))
    look.scaled = True


async def _write(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus, api: Api) -> None:
    old, new = msgspec.to_builtins(autoscaler.status), msgspec.to_builtins(status)
    if old != new:
        await api.set_status(AUTOSCALER, autoscaler.metadata.key, new)


CONTROLLER = Acting("horizontal-pod-autoscaler", HorizontalPodAutoscaler, Autoscalers().act, workers=5)
