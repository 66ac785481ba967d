"""Whether a pod may run on a node: the pod's node selector and affinity, and the node's taints."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from windlass.apis.core_v1 import Json, Node, Taint
from windlass.kube.json import dig, dig_list, dig_object

Tolerations = Iterable[Json]


def fits_node(spec: Json, node: Node) -> bool:
    """Whether the pod's node name, node selector and required node affinity all match the node."""
    wanted = spec.get("nodeName")
    if wanted and wanted != node.metadata.name:
        return False
    return fits_selector(dig_object(spec, "nodeSelector"), dig_object(spec, "affinity"), node)


def fits_selector(selector: Mapping[str, str], affinity: Json, node: Node) -> bool:
    """Whether a pod's node selector and required node affinity match the node."""
    labels = node.metadata.labels
    if any(labels.get(name) != value for name, value in selector.items()):
        return False
    required = dig(affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or fits_terms(dig_list(required, "nodeSelectorTerms"), node)


def fits_terms(terms: Iterable[Json], node: Node) -> bool:
    """Whether one of the terms of a NodeSelector matches the node."""
    return any(fits_term(term, node) for term in terms)


def fits_term(term: Json, node: Node) -> bool:
    expressions, fields = dig_list(term, "matchExpressions"), dig_list(term, "matchFields")
    if not expressions and not fields:  # an empty term matches nothing
        return False
    return all(_holds(one, node.metadata.labels.get(one["key"])) for one in expressions) and all(
        one.get("key") == "metadata.name" and _holds(one, node.metadata.name) for one in fields
    )


def _holds(requirement: Json, value: str | None) -> bool:
    values: list[Any] = dig_list(requirement, "values")
    match requirement.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" as operator:
            return _compares(operator, value, values)
        case _:
            return False


def _compares(operator: str, value: str | None, values: list[Any]) -> bool:
    try:
        mine, theirs = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return mine > theirs if operator == "Gt" else mine < theirs


def tolerates(tolerations: Tolerations, taints: Iterable[Taint], effects: Collection[str]) -> bool:
    """Whether all taints with one of these effects are tolerated."""
    return first_untolerated(list(tolerations), taints, effects) is None


def first_untolerated(tolerations: Collection[Json], taints: Iterable[Taint], effects: Collection[str]) -> Taint | None:
    """Return the first taint with one of these effects that is not tolerated."""
    for taint in taints:
        if taint.effect in effects and not any(tolerates_taint(one, taint) for one in tolerations):
            return taint
    return None


def tolerates_taint(toleration: Json, taint: Taint) -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    key, exists = toleration.get("key") or "", toleration.get("operator") == "Exists"
    if key != taint.key:
        return not key and exists
    return exists or (toleration.get("value") or "") == taint.value
