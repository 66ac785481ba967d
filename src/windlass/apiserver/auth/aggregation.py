"""Aggregated ClusterRoles, whose rules are those of all ClusterRoles that their selectors match."""

from collections.abc import Iterable, Sequence

from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.selector import from_object


def is_aggregated(cluster_role: Object) -> bool:
    return bool(dig_list(cluster_role, "aggregationRule", "clusterRoleSelectors"))


def aggregated_rules(cluster_role: Object, cluster_roles: Iterable[Object]) -> list[Object]:
    """The rules of an aggregated role: those of the matching roles, in order of name, without duplicates."""
    given = dig_list(cluster_role, "aggregationRule", "clusterRoleSelectors")
    selectors = [from_object(selector) for selector in given if is_object(selector)]
    own_name = _name(cluster_role)
    ordered = sorted((role for role in cluster_roles if _name(role) != own_name), key=_name)
    rules: list[Object] = []
    for selector in selectors:
        for role in ordered:
            if selector.matches(dig_object(role, "metadata", "labels")):
                rules.extend(rule for rule in dig_list(role, "rules") if rule not in rules)
    return rules


def aggregate(cluster_roles: Sequence[Object]) -> dict[str, list[Object]]:
    """Return the new rules, by name, of every aggregated role whose rules are out of date.

    A role may aggregate aggregated roles (admin aggregates edit, which aggregates view), so this repeats until nothing
    changes. The arguments are not changed.
    """
    current = {_name(role): role for role in cluster_roles}
    changed: dict[str, list[Object]] = {}
    for _ in range(len(current) + 1):
        moved = False
        for name, role in list(current.items()):
            if not is_aggregated(role):
                continue
            rules = aggregated_rules(role, current.values())
            if rules != dig_list(role, "rules"):
                current[name] = {**role, "rules": rules}
                changed[name] = rules
                moved = True
        if not moved:
            break
    return changed


def _name(role: Object) -> str:
    return str(dig(role, "metadata", "name") or "")
