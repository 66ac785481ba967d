"""scheduling.incubator.k8s.io/v1alpha1: PodGroups and queues of kube-batch, Volcano's predecessor."""

from typing import Literal

from windlass.apis.fields import Count, Int32, Moment, ResourceList
from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct, field

GROUP_VERSION = "scheduling.incubator.k8s.io/v1alpha1"


class PodGroupSpec(Struct):
    min_member: Count | None = None
    queue: str = ""
    priority_class_name: str = ""


class PodGroupCondition(Struct):
    type: str = ""
    status: str = ""
    transition_id: str = field(name="transitionID", default="")
    last_transition_time: Moment | None = None
    reason: str = ""
    message: str = ""


class PodGroupStatus(Struct):
    phase: Literal["Pending", "Running", "Unknown"] | None = None
    conditions: list[PodGroupCondition] = []
    running: Count = 0
    succeeded: Count = 0
    failed: Count = 0


@kind(GROUP_VERSION, plural="podgroups")
class PodGroup(Object):
    """Group of pods that start together or not at all."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class QueueSpec(Struct):
    weight: Int32 = 0
    capability: ResourceList = {}


class QueueStatus(Struct):
    unknown: Count = 0
    pending: Count = 0
    running: Count = 0


@kind(GROUP_VERSION, plural="queues", namespaced=False)
class Queue(Object):
    """Share of the cluster for which PodGroups wait in line."""

    spec: QueueSpec = QueueSpec()
    status: QueueStatus = QueueStatus()
