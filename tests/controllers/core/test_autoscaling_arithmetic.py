from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass.apis.core_v1 import Pod, PodCondition, PodStatus
from windlass.controllers.core.autoscaling_counts import (
    NoMetrics,
    Sample,
    Tolerance,
    by_average,
    by_shared_average,
    by_utilization,
    by_value,
    group,
)
from windlass.controllers.core.autoscaling_pace import Memory, paced
from windlass.kube.meta import ObjectMeta

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
AGO = "2026-01-01T11:00:00Z"


def a_pod(
    name: str,
    phase: str = "Running",
    *,
    ready: str = "True",
    started: str = AGO,
    turned: str = "2026-01-01T11:01:00Z",
    going: bool = False,
) -> Pod:
    condition = PodCondition(type="Ready", status="True" if ready == "True" else "False", last_transition_time=turned)
    return Pod(
        metadata=ObjectMeta(name=name, deletion_timestamp=AGO if going else None),
        status=PodStatus(phase=phase, conditions=[condition], start_time=started),
    )


def count(current: int, target: int, uses: dict[str, int], pods: list[Pod], requested: int = 1000) -> Any:
    samples = {name: Sample(value, NOW) for name, value in uses.items()}
    groups = group(pods, samples, cpu=True, now=NOW)
    requests = {pod.metadata.name: requested for pod in pods}
    return by_utilization(current, target, samples, requests, groups, Tolerance())


def pods_of(count: int) -> list[Pod]:
    return [a_pod(f"p{n}") for n in range(count)]


@pytest.mark.parametrize(
    ("target", "uses", "expected"),
    [
        (30, [300, 500, 700], 5),
        (30, [300, 500, 190], 3),
        (50, [300, 500, 700], 3),
        (100, [1010, 1030, 1020], 3),
        (100, [1110, 1110, 1110], 4),
        (50, [100, 100, 100], 1),
        (80, [240, 240, 240], 1),
    ],
)
def test_replicas_by_utilization(target: int, uses: list[int], expected: int) -> None:
    used = {f"p{n}": value for n, value in enumerate(uses)}
    assert count(3, target, used, pods_of(3)).replicas == expected


def test_utilization_and_average_are_told() -> None:
    found = count(2, 50, {"p0": 200, "p1": 301}, pods_of(2))
    assert (found.utilization, found.average) == (25, 250)


@pytest.mark.parametrize(
    ("uses", "pods", "expected"),
    [
        ({"p0": 1000}, [a_pod("p0"), a_pod("p1")], 2),  # the missing one is taken to use nothing: within tolerance
        ({"p0": 2000}, [a_pod("p0"), a_pod("p1")], 4),
        ({"p0": 100}, [a_pod("p0"), a_pod("p1")], 2),  # the missing one is taken to use all of its request
        ({"p0": 1000, "p1": 0}, [a_pod("p0"), a_pod("p1", "Pending")], 2),
        ({"p0": 2500, "p1": 0}, [a_pod("p0"), a_pod("p1", ready="False", started="2026-01-01T11:59:00Z")], 5),
        ({"p0": 500, "p1": 900}, [a_pod("p0"), a_pod("p1", going=True)], 2),
        ({"p0": 500, "p1": 900}, [a_pod("p0"), a_pod("p1", "Failed")], 2),
    ],
)
def test_pods_that_say_nothing_are_taken_to_change_the_least(
    uses: dict[str, int], pods: list[Pod], expected: int
) -> None:
    assert count(2, 50, uses, pods).replicas == expected


def test_nothing_is_said_where_no_ready_pod_has_a_metric() -> None:
    with pytest.raises(NoMetrics, match="did not receive metrics"):
        count(1, 50, {}, pods_of(1))


def test_replicas_by_amounts() -> None:
    samples = {f"p{n}": Sample(value, NOW) for n, value in enumerate((20_000, 10_000, 30_000))}
    groups = group(pods_of(3), samples, cpu=False, now=NOW)
    assert by_average(3, 15_000, samples, groups, Tolerance()).replicas == 4
    assert by_average(3, 20_000, samples, groups, Tolerance()).replicas == 3
    assert by_value(3, 3, 15_000, 20_000, Tolerance()).replicas == 4
    assert by_value(0, 0, 10_000, 25_000, Tolerance()).replicas == 3
    assert by_shared_average(3, 10_000, 55_000, Tolerance()).replicas == 6
    assert by_shared_average(3, 10_000, 31_000, Tolerance()).replicas == 3


def verdict(current: int, wished: int, behavior: Any = None, memory: Memory | None = None, most: int = 50) -> Any:
    found = paced(current, wished, (1, most), behavior, memory or Memory(), NOW)
    return found.replicas, found.reason


@pytest.mark.parametrize(
    ("current", "wished", "behavior", "expected"),
    [
        (2, 3, None, (3, "DesiredWithinRange")),
        (1, 30, None, (5, "ScaleUpLimit")),
        (10, 30, None, (20, "ScaleUpLimit")),
        (30, 99, None, (50, "TooManyReplicas")),
        (5, 0, None, (1, "TooFewReplicas")),
        (5, 2, None, (2, "DesiredWithinRange")),
        (5, 9, {"scaleUp": {"selectPolicy": "Disabled"}}, (5, "ScaleUpLimit")),
        (5, 1, {"scaleDown": {"selectPolicy": "Disabled"}}, (5, "ScaleDownLimit")),
        (9, 1, {"scaleDown": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}}, (7, "ScaleDownLimit")),
        (
            10,
            30,
            {
                "scaleUp": {
                    "selectPolicy": "Min",
                    "policies": [
                        {"type": "Pods", "value": 4, "periodSeconds": 60},
                        {"type": "Percent", "value": 10, "periodSeconds": 60},
                    ],
                }
            },
            (11, "ScaleUpLimit"),
        ),
    ],
)
def test_the_pace_of_a_change(current: int, wished: int, behavior: Any, expected: tuple[int, str]) -> None:
    assert verdict(current, wished, behavior) == expected


def test_a_policy_counts_what_was_added_in_its_period() -> None:
    policy = {"scaleUp": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]}}
    memory = Memory(changes=[(NOW - timedelta(seconds=30), 3), (NOW - timedelta(seconds=90), 9)])
    assert verdict(8, 20, policy, memory) == (9, "ScaleUpLimit")


def test_scaling_down_waits_for_the_highest_wish_of_five_minutes() -> None:
    memory = Memory(proposals=[(NOW - timedelta(seconds=200), 6), (NOW - timedelta(seconds=400), 9)])
    found = paced(8, 2, (1, 10), None, memory, NOW)
    assert found.replicas == 6
    assert found.able is not None
    assert found.able[0] == "ScaleDownStabilized"


def test_scaling_up_waits_for_the_lowest_wish_of_its_window() -> None:
    memory = Memory(proposals=[(NOW - timedelta(seconds=20), 4)])
    found = paced(3, 6, (1, 10), {"scaleUp": {"stabilizationWindowSeconds": 60}}, memory, NOW)
    assert found.replicas == 4
    assert found.able is not None
    assert found.able[0] == "ScaleUpStabilized"
