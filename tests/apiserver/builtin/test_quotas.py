"""Quotas count only what their scope can count."""

from typing import Any

import pytest

from windlass.apiserver.builtin.quotas import Quotas


def _messages(spec: dict[str, Any]) -> list[tuple[str, str]]:
    return [(cause.field, cause.message) for cause in Quotas().validate({"spec": spec})]


@pytest.mark.parametrize(
    ("scopes", "hard"),
    [
        (["BestEffort"], {"pods": "1"}),
        (["NotBestEffort", "Terminating"], {"pods": "1", "requests.cpu": "1", "limits.memory": "1Gi"}),
        (["BestEffort"], {"pods": "1", "example.com/gpu": "1"}),
        ([], {"cpu": "1", "services": "2"}),
    ],
)
def test_a_scope_that_fits_its_resources_is_taken(scopes: list[str], hard: dict[str, str]) -> None:
    assert _messages({"scopes": scopes, "hard": hard}) == []


@pytest.mark.parametrize(
    ("scopes", "hard", "why"),
    [
        (["BestEffort"], {"cpu": "1"}, "unsupported scope applied to resource"),
        (["Terminating"], {"services": "1"}, "unsupported scope applied to resource"),
        (["Nope"], {"pods": "1"}, "unsupported scope"),
        (["Terminating", "NotTerminating"], {"pods": "1"}, "conflicting scopes"),
    ],
)
def test_a_scope_that_does_not_fit_is_refused(scopes: list[str], hard: dict[str, str], why: str) -> None:
    [(field, message)] = _messages({"scopes": scopes, "hard": hard})
    assert field == "spec.scopes"
    assert message.endswith(why)


def test_a_scope_selector_needs_values_exactly_where_its_operator_compares() -> None:
    without = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}
    spare = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "Exists", "values": ["high"]}]}
    hard = {"pods": "1"}
    path = "spec.scopeSelector.matchExpressions.values"
    assert [field for field, _ in _messages({"hard": hard, "scopeSelector": without})] == [path]
    assert [field for field, _ in _messages({"hard": hard, "scopeSelector": spare})] == [path]
