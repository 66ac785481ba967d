"""Why a gang waits, in a sentence for people: what it needs, and how much there is. Pure.

Conditions and events keep the formats of Volcano, which clients match; pages need not.
"""

from collections.abc import Iterable

from windlass.apis.reason_text import admission_cause, short_text
from windlass.apis.reasons import (
    AdmissionCause,
    ClusterInsufficient,
    GangNotAdmitted,
    GangReason,
    QueueInsufficient,
    QuotaInsufficient,
    Shortage,
)
from windlass.gateway.views.reading import amount_of


def wait_sentence(reason: GangReason) -> str:
    """`Needs 2400 cpu, 1.8 free in the cluster`."""
    if isinstance(reason, GangNotAdmitted):
        return "; ".join(map(_refusal, reason.refusals))
    return short_text(reason)


def _refusal(cause: AdmissionCause) -> str:
    match cause:
        case ClusterInsufficient(shortages) if shortages:
            return f"Needs {_amounts(shortages)} in the cluster"
        case QueueInsufficient(queue, shortages) if shortages:
            return f"Needs {_amounts(shortages)} in queue {queue}"
        case QuotaInsufficient(quota, resources) if resources:
            return f"Needs more {' and '.join(resources)} than quota {quota} has left"
        case _:
            return admission_cause(cause)


def _amounts(shortages: Iterable[Shortage]) -> str:
    return " and ".join(
        f"{amount_of(one.requested, one.resource).text} {one.resource}, {amount_of(one.free, one.resource).text} free"
        for one in shortages
    )
