"""nodeSelector and required node affinity."""

from collections.abc import Callable

from windlass.apis.core_v1 import Json
from windlass.apis.node_fit import fits_selector
from windlass.apis.reasons import NodeCause
from windlass.kube.json import dig, dig_list
from windlass.scheduler.model.pod_info import PodInfo
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.model.terms import REQUIRED
from windlass.scheduler.predicates.verdict import Refusal, refused_for_good


def prepare(pod: PodInfo, snapshot: Snapshot) -> Callable[[NodeInfo], Refusal | None] | Refusal | None:
    spec = pod.pod.spec
    affinity = spec.affinity or {}
    required = dig(affinity, "nodeAffinity", REQUIRED)
    if not spec.node_selector and required is None:
        return None
    names = _named(dig_list(required, "nodeSelectorTerms")) if required is not None else None
    if names is not None and not names:
        return refused_for_good(NodeCause("AffinityConflict"))
    selector = spec.node_selector
    elsewhere = refused_for_good(NodeCause("NodeAffinityPlugin"))
    refusal = refused_for_good(NodeCause("NodeAffinity"))

    def check(node: NodeInfo) -> Refusal | None:
        if names is not None and node.name not in names:
            return elsewhere
        assert node.node is not None
        return None if fits_selector(selector, affinity, node.node) else refusal

    return check


def _named(terms: list[Json]) -> set[str] | None:
    """The only nodes that can match, where every term names its nodes (a DaemonSet's pods); None: any may."""
    found: set[str] = set()
    for term in terms:
        named: set[str] | None = None
        for field in dig_list(term, "matchFields"):
            if field.get("key") == "metadata.name" and field.get("operator") == "In":
                values = set(dig_list(field, "values"))
                named = values if named is None else named & values
        if named is None:
            return None
        found |= named
    return found if terms else None
