"""Names of Volcano: labels and annotations that tie a Job of Volcano, its pods and its PodGroup together."""

from windlass.apis.wellknown import JDB_MAX_UNAVAILABLE_ANNOTATION, JDB_MIN_AVAILABLE_ANNOTATION

JOB_NAME = "volcano.sh/job-name"
JOB_NAMESPACE = "volcano.sh/job-namespace"
TASK_INDEX = "volcano.sh/task-index"
PARTITION = "volcano.sh/partition-id"
QUEUE_NAME = "volcano.sh/queue-name"
JOB_VERSION = "volcano.sh/job-version"
JOB_RETRY_COUNT = "volcano.sh/job-retry-count"
TEMPLATE_UID = "volcano.sh/template-uid"
NUMA_POLICY = "volcano.sh/numa-topology-policy"
OUT_OF_SYNC = "volcano.sh/controller-out-of-sync"
"""On a pod that the controller itself takes away: its end means nothing."""

COPIED_ANNOTATIONS = (
    "volcano.sh/preemptable",
    "volcano.sh/cooldown-time",
    "volcano.sh/revocable-zone",
    JDB_MIN_AVAILABLE_ANNOTATION,
    JDB_MAX_UNAVAILABLE_ANNOTATION,
)
COPIED_LABELS = ("volcano.sh/preemptable", "volcano.sh/cooldown-time")
