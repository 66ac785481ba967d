"""apps/v1: controllers that keep a number of identical pods running."""

from typing import Any

from windlass.apis.core_v1 import ConditionStatus, Json, PodTemplate
from windlass.kube.kind import Scale, kind
from windlass.kube.meta import LabelSelector, Object, Struct, Time

SCALE = Scale(label_selector=".status.selector")


class WorkloadCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_update_time: Time | None = None
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class StatefulSetSpec(Struct):
    replicas: int | None = None
    selector: LabelSelector = LabelSelector()
    template: PodTemplate = {}
    volume_claim_templates: list[Json] = []
    service_name: str = ""
    pod_management_policy: str = ""
    update_strategy: Json = {}
    revision_history_limit: int | None = None
    min_ready_seconds: int = 0
    persistent_volume_claim_retention_policy: Json | None = None
    ordinals: Json | None = None


class StatefulSetStatus(Struct):
    observed_generation: int = 0
    replicas: int | None = None
    ready_replicas: int = 0
    current_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int | None = None
    current_revision: str = ""
    update_revision: str = ""
    collision_count: int | None = None
    conditions: list[WorkloadCondition] = []


@kind("apps/v1", plural="statefulsets", short=("sts",), categories=("all",), scale=SCALE)
class StatefulSet(Object):
    """A StatefulSet: pods with a stable index, name and storage."""

    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()


class DeploymentSpec(Struct):
    replicas: int | None = None
    selector: LabelSelector = LabelSelector()
    template: PodTemplate = {}
    strategy: Json = {}
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None
    paused: bool = False
    progress_deadline_seconds: int | None = None


class DeploymentStatus(Struct):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int | None = None
    collision_count: int | None = None
    conditions: list[WorkloadCondition] = []


@kind("apps/v1", plural="deployments", short=("deploy",), categories=("all",), scale=SCALE)
class Deployment(Object):
    """A Deployment: interchangeable pods, rolled out from one template to the next."""

    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()


class ReplicaSetSpec(Struct):
    replicas: int | None = None
    min_ready_seconds: int = 0
    selector: LabelSelector = LabelSelector()
    template: PodTemplate = {}


class ReplicaSetStatus(Struct):
    replicas: int | None = None
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int | None = None
    observed_generation: int = 0
    conditions: list[WorkloadCondition] = []


@kind("apps/v1", plural="replicasets", short=("rs",), categories=("all",), scale=SCALE)
class ReplicaSet(Object):
    """A ReplicaSet: a number of identical pods from one template."""

    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()


class DaemonSetSpec(Struct):
    selector: LabelSelector = LabelSelector()
    template: PodTemplate = {}
    update_strategy: Json = {}
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None


class DaemonSetStatus(Struct):
    current_number_scheduled: int | None = None
    number_misscheduled: int | None = None
    desired_number_scheduled: int | None = None
    number_ready: int | None = None
    observed_generation: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_unavailable: int = 0
    collision_count: int | None = None
    conditions: list[WorkloadCondition] = []


@kind("apps/v1", plural="daemonsets", short=("ds",), categories=("all",))
class DaemonSet(Object):
    """A DaemonSet: one pod on each matching node."""

    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()


@kind("apps/v1", plural="controllerrevisions", status=False)
class ControllerRevision(Object):
    """A ControllerRevision: a past template, for rollbacks."""

    data: Any = None
    """Arbitrary JSON."""
    revision: int = 0
