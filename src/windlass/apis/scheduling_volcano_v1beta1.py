"""scheduling.volcano.sh/v1beta1: PodGroups and their queues."""

from typing import Annotated, Literal

from windlass.apis.fields import Count, DnsName, Int32, Moment, Name, ResourceList
from windlass.kube.kind import Column, kind
from windlass.kube.meta import LabelSelector, Meta, Object, Struct, field

GROUP_VERSION = "scheduling.volcano.sh/v1beta1"
VOLCANO_SCHEDULER = "volcano"
"""The name by which pods choose Volcano's scheduler."""


class NetworkTopology(Struct):
    """Required network proximity of the pods. The two limits are mutually exclusive."""

    mode: Literal["hard", "soft"] = "hard"
    highest_tier_allowed: Annotated[int, Meta(ge=0)] | None = None
    highest_tier_name: Name = ""


class SubGroupPolicy(Struct):
    """Splits the PodGroup into subgroups by the values of `matchLabelKeys`. Each subgroup starts together."""

    name: str = ""
    network_topology: NetworkTopology | None = None
    sub_group_size: Annotated[int, Meta(ge=1, extra_json_schema={"format": "int32"})] = 1
    min_sub_groups: Count = 0
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] = []


class PodGroupSpec(Struct):
    min_member: Count | None = None
    min_task_member: dict[str, Int32] = {}
    queue: DnsName = "default"
    priority_class_name: Name = ""
    min_resources: ResourceList | None = None
    network_topology: NetworkTopology | None = None
    sub_group_policy: list[SubGroupPolicy] = []


class PodGroupCondition(Struct):
    type: str = ""
    status: str = ""
    transition_id: str = field(name="transitionID", default="")
    last_transition_time: Moment | None = None
    reason: str = ""
    message: str = ""


class PodGroupStatus(Struct):
    phase: Literal["Pending", "Inqueue", "Running", "Unknown", "Completed"] | None = None
    conditions: list[PodGroupCondition] = []
    running: Count = 0
    succeeded: Count = 0
    failed: Count = 0


@kind(
    GROUP_VERSION,
    plural="podgroups",
    short=("pg", "podgroup-v1beta1"),
    status=False,  # upstream's CRD has no /status for this kind: its status is written with the object
    columns=(
        Column("STATUS", ".status.phase"),
        Column("minMember", ".spec.minMember", "integer"),
        Column("RUNNINGS", ".status.running", "integer"),
        Column("AGE", ".metadata.creationTimestamp", "date"),
        Column("QUEUE", ".spec.queue", priority=1),
    ),
)
class PodGroup(Object):
    """Group of pods that start together or not at all."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class NodeGroupTerms(Struct):
    """Names of required and preferred node groups."""

    required_during_scheduling_ignored_during_execution: list[str] = []
    preferred_during_scheduling_ignored_during_execution: list[str] = []


class QueueAffinity(Struct):
    node_group_affinity: NodeGroupTerms | None = None
    node_group_anti_affinity: NodeGroupTerms | None = None


class Guarantee(Struct):
    """Resources reserved for the queue, which are never lent to others."""

    resource: ResourceList = {}


class Cluster(Struct):
    name: str = ""
    weight: Int32 = 0
    capacity: ResourceList = {}


class QueueSpec(Struct):
    weight: Annotated[int, Meta(ge=1, le=65535, extra_json_schema={"format": "int32"})] = 1
    capability: ResourceList = {}
    deserved: ResourceList = {}
    guarantee: Guarantee | None = None
    reclaimable: bool | None = None
    priority: Count = 0
    parent: str = ""
    affinity: QueueAffinity | None = None
    dequeue_strategy: Literal["fifo", "traverse"] = "traverse"
    type: str = ""
    extend_clusters: list[Cluster] = []


class Reservation(Struct):
    nodes: list[str] = []
    resource: ResourceList = {}


class QueueStatus(Struct):
    state: Literal["Open", "Closed", "Closing", "Unknown"] | None = None
    unknown: Count = 0
    pending: Count = 0
    running: Count = 0
    inqueue: Count = 0
    completed: Count = 0
    allocated: ResourceList = {}
    reservation: Reservation | None = None


@kind(
    GROUP_VERSION,
    plural="queues",
    short=("q", "queue-v1beta1"),
    namespaced=False,
    columns=(Column("PARENT", ".spec.parent"),),
)
class Queue(Object):
    """Share of the cluster for which PodGroups wait in line."""

    spec: QueueSpec = QueueSpec()
    status: QueueStatus = QueueStatus()


def generated_group_name(owner: str) -> str:
    """Name of the PodGroup for pods that name none: of the uid of their controller, or of a pod without one."""
    return f"podgroup-{owner}"
