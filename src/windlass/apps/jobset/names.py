"""Names and labels of a JobSet's Jobs, pods, service and claims."""

from windlass.apps.jobset.kinds import JobSet, Network

_PREFIX = "jobset.sigs.k8s.io"
JOBSET_NAME = f"{_PREFIX}/jobset-name"
JOBSET_UID = f"{_PREFIX}/jobset-uid"
REPLICATED_JOB_NAME = f"{_PREFIX}/replicatedjob-name"
REPLICATED_JOB_REPLICAS = f"{_PREFIX}/replicatedjob-replicas"
GLOBAL_REPLICAS = f"{_PREFIX}/global-replicas"
JOB_INDEX = f"{_PREFIX}/job-index"
JOB_GLOBAL_INDEX = f"{_PREFIX}/job-global-index"
JOB_KEY = f"{_PREFIX}/job-key"
RESTART_ATTEMPT = f"{_PREFIX}/restart-attempt"
JOB_RESTART_ATTEMPT = f"{_PREFIX}/job-restart-attempt"
GROUP_NAME = f"{_PREFIX}/group-name"
GROUP_REPLICAS = f"{_PREFIX}/group-replicas"
JOB_GROUP_INDEX = f"{_PREFIX}/job-group-index"
COORDINATOR = f"{_PREFIX}/coordinator"

EXCLUSIVE_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"
NODE_SELECTOR_STRATEGY = "alpha.jobset.sigs.k8s.io/node-selector"
NAMESPACED_JOB = "alpha.jobset.sigs.k8s.io/namespaced-job"
NO_SCHEDULE_TAINT = "alpha.jobset.sigs.k8s.io/no-schedule"

CONTROLLER = f"{_PREFIX}/jobset-controller"
"""The controller of JobSets that do not set `managedBy`."""


def job_name(jobset: str, replicated_job: str, index: int) -> str:
    return f"{jobset}-{replicated_job}-{index}"


def pod_host(jobset: str, replicated_job: str, index: int, pod_index: int) -> str:
    """The hostname of a pod, which is also the prefix of its name."""
    return f"{job_name(jobset, replicated_job, index)}-{pod_index}"


def claim_name(jobset: str, template: str) -> str:
    return f"{template}-{jobset}"


def subdomain(jobset: JobSet) -> str:
    """The name of the headless service, by default the set's name, which is generated only after admission."""
    return (jobset.spec.network or Network()).subdomain or jobset.metadata.name


def coordinator_endpoint(jobset: JobSet) -> str:
    """The address of the coordinator; empty without a coordinator."""
    coordinator = jobset.spec.coordinator
    if coordinator is None:
        return ""
    host = pod_host(jobset.metadata.name, coordinator.replicated_job, coordinator.job_index, coordinator.pod_index)
    return f"{host}.{subdomain(jobset)}"
