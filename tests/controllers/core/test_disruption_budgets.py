from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from tests.kube.live import managed, until
from windlass.apis.apps_v1 import Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec, StatefulSet, StatefulSetSpec
from windlass.apis.core_v1 import Pod, PodCondition, PodStatus, ServiceAccount
from windlass.apis.policy_v1 import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from windlass.controllers.core import disruption_budgets
from windlass.controllers.core.disruption_budgets import reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, LabelSelector, ObjectMeta, OwnerReference
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Plan

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
ALL = LabelSelector(match_labels={"app": "web"})


def a_budget(disrupted: dict[str, str] | None = None, **spec: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        metadata=ObjectMeta(name="b", namespace="n", uid="b1", generation=2),
        spec=PodDisruptionBudgetSpec(**{"selector": ALL, **spec}),
        status=PodDisruptionBudgetStatus(disrupted_pods=disrupted or {}),
    )


def an_owner(kind: str, name: str = "web") -> OwnerReference:
    return OwnerReference(api_version="apps/v1", kind=kind, name=name, uid=f"{kind}/{name}", controller=True)


def a_pod(number: int, owner: OwnerReference | None = None, *, ready: bool = True, going: bool = False) -> Pod:
    owners = [owner] if owner is not None else []
    gone = "2026-01-01T11:59:00Z" if going else None
    labels = {"app": "web"}
    return Pod(
        metadata=ObjectMeta(
            name=f"p{number}", namespace="n", uid=f"p{number}", labels=labels, owner_references=owners,
            deletion_timestamp=gone,
        ),
        status=PodStatus(phase="Running", conditions=[PodCondition(type="Ready", status="True" if ready else "False")]),
    )  # fmt: skip


def a_stateful_set(replicas: int, name: str = "web") -> StatefulSet:
    metadata = ObjectMeta(name=name, namespace="n", uid=f"StatefulSet/{name}")
    return StatefulSet(metadata=metadata, spec=StatefulSetSpec(replicas=replicas))


def plan_of(budget: PodDisruptionBudget, *objects: AnyObject) -> Plan:
    return reconcile(budget, Observed.just(*objects, of=budget, now=NOW))


def status_of(budget: PodDisruptionBudget, *objects: AnyObject) -> PodDisruptionBudgetStatus:
    status = plan_of(budget, *objects).status
    assert isinstance(status, PodDisruptionBudgetStatus)
    return status


def numbers(status: PodDisruptionBudgetStatus) -> tuple[int | None, ...]:
    return status.expected_pods, status.current_healthy, status.desired_healthy, status.disruptions_allowed


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"min_available": 1}, (3, 2, 1, 1)),
        ({"min_available": 2}, (3, 2, 2, 0)),
        ({"min_available": 5}, (3, 2, 5, 0)),
        ({"min_available": "50%"}, (4, 2, 2, 0)),
        ({"min_available": "30%"}, (4, 2, 2, 0)),
        ({"min_available": "25%"}, (4, 2, 1, 1)),
        ({"max_unavailable": 1}, (4, 2, 3, 0)),
        ({"max_unavailable": 3}, (4, 2, 1, 1)),
        ({"max_unavailable": "50%"}, (4, 2, 2, 0)),
        ({"max_unavailable": 9}, (4, 2, 0, 2)),
        ({"max_unavailable": 0}, (4, 2, 4, 0)),
    ],
)
def test_numbers_of_three_pods_of_four_wanted_with_two_ready(spec: dict[str, Any], expected: tuple[int, ...]) -> None:
    owner = an_owner("StatefulSet")
    pods = [a_pod(1, owner), a_pod(2, owner), a_pod(3, owner, ready=False)]
    assert numbers(status_of(a_budget(**spec), a_stateful_set(4), *pods)) == expected


def test_the_condition_says_whether_a_pod_may_go() -> None:
    enough = status_of(a_budget(min_available=1), a_pod(1), a_pod(2))
    assert enough.observed_generation == 2
    (condition,) = enough.conditions
    assert (condition.type, condition.status, condition.reason, condition.observed_generation) == (
        "DisruptionAllowed",
        "True",
        "SufficientPods",
        2,
    )
    (condition,) = status_of(a_budget(min_available=2), a_pod(1), a_pod(2)).conditions
    assert (condition.status, condition.reason) == ("False", "InsufficientPods")


