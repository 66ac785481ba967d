"""Where a task's pod may run: node selector, tolerations and affinities of its platform spec."""

from typing import Any, cast

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.platform.fields import integer, items, labels, mapping, resolved_json

TOLERATION_FIELDS = ("key", "operator", "value", "effect")
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def node_selector(context: TaskContext) -> dict[str, str]:
    selector = mapping(context.platform.get("nodeSelector"), "nodeSelector")
    if selector.get("nodeSelectorJson") is not None:
        where = "nodeSelector.nodeSelectorJson"
        return labels(resolved_json(context, selector["nodeSelectorJson"], where), where)
    return labels(selector.get("labels"), "nodeSelector.labels")


def tolerations(context: TaskContext) -> list[Json]:
    entries: list[Json] = []
    for where, item in items(context.platform, "tolerations"):
        if item.get("tolerationJson") is None:
            entries.append(_toleration(item, where))
            continue
        value = resolved_json(context, item["tolerationJson"], f"{where}.tolerationJson")
        many: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
        entries += [_toleration(mapping(one, f"{where}.tolerationJson"), where) for one in many if one]
    return [one for one in entries if one]


def _toleration(item: Json, where: str) -> Json:
    unknown = sorted(item.keys() - {*TOLERATION_FIELDS, "tolerationSeconds"})
    if unknown:
        raise ValueError(f"{where}.{unknown[0]} is not a field of a toleration")
    toleration: Json = {key: item[key] for key in TOLERATION_FIELDS if item.get(key)}
    seconds = integer(item.get("tolerationSeconds"), f"{where}.tolerationSeconds")
    return toleration if seconds is None else {**toleration, "tolerationSeconds": seconds}


def affinity(context: TaskContext) -> Json:
    terms: Json = {}
    for where, item in items(context.platform, "nodeAffinity"):
        _add_node_affinity(context, terms, item, where)
    for where, item in items(context.platform, "podAffinity"):
        _add_pod_affinity(terms, item, where)
    return terms


def _add_node_affinity(context: TaskContext, affinity: Json, item: Json, where: str) -> None:
    target = affinity.setdefault("nodeAffinity", {})
    if item.get("nodeAffinityJson") is not None:
        where = f"{where}.nodeAffinityJson"
        given = mapping(resolved_json(context, item["nodeAffinityJson"], where), where)
        required = [term for _, term in items(mapping(given.get(REQUIRED), f"{where}.{REQUIRED}"), "nodeSelectorTerms")]
        preferred = [term for _, term in items(given, PREFERRED)]
        _extend(target, required, preferred)
    else:
        keys = ("matchExpressions", "matchFields")
        term = {key: [_requirement(one) for _, one in items(item, key)] for key in keys if item.get(key)}
        weight = integer(item.get("weight"), f"{where}.weight")
        _extend(target, [], [{"weight": weight, "preference": term}]) if weight else _extend(target, [term], [])
    if not target:
        del affinity["nodeAffinity"]


def _extend(target: Json, required: list[Json], preferred: list[Json]) -> None:
    if any(required):
        terms = target.setdefault(REQUIRED, {"nodeSelectorTerms": []})["nodeSelectorTerms"]
        terms += [term for term in required if term]
    if preferred:
        target[PREFERRED] = target.get(PREFERRED, []) + preferred


def _add_pod_affinity(affinity: Json, item: Json, where: str) -> None:
    if not item.get("topologyKey"):
        raise ValueError(f"{where}.topologyKey is required")
    term: Json = {"topologyKey": item["topologyKey"]}
    pods = _selector(item, "matchPodLabels", "matchPodExpressions", where)
    namespaces = _selector(item, "matchNamespaceLabels", "matchNamespaceExpressions", where)
    term |= {"labelSelector": pods} if pods else {}
    term |= {"namespaceSelector": namespaces} if namespaces else {}
    term |= {"namespaces": item["namespaces"]} if item.get("namespaces") else {}
    target = affinity.setdefault("podAntiAffinity" if item.get("anti") else "podAffinity", {})
    weight = integer(item.get("weight"), f"{where}.weight")
    if weight:
        target.setdefault(PREFERRED, []).append({"weight": weight, "podAffinityTerm": term})
    else:
        target.setdefault(REQUIRED, []).append(term)


def _selector(item: Json, labels_key: str, expressions_key: str, where: str) -> Json:
    expressions = [_requirement(one) for _, one in items(item, expressions_key)]
    selected = labels(item.get(labels_key), f"{where}.{labels_key}")
    return ({"matchLabels": selected} if selected else {}) | ({"matchExpressions": expressions} if expressions else {})


def _requirement(item: Json) -> Json:
    return {key: item[key] for key in ("key", "operator", "values") if item.get(key)}
