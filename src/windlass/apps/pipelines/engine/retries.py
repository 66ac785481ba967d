"""When a failed task is tried again. Pure."""

from windlass.apps.pipelines.ir.durations import seconds
from windlass.apps.pipelines.ir.spec import RetryPolicy

DEFAULT_FACTOR = 2.0
MAX_WAIT_SECONDS = 365 * 24 * 3600.0
"""A bound of what an exponential back-off can grow to."""


def next_attempt_at(policy: RetryPolicy, failures: int, first_start: float, now: float) -> float | None:
    """The time of the attempt after that many failures; None if there is none.

    The wait after failure i is `backoffDuration * backoffFactor^(i-1)`. No attempt starts later than
    `backoffMaxDuration` after the first one.
    """
    if failures > policy.max_retry_count:
        return None
    at = now + _wait(seconds(policy.backoff_duration), policy.backoff_factor or DEFAULT_FACTOR, failures)
    limit = seconds(policy.backoff_max_duration)
    return None if limit and at > first_start + limit else at


def _wait(base: float, factor: float, failures: int) -> float:
    try:
        return min(base * factor ** (failures - 1), MAX_WAIT_SECONDS)
    except OverflowError:
        return MAX_WAIT_SECONDS if base else 0.0