def test_a_deployment_speaks_for_its_replica_sets() -> None:
    deployment = Deployment(
        metadata=ObjectMeta(name="web", namespace="n", uid="Deployment/web"), spec=DeploymentSpec(replicas=4)
    )
    sets = [
        ReplicaSet(
            metadata=ObjectMeta(
                name=name, namespace="n", uid=f"ReplicaSet/{name}", owner_references=[an_owner("Deployment")]
            ),
            spec=ReplicaSetSpec(replicas=3),
        )
        for name in ("old", "new")
    ]
    pods = [a_pod(1, an_owner("ReplicaSet", "old")), a_pod(2, an_owner("ReplicaSet", "new"))]
    assert numbers(status_of(a_budget(max_unavailable=1), deployment, *sets, *pods)) == (4, 2, 3, 0)


def test_controllers_add_up() -> None:
    sets = [a_stateful_set(2, "a"), a_stateful_set(3, "b")]
    pods = [a_pod(n, an_owner("StatefulSet", name)) for n, name in enumerate("aabbb")]
    assert numbers(status_of(a_budget(max_unavailable=1), *sets, *pods)) == (5, 5, 4, 1)


def test_going_pods_are_not_healthy() -> None:
    assert numbers(status_of(a_budget(min_available=1), a_pod(1, going=True), a_pod(2))) == (2, 1, 1, 0)


def test_an_evicted_pod_counts_as_gone_for_two_minutes() -> None:
    budget = a_budget({"p1": "2026-01-01T11:59:00Z", "p9": "2026-01-01T11:59:00Z"}, min_available=1)
    plan = plan_of(budget, a_pod(1), a_pod(2))
    assert isinstance(plan.status, PodDisruptionBudgetStatus)
    assert numbers(plan.status) == (2, 1, 1, 0)
    assert plan.status.disrupted_pods == {"p1": "2026-01-01T11:59:00Z"}
    assert plan.again_in == timedelta(minutes=1)

    late = a_budget({"p1": "2026-01-01T11:57:59Z"}, min_available=1)
    assert numbers(status_of(late, a_pod(1), a_pod(2))) == (2, 2, 1, 1)
    assert status_of(late, a_pod(1), a_pod(2)).disrupted_pods == {}


def test_nothing_may_go_where_the_scale_is_not_known() -> None:
    job = OwnerReference(api_version="batch/v1", kind="Job", name="j", uid="j", controller=True)
    plan = plan_of(a_budget(max_unavailable=1), a_pod(1, job))
    assert isinstance(plan.status, PodDisruptionBudgetStatus)
    (condition,) = plan.status.conditions
    assert plan.status.disruptions_allowed == 0
    assert (condition.status, condition.reason, condition.message) == (
        "False",
        "SyncFailed",
        "jobs.batch does not implement the scale subresource",
    )
    assert [note.reason for note in plan.events] == ["CalculateExpectedPodCountFailed"]


@pytest.mark.parametrize(
    ("spec", "pods", "reasons"),
    [
        ({"min_available": 1}, [], ["NoPods"]),
        ({"min_available": 1}, [a_pod(1)], []),
        ({"max_unavailable": 1}, [a_pod(1)], ["UnmanagedPods"]),
        ({"min_available": 1, "selector": None}, [a_pod(1)], ["NoPods"]),
    ],
)
def test_what_is_odd_is_told(spec: dict[str, Any], pods: list[Pod], reasons: list[str]) -> None:
    assert [note.reason for note in plan_of(a_budget(**spec), *pods).events] == reasons


async def test_evictions_stop_when_the_budget_is_used_up(client: Client, room: str) -> None:
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    async with managed(client, disruption_budgets.CONTROLLER):
        for number in (1, 2):
            metadata = {"name": f"p{number}", "namespace": room, "labels": {"app": "web"}}
            spec = {"containers": [{"name": "c", "image": "i"}]}
            await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
            status = msgspec.to_builtins(a_pod(number).status)
            await client.set_status(KINDS.of(Pod), Key(room, f"p{number}"), status)
        budget = msgspec.structs.replace(a_budget(min_available=1), metadata=ObjectMeta(name="b", namespace=room))
        await client.create(budget)

        async def allowed(count: int, healthy: int) -> bool:
            status = (await client.get(PodDisruptionBudget, "b", room)).status
            return (status.disruptions_allowed or 0, status.current_healthy) == (count, healthy)

        await until(lambda: allowed(1, 2))
        eviction: Any = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p1", "namespace": room}}
        await client.create_under(KINDS.of(Pod), Key(room, "p1"), "eviction", eviction)
        await until(lambda: allowed(0, 1))
