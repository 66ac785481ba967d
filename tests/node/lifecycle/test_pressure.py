"""Who goes when memory runs out."""

from typing import Any

from windlass.node.lifecycle.pressure import pod_to_evict

MEBI = 2**20


def a_pod(*, request: str = "", priority: int = 0, phase: str = "Running") -> dict[str, Any]:
    resources = {"requests": {"memory": request}} if request else {}
    return {
        "metadata": {"name": "p"},
        "spec": {"priority": priority, "containers": [{"name": "main", "resources": resources}]},
        "status": {"phase": phase},
    }


def chosen(pods: dict[str, Any], used: dict[str, int]) -> str | None:
    found = pod_to_evict(pods, {uid: {"main": mebi * MEBI} for uid, mebi in used.items()}, 50 * MEBI, 100 * MEBI)
    return found[0] if found else None


def test_who_is_over_its_request_goes_before_who_uses_more_but_asked_for_it() -> None:
    assert chosen({"honest": a_pod(request="2Gi"), "over": a_pod()}, {"honest": 1500, "over": 300}) == "over"


def test_of_those_over_their_request_the_lower_priority_goes_first() -> None:
    pods = {"low": a_pod(priority=1), "high": a_pod(priority=10)}
    assert chosen(pods, {"low": 100, "high": 900}) == "low"


def test_of_equals_the_one_furthest_over_goes() -> None:
    assert chosen({"a": a_pod(request="100Mi"), "b": a_pod()}, {"a": 500, "b": 300}) == "a"


def test_critical_and_ended_pods_stay() -> None:
    pods = {"critical": a_pod(priority=2_000_000_000), "ended": a_pod(phase="Succeeded")}
    assert chosen(pods, {"critical": 900, "ended": 900}) is None


def test_the_message_names_the_shortage_and_who_caused_it() -> None:
    found = pod_to_evict({"u": a_pod()}, {"u": {"main": 300 * MEBI}}, 50 * MEBI, 100 * MEBI)
    assert found is not None
    assert found[1].message == (
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51200Ki. "
        "Container main was using 307200Ki, request is 0, has larger consumption of memory. "
    )
