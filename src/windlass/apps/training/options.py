"""Settings of the training operator: the flags of upstream's operator."""

from dataclasses import dataclass
from typing import Annotated

from windlass.apis import images
from windlass.apis.options import Option, Site


def init_container_template(text: str) -> str:
    """Return the text if workers can have its init containers. Raises ValueError."""
    from windlass.apps.training.waiting import init_containers

    init_containers("master", 23456, Options(pytorch_init_container_template=text))
    return text


def _from_registry(image: str, site: Site) -> str:
    return images.in_registry(image, site.registry) if site.registry else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    controller_threads: Annotated[
        int,
        Option("Concurrent reconciles of each kind of training job.", flag="controller-threads", metavar="N"),
    ] = 4
    gang_scheduler: Annotated[
        str,
        Option(
            "Gang-schedule jobs with this scheduler: volcano, kube-batch, …", flag="gang-scheduler-name", metavar="NAME"
        ),
    ] = ""
    """Any other name is that of a scheduler that uses scheduler-plugins' PodGroups."""
    enable_gang_scheduling: Annotated[
        bool,
        Option(
            "true: same as --gang-scheduler-name=volcano, unless another one is given.", flag="enable-gang-scheduling"
        ),
    ] = False
    clean_pod_policy: Annotated[
        str,
        Option(
            "cleanPodPolicy of jobs that do not set it.",
            flag="default-clean-pod-policy",
            choices=("None", "Running", "All"),
        ),
    ] = "None"
    cluster_domain: Annotated[
        str, Option("Domain that is appended to the host names in replicas' environment.", "CUSTOM_CLUSTER_DOMAIN")
    ] = ""
    pytorch_init_container_image: Annotated[
        str,
        Option(
            "Image of the init container that waits for the PyTorch master.",
            flag="pytorch-init-container-image",
            metavar="IMAGE",
            in_manager=lambda site: _from_registry(images.PYTORCH_INIT_CONTAINER, site),
        ),
    ] = images.PYTORCH_INIT_CONTAINER
    pytorch_init_container_max_tries: Annotated[
        int,
        Option(
            "How often that init container tries to reach the master.",
            flag="pytorch-init-container-max-tries",
            metavar="N",
        ),
    ] = 100
    pytorch_init_container_template: Annotated[
        str,
        Option(
            "YAML file of init containers to use instead.",
            parse=init_container_template,
            flag="pytorch-init-container-template-file",
            metavar="FILE",
            is_file=True,
        ),
    ] = ""
    """It has upstream's placeholders."""
    mpi_kubectl_delivery_image: Annotated[
        str,
        Option(
            "Image that provides the exec client to MPI launchers.",
            flag="mpi-kubectl-delivery-image",
            metavar="IMAGE",
            in_manager=lambda site: _from_registry(images.MPI_KUBECTL_DELIVERY, site),
        ),
    ] = images.MPI_KUBECTL_DELIVERY

    @property
    def used_gang_scheduler(self) -> str:
        """The scheduler of gangs; empty for none."""
        return self.gang_scheduler or ("volcano" if self.enable_gang_scheduling else "")


DEFAULTS = Options()
