"""v1, Kubernetes' core group: kinds that nearly every controller uses, with the fields that Windlass works with.

Parts that are only passed on (volumes, affinities, security contexts, pod templates) stay plain JSON, so that nothing
in them is lost between a user's object and a pod.
"""

from typing import Any, TypeAlias

from windlass.kube.kind import Scale, kind
from windlass.kube.meta import LabelSelector, Object, Struct, Time, field

Json: TypeAlias = dict[str, Any]
PodTemplate: TypeAlias = dict[str, Any]
"""A PodTemplateSpec as the user wrote it: pods created from it keep fields that Windlass does not know."""
Amount: TypeAlias = str | int | float
ResourceList: TypeAlias = dict[str, Amount]
ConditionStatus: TypeAlias = str
"""True, False or Unknown by convention; the API accepts any text."""


class ObjectReference(Struct):
    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""


class LocalObjectReference(Struct):
    name: str = ""


class ResourceRequirements(Struct):
    limits: ResourceList = {}
    requests: ResourceList = {}
    claims: list[Json] = []


class ContainerPort(Struct):
    container_port: int = 0
    name: str = ""
    protocol: str = ""
    host_port: int | None = None
    host_ip: str = field(name="hostIP", default="")


class Container(Struct):
    """The fields of a container that scheduling, services and quotas need. The node reads plain JSON to run it."""

    name: str = ""
    image: str = ""
    ports: list[ContainerPort] = []
    resources: ResourceRequirements = ResourceRequirements()
    restart_policy: str | None = None


class ClaimSource(Struct):
    claim_name: str = ""


class Volume(Struct):
    """The claim of a volume, if it has one; only the node reads other sources."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: Json | None = None


class Toleration(Struct):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class PodSpec(Struct):
    containers: list[Container] = []
    init_containers: list[Container] = []
    volumes: list[Volume] = []
    restart_policy: str = ""
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Json | None = None
    tolerations: list[Toleration] = []
    topology_spread_constraints: list[Json] = []
    scheduler_name: str = ""
    scheduling_gates: list[LocalObjectReference] = []
    resource_claims: list[Json] = []
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    overhead: ResourceList = {}
    resources: ResourceRequirements | None = None
    service_account_name: str = ""
    hostname: str = ""
    subdomain: str = ""
    host_network: bool = False


class PodCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    observed_generation: int = 0
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class ContainerStatus(Struct):
    name: str = ""
    state: Json = {}
    last_state: Json = {}
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    image: str = ""
    image_id: str = field(name="imageID", default="")
    container_id: str = field(name="containerID", default="")


class PodIP(Struct):
    ip: str = ""


class PodStatus(Struct):
    phase: str = ""
    conditions: list[PodCondition] = []
    message: str = ""
    reason: str = ""
    nominated_node_name: str = ""
    host_ip: str = field(name="hostIP", default="")
    pod_ip: str = field(name="podIP", default="")
    pod_ips: list[PodIP] = field(name="podIPs", default=[])
    start_time: Time | None = None
    init_container_statuses: list[ContainerStatus] = []
    container_statuses: list[ContainerStatus] = []
    qos_class: str = ""


@kind("v1", plural="pods", short=("po",), categories=("all",))
class Pod(Object):
    """A Pod: containers that share a node, an address and volumes."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class ServicePort(Struct):
    port: int = 0
    name: str = ""
    protocol: str = ""
    app_protocol: str | None = None
    target_port: int | str | None = None
    node_port: int | None = None


class ServiceSpec(Struct):
    ports: list[ServicePort] = []
    selector: dict[str, str] = {}
    cluster_ip: str = field(name="clusterIP", default="")
    cluster_ips: list[str] = field(name="clusterIPs", default=[])
    type: str = ""
    external_name: str = ""
    session_affinity: str = ""
    allocate_load_balancer_node_ports: bool | None = None
    load_balancer_class: str | None = None
    publish_not_ready_addresses: bool = False
    ip_families: list[str] = []
    ip_family_policy: str | None = None


class ServiceStatus(Struct):
    load_balancer: Json | None = None


@kind("v1", plural="services", short=("svc",), categories=("all",))
class Service(Object):
    """A Service: one name and address for a set of pods."""

    spec: ServiceSpec = ServiceSpec()
    status: ServiceStatus = ServiceStatus()


@kind("v1", plural="endpoints", short=("ep",), status=False)
class Endpoints(Object):
    """The Endpoints of a Service: the addresses behind it."""

    subsets: list[Json] = []


@kind("v1", plural="configmaps", short=("cm",), status=False)
class ConfigMap(Object):
    """A ConfigMap: text for programs to read."""

    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}
    immutable: bool | None = None


