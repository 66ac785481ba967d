"""topology.volcano.sh/v1alpha1: nodes that are close to each other in the network."""

from typing import Annotated, Literal

from windlass.kube.kind import Column, kind
from windlass.kube.meta import Condition, LabelSelector, Meta, Object, Struct

GROUP_VERSION = "topology.volcano.sh/v1alpha1"


class ExactMatch(Struct):
    name: str = ""


class RegexMatch(Struct):
    pattern: str = ""


class MemberSelector(Struct):
    """Selects nodes or hypernodes. Exactly one of the three selectors is set; labels select nodes only."""

    exact_match: ExactMatch | None = None
    regex_match: RegexMatch | None = None
    label_match: LabelSelector | None = None


class MemberSpec(Struct):
    type: Literal["Node", "HyperNode"]
    selector: MemberSelector = MemberSelector()


class HyperNodeSpec(Struct):
    """Members of a hypernode and their distance: members of a lower `tier` are closer to each other."""

    tier: Annotated[int, Meta(ge=0)]
    tier_name: str = ""
    members: list[MemberSpec] = []


class HyperNodeStatus(Struct):
    conditions: list[Condition] = []
    node_count: Annotated[int, Meta(ge=0, extra_json_schema={"format": "int64"})] = 0


@kind(
    GROUP_VERSION,
    plural="hypernodes",
    short=("hn",),
    namespaced=False,
    columns=(
        Column("Tier", ".spec.tier"),
        Column("TierName", ".spec.tierName"),
        Column("NodeCount", ".status.nodeCount", "integer"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class HyperNode(Object):
    """Set of nodes, or of lower-tier hypernodes, that share a part of the network."""

    spec: HyperNodeSpec
    status: HyperNodeStatus = HyperNodeStatus()
