"""Evicting a pod: only as far as its disruption budget goes, and not at all in a dry run."""

from collections.abc import Iterator

import pytest

from tests.support import Windlass, running

PODS = "/api/v1/namespaces/{}/pods"
BUDGETS = "/apis/policy/v1/namespaces/{}/poddisruptionbudgets"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """Without controllers, so that budgets stand as these tests say."""
    with running(tmp_path_factory.mktemp("eviction")) as windlass:
        yield windlass


@pytest.fixture
def pod(server: Windlass, namespace: str) -> str:
    server.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    spec = {"containers": [{"name": "c", "image": "busybox"}]}
    body = {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": spec}
    server.create(PODS.format(namespace), body)
    return f"{PODS.format(namespace)}/web"


def test_a_dry_run_evicts_nothing(server: Windlass, pod: str) -> None:
    answer = server.request("POST", f"{pod}/eviction", {"deleteOptions": {"dryRun": ["All"]}})

    assert answer.status == 201
    assert server.get(pod)["metadata"]["name"] == "web"


def test_an_eviction_takes_the_pod_away(server: Windlass, pod: str) -> None:
    assert server.request("POST", f"{pod}/eviction", {}).status == 201
    assert server.request("GET", pod).status == 404


@pytest.fixture
def budget(server: Windlass, namespace: str, pod: str) -> str:
    """A budget of which nobody has said yet how it stands, for a pod that runs."""
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    server.create(BUDGETS.format(namespace), {"metadata": {"name": "keep"}, "spec": spec})
    set_ready(server, pod, "True")
    return f"{BUDGETS.format(namespace)}/keep"


def set_ready(server: Windlass, pod: str, ready: str) -> None:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    assert server.patch(f"{pod}/status", {"status": status}).status == 200


def set_budget(server: Windlass, budget: str, allowed: int, current: int, desired: int = 1) -> None:
    status = {
        "observedGeneration": server.get(budget)["metadata"]["generation"],
        "disruptionsAllowed": allowed,
        "currentHealthy": current,
        "desiredHealthy": desired,
        "expectedPods": 2,
    }
    assert server.patch(f"{budget}/status", {"status": status}).status == 200


def reasons(server: Windlass, pod: str) -> list[str]:
    refused = server.request("POST", f"{pod}/eviction", {})
    assert refused.status == 429
    return [cause["message"] for cause in refused.json()["details"]["causes"] if cause["reason"] == "DisruptionBudget"]


def test_a_budget_that_was_not_looked_at_yet_forbids_it(server: Windlass, pod: str, budget: str) -> None:
    assert reasons(server, pod) == ["The disruption budget keep is still being processed by the server."]


def test_an_exhausted_budget_forbids_it_and_a_spare_disruption_is_spent(
    server: Windlass, pod: str, budget: str
) -> None:
    set_budget(server, budget, allowed=0, current=1)
    assert reasons(server, pod) == ["The disruption budget keep needs 1 healthy pods and has 1 currently"]

    set_budget(server, budget, allowed=1, current=2)
    assert server.request("POST", f"{pod}/eviction", {}).status == 201
    status = server.get(budget)["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["web"])


def test_a_pod_that_did_not_start_yet_costs_no_budget(server: Windlass, namespace: str, pod: str) -> None:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    server.create(BUDGETS.format(namespace), {"metadata": {"name": "keep"}, "spec": spec})
    assert server.request("POST", f"{pod}/eviction", {}).status == 201


def test_a_pod_that_is_not_ready_costs_nothing_while_the_others_are_enough(
    server: Windlass, pod: str, budget: str
) -> None:
    set_ready(server, pod, "False")
    set_budget(server, budget, allowed=0, current=0)
    assert reasons(server, pod) == ["The disruption budget keep needs 1 healthy pods and has 0 currently"]

    set_budget(server, budget, allowed=0, current=1)
    assert server.request("POST", f"{pod}/eviction", {}).status == 201


def test_a_pod_that_is_not_ready_may_always_go_where_the_budget_says_so(
    server: Windlass, pod: str, budget: str
) -> None:
    assert server.patch(budget, {"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}}).status == 200
    set_ready(server, pod, "False")
    assert server.request("POST", f"{pod}/eviction", {}).status == 201


def test_a_precondition_that_does_not_hold_is_a_conflict(server: Windlass, pod: str) -> None:
    options = {"deleteOptions": {"preconditions": {"uid": "another"}}}

    assert server.request("POST", f"{pod}/eviction", options).status == 409
