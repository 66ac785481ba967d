"""The output of `kubectl get`: the columns of every built-in kind, and of custom resources by their JSONPaths.

`columns_for` is for built-in kinds, `crd_columns` for custom ones, and `windlass.apiserver.tables.render` turns columns
and objects into a Table.
"""

from windlass.apis.wellknown import NETWORKING_GROUP, RBAC_GROUP
from windlass.apiserver.resources import DEFAULT_COLUMNS
from windlass.apiserver.tables import access, cluster, network, pods, storage, workloads
from windlass.apiserver.tables.cells import Columns
from windlass.apiserver.tables.custom import crd_columns

__all__ = ["BUILTIN", "columns_for", "crd_columns"]

BUILTIN: dict[tuple[str, str], Columns] = {
    ("", "ComponentStatus"): cluster.COMPONENT_STATUS,
    ("", "ConfigMap"): cluster.CONFIG_MAP,
    ("", "Endpoints"): network.ENDPOINTS,
    ("", "Event"): cluster.EVENT,
    ("", "Namespace"): cluster.NAMESPACE,
    ("", "Node"): cluster.NODE,
    ("", "PersistentVolume"): storage.PERSISTENT_VOLUME,
    ("", "PersistentVolumeClaim"): storage.PERSISTENT_VOLUME_CLAIM,
    ("", "Pod"): pods.POD,
    ("", "PodTemplate"): workloads.POD_TEMPLATE,
    ("", "ReplicationController"): workloads.REPLICATION_CONTROLLER,
    ("", "ResourceQuota"): cluster.RESOURCE_QUOTA,
    ("", "Secret"): cluster.SECRET,
    ("", "Service"): network.SERVICE,
    ("", "ServiceAccount"): cluster.SERVICE_ACCOUNT,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): access.MUTATING_ADMISSION_POLICY,
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): access.ADMISSION_POLICY_BINDING,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): access.WEBHOOK_CONFIGURATION,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): access.VALIDATING_ADMISSION_POLICY,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): access.ADMISSION_POLICY_BINDING,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): access.WEBHOOK_CONFIGURATION,
    ("apiregistration.k8s.io", "APIService"): access.API_SERVICE,
    ("apps", "ControllerRevision"): workloads.CONTROLLER_REVISION,
    ("apps", "DaemonSet"): workloads.DAEMON_SET,
    ("apps", "Deployment"): workloads.DEPLOYMENT,
    ("apps", "ReplicaSet"): workloads.REPLICA_SET,
    ("apps", "StatefulSet"): workloads.STATEFUL_SET,
    ("autoscaling", "HorizontalPodAutoscaler"): workloads.HORIZONTAL_POD_AUTOSCALER,
    ("autoscaling", "Scale"): workloads.SCALE,
    ("batch", "CronJob"): workloads.CRON_JOB,
    ("batch", "Job"): workloads.JOB,
    ("certificates.k8s.io", "CertificateSigningRequest"): access.CERTIFICATE_SIGNING_REQUEST,
    ("certificates.k8s.io", "ClusterTrustBundle"): access.CLUSTER_TRUST_BUNDLE,
    ("coordination.k8s.io", "Lease"): cluster.LEASE,
    ("coordination.k8s.io", "LeaseCandidate"): cluster.LEASE_CANDIDATE,
    ("discovery.k8s.io", "EndpointSlice"): network.ENDPOINT_SLICE,
    ("events.k8s.io", "Event"): cluster.EVENT,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): access.FLOW_SCHEMA,
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): access.PRIORITY_LEVEL_CONFIGURATION,
    (NETWORKING_GROUP, "Ingress"): network.INGRESS,
    (NETWORKING_GROUP, "IngressClass"): network.INGRESS_CLASS,
    (NETWORKING_GROUP, "IPAddress"): network.IP_ADDRESS,
    (NETWORKING_GROUP, "NetworkPolicy"): network.NETWORK_POLICY,
    (NETWORKING_GROUP, "ServiceCIDR"): network.SERVICE_CIDR,
    ("node.k8s.io", "RuntimeClass"): cluster.RUNTIME_CLASS,
    ("policy", "PodDisruptionBudget"): workloads.POD_DISRUPTION_BUDGET,
    (RBAC_GROUP, "ClusterRoleBinding"): access.ROLE_BINDING,
    (RBAC_GROUP, "RoleBinding"): access.ROLE_BINDING,
    ("resource.k8s.io", "DeviceClass"): cluster.NAME_AND_AGE,
    ("resource.k8s.io", "ResourceClaim"): cluster.RESOURCE_CLAIM,
    ("resource.k8s.io", "ResourceClaimTemplate"): cluster.NAME_AND_AGE,
    ("resource.k8s.io", "ResourceSlice"): cluster.RESOURCE_SLICE,
    ("scheduling.k8s.io", "PriorityClass"): cluster.PRIORITY_CLASS,
    ("storage.k8s.io", "CSIDriver"): storage.CSI_DRIVER,
    ("storage.k8s.io", "CSINode"): storage.CSI_NODE,
    ("storage.k8s.io", "CSIStorageCapacity"): storage.CSI_STORAGE_CAPACITY,
    ("storage.k8s.io", "StorageClass"): storage.STORAGE_CLASS,
    ("storage.k8s.io", "VolumeAttachment"): storage.VOLUME_ATTACHMENT,
    ("storage.k8s.io", "VolumeAttributesClass"): storage.VOLUME_ATTRIBUTES_CLASS,
}


def columns_for(group: str, kind: str) -> Columns:
    """The columns of a built-in kind. Kinds without a printer in Kubernetes show name and creation time."""
    return BUILTIN.get((group, kind), DEFAULT_COLUMNS)
