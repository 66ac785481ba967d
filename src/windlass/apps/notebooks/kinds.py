"""kubeflow.org/v1: Notebook."""

from typing import Annotated, Any, TypeAlias

from windlass.apis.core_v1 import PodCondition
from windlass.apis.fields import AGE, Foreign, Int32
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

NotebookPodSpec: TypeAlias = Annotated[
    dict[str, Any], Meta(extra_json_schema={"x-windlass-definition": "io.k8s.api.core.v1.PodSpec"})
]
"""Kubernetes' own PodSpec, preserved as written."""


class NotebookTemplate(Struct):
    """Template of the server's pod. It has no metadata: the pod gets the Notebook's labels and annotations."""

    spec: NotebookPodSpec = {}


class NotebookSpec(Struct):
    template: NotebookTemplate = NotebookTemplate()


class NotebookStatus(Struct):
    """Observed state, written by the controller: all three fields, also where they are empty."""

    conditions: list[PodCondition] | None = None
    ready_replicas: Int32 | None = None
    container_state: Foreign | None = None


@kind(
    f"{GROUP}/v1",
    plural="notebooks",
    columns=(
        Column("Ready", ".status.readyReplicas", "integer", description="Number of ready server pods"),
        Column("Image", ".spec.template.spec.containers[0].image", priority=1),
        AGE,
    ),
)
class Notebook(Object):
    """A notebook server: one pod, its volumes and its address at the gateway."""

    spec: NotebookSpec = NotebookSpec()
    status: NotebookStatus = NotebookStatus()
