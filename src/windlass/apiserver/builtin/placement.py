"""Validation of pod placement: node selector, affinity, tolerations and topology spread."""

from windlass.apiserver.builtin.fields import (
    Causes,
    check_label_key,
    check_label_selector,
    check_labels,
    label_value_problems,
    unsupported,
)
from windlass.kube.errors import duplicate, forbidden, invalid, required
from windlass.kube.json import Object

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def check_node_selector(path: str, selector: dict[str, str], causes: Causes) -> None:
    check_labels(path, selector, causes)


def check_tolerations(path: str, tolerations: list[Object], causes: Causes) -> None:
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        key, operator, effect = toleration.get("key"), toleration.get("operator"), toleration.get("effect")
        if key:
            check_label_key(f"{where}.key", key, causes)
        elif operator != "Exists":
            why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            causes.append(invalid(f"{where}.operator", operator or "", why))
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            causes.append(invalid(f"{where}.effect", effect or "", why))
        _check_operator(where, toleration, causes)
        if effect and effect not in EFFECTS:
            causes.append(unsupported(f"{where}.effect", effect, EFFECTS))


def _check_operator(where: str, toleration: Object, causes: Causes) -> None:
    operator, value = toleration.get("operator"), toleration.get("value") or ""
    if operator in (None, "", "Equal"):
        problems = label_value_problems(value)
        if problems:
            causes.append(invalid(f"{where}.operator", value, ";".join(problems)))
    elif operator == "Exists":
        if value:
            causes.append(invalid(f"{where}.operator", toleration, "value must be empty when `operator` is 'Exists'"))
    else:
        causes.append(unsupported(f"{where}.operator", operator, ("Equal", "Exists")))


def check_node_requirement(path: str, expression: Object, causes: Causes) -> None:
    operator, values = expression.get("operator", ""), expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            causes.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            causes.append(
                forbidden(f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
            )
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            causes.append(required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'"))
    else:
        causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    check_label_key(f"{path}.key", expression.get("key", ""), causes)


def check_node_selector_term(path: str, term: Object, causes: Causes) -> None:
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        check_node_requirement(f"{path}.matchExpressions[{index}]", expression, causes)
    for index, field in enumerate(term.get("matchFields") or ()):
        where = f"{path}.matchFields[{index}]"
        if field.get("key") != "metadata.name":
            causes.append(invalid(f"{where}.key", field.get("key", ""), "not a valid field selector key"))
        if field.get("operator") not in ("In", "NotIn"):
            causes.append(invalid(f"{where}.operator", field.get("operator", ""), "not a valid selector operator"))
        elif len(field.get("values") or ()) != 1:
            why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            causes.append(required(f"{where}.values", why))


def check_node_terms(path: str, selector: Object, causes: Causes) -> None:
    """Validate a NodeSelector: at least one term, all valid."""
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        causes.append(required(f"{path}.nodeSelectorTerms", "must have at least one node selector term"))
    for index, term in enumerate(terms):
        check_node_selector_term(f"{path}.nodeSelectorTerms[{index}]", term, causes)


def _check_weight(path: str, weighted: Object, causes: Causes) -> None:
    weight = weighted.get("weight", 0)
    if not 1 <= weight <= 100:
        causes.append(invalid(f"{path}.weight", weight, "must be in the range 1-100"))


def check_affinity(path: str, affinity: Object, causes: Causes) -> None:
    node = affinity.get("nodeAffinity")
    if node:
        hard = node.get("requiredDuringSchedulingIgnoredDuringExecution")
        where = f"{path}.nodeAffinity"
        if hard is not None:
            check_node_terms(f"{where}.requiredDuringSchedulingIgnoredDuringExecution", hard, causes)
        for index, soft in enumerate(node.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
            item = f"{where}.preferredDuringSchedulingIgnoredDuringExecution[{index}]"
            _check_weight(item, soft, causes)
            check_node_selector_term(f"{item}.preference", soft.get("preference") or {}, causes)
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(kind)
        if pods:
            _check_pod_affinity(f"{path}.{kind}", pods, causes)


def _check_pod_affinity(path: str, affinity: Object, causes: Causes) -> None:
    for index, term in enumerate(affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ()):
        _check_pod_term(f"{path}.requiredDuringSchedulingIgnoredDuringExecution[{index}]", term, causes)
    for index, soft in enumerate(affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
        item = f"{path}.preferredDuringSchedulingIgnoredDuringExecution[{index}]"
        _check_weight(item, soft, causes)
        _check_pod_term(f"{item}.podAffinityTerm", soft.get("podAffinityTerm") or {}, causes)


def _check_pod_term(path: str, term: Object, causes: Causes) -> None:
    check_label_selector(f"{path}.labelSelector", term.get("labelSelector"), causes)
    check_label_selector(f"{path}.namespaceSelector", term.get("namespaceSelector"), causes)
    key = term.get("topologyKey")
    if not key:
        causes.append(required(f"{path}.topologyKey", "can not be empty"))
    else:
        check_label_key(f"{path}.topologyKey", key, causes)


_UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")


def check_spread(path: str, constraints: list[Object], causes: Causes) -> None:
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(constraints):
        where = f"{path}[{index}]"
        skew, key = constraint.get("maxSkew", 0), constraint.get("topologyKey") or ""
        if skew <= 0:
            causes.append(invalid(f"{where}.maxSkew", skew, "must be greater than zero"))
        if not key:
            causes.append(required(f"{where}.topologyKey", "can not be empty"))
        else:
            check_label_key(f"{where}.topologyKey", key, causes)
        action = constraint.get("whenUnsatisfiable", "")
        if action not in _UNSATISFIABLE:
            causes.append(unsupported(f"{where}.whenUnsatisfiable", action, _UNSATISFIABLE))
        if (key, action) in seen:
            causes.append(duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}"))
        seen.add((key, action))
        domains = constraint.get("minDomains")
        if domains is not None and domains <= 0:
            causes.append(invalid(f"{where}.minDomains", domains, "must be greater than zero"))
        check_label_selector(f"{where}.labelSelector", constraint.get("labelSelector"), causes)
