"""The answer to `does this job fit, and when would it start`. Pure."""

from datetime import datetime

from windlass.apps.training.web.structs.forecasts import ForecastView, ShortResource
from windlass.apps.training.web.structs.job import Explanation
from windlass.apps.training.web.views.explanations import NOT_BEFORE_SECONDS, explanation_view
from windlass.gateway.views.reading import amount
from windlass.gateway.views.visibility import Visible
from windlass.scheduler.explain import answer


def forecast_view(explanation: answer.Explanation, pods: int, visible: Visible, now: datetime) -> ForecastView:
    explained = explanation_view(explanation, visible, now)
    start = explained.start
    after = start.after_seconds if start is not None else None
    fits = after is not None and after < NOT_BEFORE_SECONDS and not explained.holders_evicted
    largest = max(explanation.pod_kinds, key=lambda kind: sum(kind.asks.values()), default=None)
    groups = largest.groups if largest is not None else ()
    return ForecastView(
        job=f"{explanation.namespace}/{explanation.name}",
        pods=pods,
        fits_now=fits,
        sentence=_sentence(explained, fits=fits, pods=pods),
        reason=explained.reason,
        evicts=explained.holders_evicted,
        short=tuple(_short(need, explanation) for need in explanation.amounts if need.lacks),
        nodes_total=sum(group.nodes for group in groups),
        nodes_with_room=sum(group.nodes for group in groups if group.room),
        after_seconds=after,
        at=start.at if start is not None else None,
        placement=start.nodes if start is not None else {},
        assumptions=start.assumptions if start is not None else (),
    )


def _sentence(explained: Explanation, *, fits: bool, pods: int) -> str:
    if fits:
        return f"It fits: all {pods} pods can start now" if pods != 1 else "It fits: its pod can start now"
    if explained.holders_evicted:
        return "It does not fit beside what runs: the scheduler would evict pods of lower priority to start it"
    return explained.summary


def _short(need: answer.Amount, found: answer.Explanation) -> ShortResource:
    factor = 1000 if need.resource == "cpu" else 1
    short_nodes = sum(
        group.nodes
        for kind in found.pod_kinds[:1]
        for group in kind.groups
        if any(cause.subject == need.resource for cause in group.causes)
    )
    return ShortResource(
        resource=need.resource,
        asked=amount(need.resource, need.asked / factor),
        free=amount(need.resource, need.free / factor),
        short=amount(need.resource, max(0.0, need.asked - need.free) / factor),
        nodes=short_nodes,
    )
