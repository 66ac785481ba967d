"""Settings of the training operator: the flags of upstream's operator."""

from dataclasses import dataclass

from windlass.apis import images


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings; `gang_scheduler` is volcano, kube-batch, or a scheduler that uses scheduler-plugins' PodGroups."""

    gang_scheduler: str = ""
    clean_pod_policy: str = "None"
    """The default clean pod policy."""
    cluster_domain: str = ""
    """Appended to the host names in the replicas' environment: CUSTOM_CLUSTER_DOMAIN."""
    pytorch_init_container_image: str = images.PYTORCH_INIT_CONTAINER
    pytorch_init_container_max_tries: int = 100
    pytorch_init_container_template: str = ""
    """YAML of replacement init containers, with upstream's placeholders."""
    mpi_kubectl_delivery_image: str = images.MPI_KUBECTL_DELIVERY


DEFAULTS = Options()