@kind("v1", plural="secrets", status=False)
class Secret(Object):
    """A Secret: confidential values; `data` is base64."""

    type: str = ""
    data: dict[str, str] = {}
    string_data: dict[str, str] = {}
    immutable: bool | None = None


class NamespaceSpec(Struct):
    finalizers: list[str] = []


class NamespaceCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class NamespaceStatus(Struct):
    phase: str = ""
    conditions: list[NamespaceCondition] = []


@kind("v1", plural="namespaces", short=("ns",), namespaced=False)
class Namespace(Object):
    """A Namespace: a scope for objects, deleted together with them."""

    spec: NamespaceSpec = NamespaceSpec()
    status: NamespaceStatus = NamespaceStatus()


class Taint(Struct):
    key: str = ""
    effect: str = ""
    value: str = ""
    time_added: Time | None = None


class NodeSpec(Struct):
    pod_cidr: str = field(name="podCIDR", default="")
    unschedulable: bool = False
    taints: list[Taint] = []


class NodeCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_heartbeat_time: Time | None = None
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class NodeAddress(Struct):
    type: str = ""
    address: str = ""


class NodeStatus(Struct):
    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    conditions: list[NodeCondition] = []
    addresses: list[NodeAddress] = []
    node_info: Json = {}


@kind("v1", plural="nodes", short=("no",), namespaced=False)
class Node(Object):
    """A Node: a machine that runs pods."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class EventSource(Struct):
    component: str = ""
    host: str = ""


@kind("v1", plural="events", short=("ev",), status=False)
class Event(Object):
    """An Event: a human-readable record of something that happened to an object."""

    involved_object: ObjectReference = ObjectReference()
    reason: str = ""
    message: str = ""
    source: EventSource = EventSource()
    first_timestamp: Time | None = None
    last_timestamp: Time | None = None
    count: int = 0
    type: str = ""
    action: str = ""
    event_time: Time | None = None
    reporting_component: str = ""
    reporting_instance: str = ""


class PersistentVolumeClaimSpec(Struct):
    access_modes: list[str] = []
    selector: LabelSelector | None = None
    resources: ResourceRequirements = ResourceRequirements()
    volume_name: str = ""
    storage_class_name: str | None = None
    volume_mode: str | None = None
    data_source: Json | None = None
    data_source_ref: Json | None = None


class PersistentVolumeClaimStatus(Struct):
    phase: str = ""
    access_modes: list[str] = []
    capacity: ResourceList = {}
    conditions: list[Json] = []


@kind("v1", plural="persistentvolumeclaims", short=("pvc",))
class PersistentVolumeClaim(Object):
    """A PersistentVolumeClaim: a request for storage."""

    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class PersistentVolumeStatus(Struct):
    phase: str = ""
    message: str = ""
    reason: str = ""
    last_phase_transition_time: Time | None = None


@kind("v1", plural="persistentvolumes", short=("pv",), namespaced=False)
class PersistentVolume(Object):
    """A PersistentVolume: storage that can be bound to a claim."""

    spec: Json = {}
    status: PersistentVolumeStatus = PersistentVolumeStatus()


@kind("v1", plural="serviceaccounts", short=("sa",), status=False)
class ServiceAccount(Object):
    """A ServiceAccount: the identity of a pod at the API."""

    secrets: list[ObjectReference] = []
    image_pull_secrets: list[LocalObjectReference] = []
    automount_service_account_token: bool | None = None


class ScopedSelectorRequirement(Struct):
    scope_name: str = ""
    operator: str = ""
    values: list[str] = []


class ScopeSelector(Struct):
    match_expressions: list[ScopedSelectorRequirement] = []


class ResourceQuotaSpec(Struct):
    hard: ResourceList = {}
    scopes: list[str] = []
    scope_selector: ScopeSelector | None = None


class ResourceQuotaStatus(Struct):
    hard: ResourceList = {}
    used: ResourceList = {}


@kind("v1", plural="resourcequotas", short=("quota",))
class ResourceQuota(Object):
    """A ResourceQuota: limits on the total usage of a namespace."""

    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class ReplicationControllerSpec(Struct):
    replicas: int | None = None
    min_ready_seconds: int = 0
    selector: dict[str, str] = {}
    template: PodTemplate | None = None


class ReplicationControllerCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class ReplicationControllerStatus(Struct):
    replicas: int | None = None
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    observed_generation: int = 0
    conditions: list[ReplicationControllerCondition] = []


@kind("v1", plural="replicationcontrollers", short=("rc",), categories=("all",), scale=Scale())
class ReplicationController(Object):
    """A ReplicationController: the predecessor of the ReplicaSet."""

    spec: ReplicationControllerSpec = ReplicationControllerSpec()
    status: ReplicationControllerStatus = ReplicationControllerStatus()
