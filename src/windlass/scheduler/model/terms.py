"""Pod affinity terms, compiled: which pods a term is about, and within which part of the cluster."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from windlass.apis.core_v1 import Json, Pod
from windlass.kube.json import dig_list
from windlass.kube.selector import LabelSelector, Requirement, from_object

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
Namespaces = Mapping[str, Mapping[str, str]]
"""Labels of each namespace."""


@dataclass(frozen=True, slots=True)
class Term:
    """Pods that `selector` matches, in the namespaces named or selected."""

    topology_key: str
    selector: LabelSelector
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None
    weight: int = 1

    @property
    def about(self) -> tuple[Hashable, ...]:
        """The same for every term that is about the same pods."""
        return self.selector, self.namespaces, self.namespace_selector

    def matches(self, pod: Pod, namespaces: Namespaces) -> bool:
        where = pod.metadata.namespace
        if where not in self.namespaces and (
            self.namespace_selector is None or not self.namespace_selector.matches(namespaces.get(where))
        ):
            return False
        return self.selector.matches(pod.metadata.labels)


def required_terms(pod: Pod, side: str) -> tuple[Term, ...]:
    """`side` is podAffinity or podAntiAffinity."""
    return tuple(_term(pod, term) for term in dig_list(pod.spec.affinity, side, REQUIRED))


def preferred_terms(pod: Pod, side: str) -> tuple[Term, ...]:
    weighted = dig_list(pod.spec.affinity, side, PREFERRED)
    return tuple(_term(pod, one["podAffinityTerm"], int(one["weight"])) for one in weighted)


def _term(pod: Pod, term: Json, weight: int = 1) -> Term:
    named = frozenset(dig_list(term, "namespaces"))
    selected = term.get("namespaceSelector")
    if not named and selected is None:
        named = frozenset((pod.metadata.namespace,))
    return Term(
        topology_key=term.get("topologyKey", ""),
        selector=with_own_labels(pod, term),
        namespaces=named,
        namespace_selector=from_object(selected) if selected is not None else None,
        weight=weight,
    )


def with_own_labels(pod: Pod, term: Json) -> LabelSelector:
    """The term's label selector, narrowed by the pod's own values of matchLabelKeys and mismatchLabelKeys."""
    selector = from_object(term.get("labelSelector"))
    if term.get("labelSelector") is None:
        return selector
    more = [*_requirements(pod, dig_list(term, "matchLabelKeys"), "in")]
    more += _requirements(pod, dig_list(term, "mismatchLabelKeys"), "notin")
    return LabelSelector((*selector.requirements, *more)) if more else selector


def _requirements(pod: Pod, keys: Iterable[str], operator: str) -> list[Requirement]:
    labels = pod.metadata.labels
    return [Requirement(key, operator, (labels[key],)) for key in keys if key in labels]
