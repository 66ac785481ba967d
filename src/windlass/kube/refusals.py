"""What is reported of a write that the server refused: the event, the condition, and when two refusals are alike. Pure.

A refusal is an answer that the same request would get again: an admission plug-in or webhook denied it, a quota is
exceeded, a field is invalid. A conflict, a server that is busy or away, or an expired credential is none: those are
retried, and nothing is reported on the object.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from windlass.kube import errors
from windlass.kube.json import Object as Json
from windlass.kube.json import dig_list, timestamp
from windlass.kube.meta import PartialObjectMetadata
from windlass.kube.objects import AnyObject, declared_kind, key_of, wire
from windlass.kube.plan import Event, Outcome

REPLICA_FAILURE = "ReplicaFailure"
"""Kubernetes' condition for "a child could not be created or deleted"; kinds without one of their own use it."""
_PASSING = (
    errors.Conflict,
    errors.Unauthorized,
    errors.Gone,
    errors.TooManyRequests,
    errors.ServiceUnavailable,
    errors.Timeout,
    errors.InsufficientStorage,
)
_VERBS = {"create": "creating", "update": "updating", "delete": "deleting"}


class NotOurs(errors.AlreadyExists):
    """A child's name is taken by an object that something else controls."""


def is_refusal(error: BaseException | None) -> bool:
    if isinstance(error, NotOurs):
        return True
    return isinstance(error, errors.ApiError) and not isinstance(error, _PASSING)


def is_namespace_terminating(error: errors.ApiError) -> bool:
    """Whether the child was refused because its namespace goes, and its owner with it: nothing to report."""
    return error.has_cause(errors.NAMESPACE_TERMINATING)


def is_reportable(error: errors.ApiError) -> bool:
    return is_refusal(error) and not is_namespace_terminating(error)


def reportable(failed: Sequence[Outcome]) -> list[Outcome]:
    """Those of a plan's failures that the owner's status and events report."""
    return [outcome for outcome in failed if outcome.error is not None and is_reportable(outcome.error)]


def attempted(outcome: Outcome) -> str:
    """`create`, `update` or `delete`; an apply is one or the other, by what was there."""
    if outcome.verb == "apply":
        return "create" if outcome.before is None else "update"
    return "update" if outcome.verb == "patch" else outcome.verb


def reason_of(outcome: Outcome) -> str:
    return f"Failed{attempted(outcome).capitalize()}"


def explain(outcome: Outcome) -> str:
    """`Error creating: pods "a" is forbidden: …`: the server's words, and the child where those do not name it."""
    assert outcome.error is not None
    doing, name = _VERBS[attempted(outcome)], _name(outcome.obj)
    child = "" if name in outcome.error.message else f' {_kind(outcome.obj)} "{name}"'
    return f"Error {doing}{child}: {outcome.error.message}"


def note(outcome: Outcome) -> Event | None:
    """The event on the owner, unless its controller has another wording; None for what is no refusal."""
    if not reportable([outcome]):
        return None
    if isinstance(outcome.error, NotOurs):
        return Event(reason="ChildTaken", message=outcome.error.message, warning=True)
    return Event(reason=reason_of(outcome), message=explain(outcome), warning=True)


def with_condition(status: Json, type: str, outcome: Outcome, owner: str, now: datetime) -> Json:
    """The status with the condition `type` for the refused child.

    A condition that says the same stays as it is: names of pods are generated, and a status that changed at every
    attempt would wake its controller for the next one.
    """
    conditions: list[Json] = dig_list(status, "conditions")
    old = next((one for one in conditions if one.get("type") == type), None)
    message = explain(outcome)
    if old is not None and old.get("status") == "True" and alike(str(old.get("message")), message, owner):
        return status
    moment = timestamp(now)
    since = old.get("lastTransitionTime") if old is not None and old.get("status") == "True" else moment
    new: Json = {"type": type, "status": "True", "reason": reason_of(outcome), "message": message}
    new["lastTransitionTime"] = since or moment
    return {**status, "conditions": [*_others(conditions, type), new]}


def without_condition(status: Json, type: str) -> Json:
    conditions: list[Json] = dig_list(status, "conditions")
    others = _others(conditions, type)
    return status if len(others) == len(conditions) else {**status, "conditions": others}


def has_condition(status: Json, type: str) -> bool:
    return any(one.get("type") == type for one in dig_list(status, "conditions"))


def alike(one: str, other: str, owner: str) -> bool:
    """Whether two messages are the same but for the generated names of the owner's children."""
    return one == other or without_names(one, owner) == without_names(other, owner)


def without_names(message: str, owner: str) -> str:
    """The message without the names of the owner's children."""
    return re.sub(rf'"{re.escape(owner)}-[a-z0-9.-]*"', '""', message)


def _others(conditions: Sequence[Json], type: str) -> list[Json]:
    return [one for one in conditions if one.get("type") != type]


def _name(obj: AnyObject) -> str:
    if isinstance(obj, dict) and not obj["metadata"].get("name"):
        return str(obj["metadata"].get("generateName") or "")
    return key_of(obj).name


def _kind(obj: AnyObject) -> str:
    if isinstance(obj, PartialObjectMetadata):
        return "object"
    declared = declared_kind(obj)
    return declared.name if declared is not None else str(wire(obj).get("kind"))
