"""Whether a node that failed is tried again, and when."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.apps.pipelines.argo.language.expressions import ExpressionError, is_true
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.nodes import ERROR
from windlass.apps.pipelines.argo.times import moment, seconds_of
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.moments import moment_after

POLICIES = ("Always", "OnFailure", "OnError", "OnTransientError")


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens after a failed attempt: the next one at `at`, or the end with a message."""

    is_retried: bool
    message: str = ""
    at: datetime | None = None


def decide(strategy: Object, attempts: list[Object], scope: Scope) -> Decision:
    """Decide after the last of the attempts has failed; all of them are final."""
    last = attempts[-1]
    try:
        limit = strategy.get("limit")
        if limit not in (None, "") and len(attempts) > int(str(limit)):
            return Decision(False, "No more retries left")
        if not _policy_allows(strategy, last):
            return Decision(False, str(last.get("message", "")))
        expression = strategy.get("expression")
        if expression and not is_true(str(expression), scope.with_values(last_retry(last, attempts))):
            return Decision(False, "retryStrategy.expression evaluated to false")
        return _after_backoff(dig_object(strategy, "backoff"), attempts)
    except (ValueError, OverflowError, Unresolved, ExpressionError) as error:
        return Decision(False, f"retryStrategy: {error}")


def _policy_allows(strategy: Object, last: Object) -> bool:
    policy = strategy.get("retryPolicy") or ("Always" if strategy.get("expression") else "OnFailure")
    is_error = last["phase"] == ERROR
    match policy:
        case "Always":
            return True
        case "OnFailure":
            return not is_error
        case _:
            return is_error


def last_retry(last: Object, attempts: list[Object]) -> dict[str, str]:
    """Values that the expression may use."""
    return {
        "lastRetry.exitCode": str(dig(last, "outputs", "exitCode") or "-1"),
        "lastRetry.status": str(last["phase"]),
        "lastRetry.message": str(last.get("message", "")),
        "lastRetry.duration": str(
            int((moment(last.get("finishedAt")) - moment(last.get("startedAt"))).total_seconds())
        ),
        "retries": str(len(attempts) - 1),
    }


def _after_backoff(backoff: Object, attempts: list[Object]) -> Decision:
    finished = moment(attempts[-1].get("finishedAt"))
    if not backoff.get("duration"):
        return Decision(True, at=finished)
    factor = float(str(backoff.get("factor") or 1))
    wait = seconds_of(backoff["duration"]) * min(factor ** (len(attempts) - 1), 1e9)
    if backoff.get("cap"):
        wait = min(wait, seconds_of(backoff["cap"]))
    at = moment_after(finished, wait)
    longest = backoff.get("maxDuration")
    if longest and at > moment(attempts[0].get("startedAt")) + timedelta(seconds=seconds_of(longest)):
        return Decision(False, "Max duration limit exceeded")
    return Decision(True, f"Backoff for {wait:g} seconds", at)
