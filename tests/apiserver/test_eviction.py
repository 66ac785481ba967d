"""Evicting a pod: only as far as its disruption budget goes, and not at all in a dry run."""

import pytest

from tests.support import Windlass, eventually

PODS = "/api/v1/namespaces/{}/pods"
BUDGETS = "/apis/policy/v1/namespaces/{}/poddisruptionbudgets"


@pytest.fixture
def pod(server: Windlass, namespace: str) -> str:
    spec = {"containers": [{"name": "c", "image": "busybox"}]}
    body = {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": spec}
    eventually(lambda: server.request("POST", PODS.format(namespace), body).status in (201, 409))
    return f"{PODS.format(namespace)}/web"


def test_a_dry_run_evicts_nothing(server: Windlass, pod: str) -> None:
    answer = server.request("POST", f"{pod}/eviction", {"deleteOptions": {"dryRun": ["All"]}})

    assert answer.status == 201
    assert server.get(pod)["metadata"]["name"] == "web"


def test_an_eviction_takes_the_pod_away(server: Windlass, pod: str) -> None:
    assert server.request("POST", f"{pod}/eviction", {}).status == 201
    assert server.request("GET", pod).status == 404


def test_an_exhausted_budget_forbids_it_and_a_spare_disruption_is_spent(
    server: Windlass, namespace: str, pod: str
) -> None:
    budgets = BUDGETS.format(namespace)
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    server.create(budgets, {"metadata": {"name": "keep"}, "spec": spec})

    refused = server.request("POST", f"{pod}/eviction", {})
    assert refused.status == 429
    assert refused.json()["details"]["causes"][0]["reason"] == "DisruptionBudget"

    status = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    assert server.patch(f"{budgets}/keep/status", {"status": status}).status == 200
    assert server.request("POST", f"{pod}/eviction", {}).status == 201
    assert server.get(f"{budgets}/keep")["status"]["disruptionsAllowed"] == 0


def test_a_precondition_that_does_not_hold_is_a_conflict(server: Windlass, pod: str) -> None:
    options = {"deleteOptions": {"preconditions": {"uid": "another"}}}

    assert server.request("POST", f"{pod}/eviction", options).status == 409
