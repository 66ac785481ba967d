"""HorizontalPodAutoscaler -> its target's scale, looked at every fifteen seconds.

What it wished for and did lately is kept in memory, for the stabilization windows and the policies; after a restart
they start over from the current scale, as in Kubernetes.
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
from windlass.controllers.core.autoscaling_metrics import Failed, Proposal, Target, proposal_of
from windlass.controllers.core.autoscaling_pace import Memory, Verdict, paced, rules, tolerance_of
from windlass.kube.api import Api
from windlass.kube.conditions import with_condition
from windlass.kube.controller import Acted, Acting, Observed
from windlass.kube.errors import ApiError
from windlass.kube.json import dig, timestamp
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.plan import Event
from windlass.kube.view import typed

AUTOSCALER = KINDS.of(HorizontalPodAutoscaler)
SYNC_PERIOD = timedelta(seconds=15)
Conditions = list[HorizontalPodAutoscalerCondition]


@dataclass(slots=True)
class Evaluation:
    """One evaluation of one autoscaler: its new status, and the events to record."""

    autoscaler: HorizontalPodAutoscaler
    now: datetime
    conditions: Conditions
    events: list[Event]
    current: int | None = None
    desired: int | None = None
    metrics: list[Json] | None = None
    scaled: bool = False

    def say(self, type: str, status: ConditionStatus, reason: str, message: str) -> None:
        new = HorizontalPodAutoscalerCondition(type=type, status=status, reason=reason, message=message)
        self.conditions = with_condition(self.conditions, new, self.now)

    def warn(self, reason: str, message: str) -> None:
        self.events.append(Event(reason=reason, message=message, warning=True))

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

    async def act(self, autoscaler: HorizontalPodAutoscaler, observed: Observed, api: Api) -> Acted | None:
        uid = autoscaler.metadata.uid
        if autoscaler.metadata.deletion_timestamp is not None:
            self._memories.pop(uid, None)
            return None
        memory = self._memories.setdefault(uid, Memory())
        early = _too_early(memory, autoscaler, observed.now)
        if early is not None:
            return Acted(again_in=early)
        memory.looked_at, memory.generation = observed.now, autoscaler.metadata.generation
        evaluation = Evaluation(autoscaler, observed.now, list(autoscaler.status.conditions), [])
        await _scale(evaluation, memory, api)
        await _write(autoscaler, evaluation.status(), api)
        return Acted(again_in=SYNC_PERIOD, events=evaluation.events)


def _too_early(memory: Memory, autoscaler: HorizontalPodAutoscaler, now: datetime) -> timedelta | None:
    """Its own status changes it too: then the next evaluation is when it would have been."""
    if memory.looked_at is None or memory.generation != autoscaler.metadata.generation:
        return None
    left = memory.looked_at + SYNC_PERIOD - now
    return left if left > timedelta() else None


async def _scale(evaluation: Evaluation, memory: Memory, api: Api) -> None:
    ref, namespace = evaluation.autoscaler.spec.scale_target_ref, evaluation.autoscaler.metadata.namespace
    try:
        kind = await api.find_kind(ref.api_version or "v1", ref.kind)
        scale = await api.get_under(kind, Key(namespace, ref.name), "scale")
    except ApiError as error:
        why = f"the HPA controller was unable to get the target's current scale: {error}"
        evaluation.say("AbleToScale", "False", "FailedGetScale", why)
        evaluation.warn("FailedGetScale", str(error))
        return
    why = "the HPA controller was able to get the target's current scale"
    evaluation.say("AbleToScale", "True", "SucceededGetScale", why)
    evaluation.current = int(dig(scale, "spec", "replicas") or 0)
    if not memory.proposals:
        memory.proposals.append((evaluation.now, evaluation.current))
    reason = await _decide(evaluation, scale, memory, api)
    if evaluation.desired is not None and evaluation.desired != evaluation.current:
        await _rescale(evaluation, kind, reason, memory, api)


async def _decide(evaluation: Evaluation, scale: Json, memory: Memory, api: Api) -> str:
    """Sets what is desired; answers why."""
    spec, current = evaluation.autoscaler.spec, evaluation.current or 0
    least = 1 if spec.min_replicas is None else spec.min_replicas
    if current == 0 and least != 0:
        why = "scaling is disabled since the replica count of the target is zero"
        evaluation.say("ScalingActive", "False", "ScalingDisabled", why)
        evaluation.desired = 0
        return ""
    if current > spec.max_replicas:
        evaluation.desired = spec.max_replicas
        return "Current number of replicas above Spec.MaxReplicas"
    if current < least:
        evaluation.desired = least
        return "Current number of replicas below Spec.MinReplicas"
    proposal = await _proposal(evaluation, await _target(evaluation, scale, api), api)
    if proposal is None:
        return ""
    verdict = paced(current, proposal.replicas, (least, spec.max_replicas), spec.behavior, memory, evaluation.now)
    _record_pace(evaluation, verdict)
    evaluation.desired = verdict.replicas
    return f"{proposal.name} above target" if verdict.replicas > current else "All metrics below target"


def _record_pace(evaluation: Evaluation, verdict: Verdict) -> None:
    reason, message = verdict.able or ("ReadyForNewScale", "recommended size matches current size")
    evaluation.say("AbleToScale", "True", reason, message)
    evaluation.say("ScalingLimited", "True" if verdict.limited else "False", verdict.reason, verdict.message)


async def _target(evaluation: Evaluation, scale: Json, api: Api) -> Target:
    namespace, selector = evaluation.autoscaler.metadata.namespace, str(dig(scale, "status", "selector") or "")
    pods = (await api.list(typed(Pod), namespace, labels=selector)).items if selector else []
    up, down = rules(evaluation.autoscaler.spec.behavior)
    return Target(
        namespace,
        selector,
        evaluation.current or 0,
        int(dig(scale, "status", "replicas") or 0),
        pods,
        Tolerance(tolerance_of(up), tolerance_of(down)),
        evaluation.now,
    )


async def _proposal(evaluation: Evaluation, target: Target, api: Api) -> Proposal | None:
    """The largest of what the metrics ask for. Where one could not be had, the others may not scale down."""
    if not target.selector:
        why = "the HPA target's scale is missing a selector"
        evaluation.say("ScalingActive", "False", "InvalidSelector", why)
        evaluation.warn("SelectorRequired", "selector is required")
        return None
    proposals, failures = await _all_proposals(evaluation.autoscaler.spec.metrics, target, api)
    for failure in failures:
        evaluation.warn(failure.reason, str(failure))
    best = max(proposals, key=lambda proposal: proposal.replicas, default=None)
    if best is None or (failures and best.replicas < target.replicas):
        first, total = failures[0], len(evaluation.autoscaler.spec.metrics)
        why = f"the HPA was unable to compute the replica count: {first}"
        evaluation.say("ScalingActive", "False", first.reason, why)
        message = f"invalid metrics ({len(failures)} invalid out of {total}), first error is: {first}"
        evaluation.warn("FailedComputeMetricsReplicas", message)
        return None
    why = f"the HPA was able to successfully calculate a replica count from {best.name}"
    evaluation.say("ScalingActive", "True", "ValidMetricFound", why)
    evaluation.metrics = [proposal.status for proposal in proposals]
    return best


async def _all_proposals(metrics: Sequence[Json], target: Target, api: Api) -> tuple[list[Proposal], list[Failed]]:
    proposals: list[Proposal] = []
    failures: list[Failed] = []
    for metric in metrics:
        try:
            proposals.append(await proposal_of(metric, target, api))
        except Failed as failure:
            failures.append(failure)
    return proposals, failures


async def _rescale(evaluation: Evaluation, kind: Kind, reason: str, memory: Memory, api: Api) -> None:
    current, desired, metadata = evaluation.current or 0, evaluation.desired or 0, evaluation.autoscaler.metadata
    key = Key(metadata.namespace, evaluation.autoscaler.spec.scale_target_ref.name)
    try:
        await api.patch(kind, key, {"spec": {"replicas": desired}}, subresource="scale")
    except ApiError as error:
        why = f"the HPA controller was unable to update the target scale: {error}"
        evaluation.say("AbleToScale", "False", "FailedUpdateScale", why)
        evaluation.warn("FailedRescale", f"New size: {desired}; reason: {reason}; error: {error}")
        evaluation.desired = current
        return
    why = f"the HPA controller was able to update the target scale to {desired}"
    evaluation.say("AbleToScale", "True", "SucceededRescale", why)
    evaluation.events.append(Event(reason="SuccessfulRescale", message=f"New size: {desired}; reason: {reason}"))
    memory.changes.append((evaluation.now, desired - current))
    evaluation.scaled = True


async def _write(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus, api: Api) -> None:
    old, new = msgspec.to_builtins(autoscaler.status), msgspec.to_builtins(status)
    if old != new:
        await api.set_status(AUTOSCALER, autoscaler.metadata.key, new)


CONTROLLER = Acting("horizontal-pod-autoscaler", HorizontalPodAutoscaler, Autoscalers().act, workers=5)
