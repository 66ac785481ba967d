from typing import Any

from tests.kube.live import managed, until
from windlass.apis.rbac_v1 import AggregationRule, ClusterRole, PolicyRule
from windlass.controllers.core import cluster_role_aggregation
from windlass.controllers.core.cluster_role_aggregation import aggregated, reconcile
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, LabelSelector, LabelSelectorRequirement, ObjectMeta
from windlass.kube.testing import applied


def a_role(name: str, *resources: str, labels: Any = None, selects: Any = None) -> ClusterRole:
    rule = AggregationRule(cluster_role_selectors=[LabelSelector(match_labels=selects)]) if selects else None
    return ClusterRole(
        metadata=ObjectMeta(name=name, labels=labels or {}),
        rules=[PolicyRule(verbs=["get"], api_groups=[""], resources=[resource]) for resource in resources],
        aggregation_rule=rule,
    )


def test_rules_come_in_the_order_of_names_and_each_once() -> None:
    admin = a_role("admin", selects={"to": "admin"})
    others = [
        a_role("b", "secrets", "pods", labels={"to": "admin"}),
        a_role("a", "pods", labels={"to": "admin"}),
        a_role("c", "nodes", labels={"to": "view"}),
    ]

    assert [rule.resources for rule in aggregated(admin, [*others, admin])] == [["pods"], ["secrets"]]


def test_a_selector_may_be_an_expression() -> None:
    exists = LabelSelectorRequirement(key="to", operator="Exists")
    rule = AggregationRule(cluster_role_selectors=[LabelSelector(match_expressions=[exists])])
    admin = ClusterRole(metadata=ObjectMeta(name="admin"), aggregation_rule=rule)

    assert len(aggregated(admin, [a_role("a", "pods", labels={"to": "x"}), a_role("b", "pods")])) == 1


def test_a_role_without_a_rule_or_already_right_is_left_alone() -> None:
    part = a_role("part", "pods", labels={"to": "admin"})
    right = a_role("admin", "pods", selects={"to": "admin"})

    assert not applied(reconcile(part, Observed.just(part, right, of=part)))
    assert not applied(reconcile(right, Observed.just(part, right, of=right)))


async def test_a_role_added_or_removed_changes_the_aggregate(client: Client, room: str) -> None:
    label = {f"test.windlass.dev/{room}": "true"}
    async with managed(client, cluster_role_aggregation.CONTROLLER):
        await client.create(a_role(f"{room}-all", selects=label))
        await client.create(a_role(f"{room}-part", "pods", labels=label))

        async def rules(count: int) -> bool:
            return len((await client.get(ClusterRole, f"{room}-all")).rules) == count

        await until(lambda: rules(1))
        await client.delete(KINDS.of(ClusterRole), Key("", f"{room}-part"))
        await until(lambda: rules(0))
