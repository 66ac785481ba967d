"""What is reported of a write that the server refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass.kube import errors, refusals
from windlass.kube.plan import Event, Outcome

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POD: Any = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1"}}
QUOTA = errors.Forbidden('pods "web-1" is forbidden: exceeded quota: small')


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (errors.BadRequest("no"), True),
        (errors.Forbidden("no"), True),
        (errors.Invalid("no"), True),
        (errors.NotFound("the namespace is not there"), True),
        (errors.TooLarge("no"), True),
        (errors.InternalError("failed calling webhook"), True),
        (refusals.NotOurs("taken"), True),
        (errors.Conflict("changed"), False),
        (errors.AlreadyExists("there"), False),
        (errors.Unauthorized("who"), False),
        (errors.TooManyRequests("later"), False),
        (errors.ServiceUnavailable("later"), False),
        (errors.Timeout("later"), False),
        (KeyError("a bug"), False),
    ],
)
def test_only_an_answer_that_would_come_again_is_a_refusal(error: Exception, refused: bool) -> None:
    assert refusals.is_refusal(error) is refused


@pytest.mark.parametrize(
    ("outcome", "reason", "message"),
    [
        (Outcome("create", POD, QUOTA), "FailedCreate", f"Error creating: {QUOTA.message}"),
        (Outcome("apply", POD, QUOTA), "FailedCreate", f"Error creating: {QUOTA.message}"),
        (Outcome("apply", POD, QUOTA, before=POD), "FailedUpdate", f"Error updating: {QUOTA.message}"),
        (Outcome("patch", POD, QUOTA), "FailedUpdate", f"Error updating: {QUOTA.message}"),
        (Outcome("delete", POD, QUOTA), "FailedDelete", f"Error deleting: {QUOTA.message}"),
        (Outcome("create", POD, errors.Forbidden("no")), "FailedCreate", 'Error creating Pod "web-1": no'),
        (Outcome("apply", POD, refusals.NotOurs("taken by x")), "ChildTaken", "taken by x"),
    ],
)
def test_the_event_has_the_servers_words_and_names_the_child(outcome: Outcome, reason: str, message: str) -> None:
    assert refusals.note(outcome) == Event(reason=reason, message=message, warning=True)


def test_nothing_is_reported_when_the_namespace_goes_or_the_write_is_retried_anyway() -> None:
    going = errors.Forbidden("no", causes=[errors.Cause("", "it goes", "NamespaceTerminating")])
    for error in (going, errors.Conflict("changed")):
        assert refusals.note(Outcome("create", POD, error)) is None
        assert refusals.reportable([Outcome("create", POD, error)]) == []


def refused(status: dict[str, Any], why: str = "", pod: str = "web-1", later: int = 0) -> dict[str, Any]:
    child = {**POD, "metadata": {"name": pod}}
    outcome = Outcome("create", child, errors.Forbidden(f'pods "{pod}" is forbidden{why}'))
    return refusals.with_condition(status, "ReplicaFailure", outcome, "web", NOW + timedelta(seconds=later))


def test_the_condition_is_set_beside_others_and_removed_again() -> None:
    before = {"replicas": 1, "conditions": [{"type": "Ready", "status": "True"}]}
    status = refused(before)

    assert status["conditions"] == [
        *before["conditions"],
        {
            "type": "ReplicaFailure",
            "status": "True",
            "reason": "FailedCreate",
            "message": 'Error creating: pods "web-1" is forbidden',
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        },
    ]
    assert refusals.has_condition(status, "ReplicaFailure")
    assert refusals.without_condition(status, "ReplicaFailure") == before


def test_a_condition_that_says_the_same_stays_whatever_the_next_pod_is_called() -> None:
    status = refused({}, ': quota "q1"')

    assert refused(status, ': quota "q1"', pod="web-x7k2p", later=9) == status
    changed = refused(status, ': quota "q2"', later=9)["conditions"][0]
    assert (changed["message"][-4:], changed["lastTransitionTime"]) == ('"q2"', "2026-01-01T00:00:00Z")
