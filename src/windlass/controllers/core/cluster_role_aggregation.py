"""ClusterRole with an aggregationRule -> its rules: those of all ClusterRoles that its selectors match."""

from windlass.apis.rbac_v1 import ClusterRole, PolicyRule
from windlass.kube.controller import ALL_OBJECTS, Controller, Observed, matches
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Apply, Plan


def aggregated(role: ClusterRole, others: list[ClusterRole]) -> list[PolicyRule]:
    """The rules of the matching roles in the order of their names, each once."""
    selectors = role.aggregation_rule.cluster_role_selectors if role.aggregation_rule else []
    rules: list[PolicyRule] = []
    for other in sorted(others, key=lambda other: other.metadata.name):
        if other.metadata.name == role.metadata.name:
            continue
        if any(matches(selector, other.metadata.labels) for selector in selectors):
            rules += [rule for rule in other.rules if rule not in rules]
    return rules


def reconcile(role: ClusterRole, observed: Observed) -> Plan:
    if role.aggregation_rule is None:
        return Plan()
    rules = aggregated(role, observed.all(ClusterRole))
    if rules == role.rules:
        return Plan()
    return Plan([Apply(ClusterRole(metadata=ObjectMeta(name=role.metadata.name), rules=rules))])


CONTROLLER = Controller(
    "clusterrole-aggregation-controller",
    ClusterRole,
    reconcile,
    watches=[(ClusterRole, ALL_OBJECTS)],
    children_owned=False,
)
