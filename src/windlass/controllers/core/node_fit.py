"""Whether a pod may be on a node by what both say: the pod's node selector and affinity, the node's taints."""

from collections.abc import Collection, Iterable
from typing import Any

from windlass.apis.core_v1 import Json, Node, Taint
from windlass.kube.json import dig, dig_list, dig_object

Tolerations = Iterable[Json]


def fits_node(spec: Json, node: Node) -> bool:
    """Its node name, node selector and required node affinity, if any, all point to this node."""
    wanted = spec.get("nodeName")
    if wanted and wanted != node.metadata.name:
        return False
    labels = node.metadata.labels
    if any(labels.get(name) != value for name, value in dig_object(spec, "nodeSelector").items()):
        return False
    required = dig(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_fits_term(term, node) for term in dig_list(required, "nodeSelectorTerms"))


def _fits_term(term: Json, node: Node) -> bool:
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
    """Whether every taint of one of these effects is tolerated."""
    known = list(tolerations)
    return all(any(_tolerates(one, taint) for one in known) for taint in taints if taint.effect in effects)


def _tolerates(toleration: Json, taint: Taint) -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    key, exists = toleration.get("key") or "", toleration.get("operator") == "Exists"
    if key != taint.key:
        return not key and exists
    return exists or (toleration.get("value") or "") == taint.value
