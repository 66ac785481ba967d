"""API groups, labels, annotations, finalizers, Secret types and resource names of Kubernetes, Kubeflow and Volcano.

Names that three or more modules use. The values belong to the projects that clients know them from and never change.
"""

# API groups
RBAC_GROUP = "rbac.authorization.k8s.io"
NETWORKING_GROUP = "networking.k8s.io"
KUBEFLOW_GROUP = "kubeflow.org"
PIPELINES_GROUP = "pipelines.kubeflow.org"
VOLCANO_BATCH_GROUP = "batch.volcano.sh"
VOLCANO_SCHEDULING_GROUP = "scheduling.volcano.sh"

# Namespaces
PLATFORM_NAMESPACES = frozenset({"kubeflow", "istio-system", "knative-serving", "auth"})
"""Objects in them may have routes for every path and host; no profile has such a name."""

# Labels
HOSTNAME_LABEL = "kubernetes.io/hostname"
BETA_OS_LABEL = "beta.kubernetes.io/os"
BETA_ARCH_LABEL = "beta.kubernetes.io/arch"
SERVICE_NAME_LABEL = "kubernetes.io/service-name"
PART_OF_LABEL = "app.kubernetes.io/part-of"
PROFILE_VALUE = "kubeflow-profile"
"""Its value at the namespaces of profiles."""

# Annotations
LAST_APPLIED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
MIRROR_POD_ANNOTATION = "kubernetes.io/config.mirror"
BETA_STORAGE_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
DEFAULT_STORAGE_CLASS_ANNOTATION = "storageclass.kubernetes.io/is-default-class"

# Kubeflow's annotations
STOPPED_ANNOTATION = "kubeflow-resource-stopped"
"""On an object whose server is stopped: when it was; RFC3339."""

# Volcano's annotations and labels
POD_GROUP_NAME_ANNOTATION = "scheduling.k8s.io/group-name"
QUEUE_NAME_ANNOTATION = "scheduling.volcano.sh/queue-name"
TASK_SPEC_ANNOTATION = "volcano.sh/task-spec"
JDB_MIN_AVAILABLE_ANNOTATION = "volcano.sh/jdb-min-available"
JDB_MAX_UNAVAILABLE_ANNOTATION = "volcano.sh/jdb-max-unavailable"

# Claims
CLAIM_SCHEME = "pvc://"
"""Begins the address of a folder of a claim: `pvc://claim[/folder]`."""
CLAIM_REASON_ANNOTATION = "storage.windlass.dev/pending-reason"
"""The reason for which a pending claim has no volume, as in its last event; absent while nothing is wrong."""

# Finalizers
PV_PROTECTION_FINALIZER = "kubernetes.io/pv-protection"

# Types of Secrets
SSH_AUTH_SECRET = "kubernetes.io/ssh-auth"
SERVICE_ACCOUNT_TOKEN_SECRET = "kubernetes.io/service-account-token"

# Resources
NVIDIA_GPU = "nvidia.com/gpu"
AMD_GPU = "amd.com/gpu"

# Reasons of events
NAME_CONFLICT = "NameConflict"
"""A child's name is taken by an object that belongs to something else."""
