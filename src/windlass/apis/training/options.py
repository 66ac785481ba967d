"""How the operator as a whole is set up: what upstream's operator takes as flags."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`gang_scheduler`: volcano, kube-batch, or the name of a scheduler with the scheduler-plugins' PodGroups."""

    gang_scheduler: str = ""
    clean_pod_policy: str = "None"
    """Of jobs that do not say."""
    cluster_domain: str = ""
    """Put behind the names that replicas are given of each other: CUSTOM_CLUSTER_DOMAIN."""
    pytorch_init_container_image: str = "alpine:3.10"
    pytorch_init_container_max_tries: int = 100
    pytorch_init_container_template: str = ""
    """YAML of the init containers to use instead, with upstream's placeholders."""
    mpi_kubectl_delivery_image: str = "kubeflow/kubectl-delivery:latest"


DEFAULTS = Options()
