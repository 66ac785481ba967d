"""kubeflow.org/v1: notebooks, and profiles, which give a user a namespace."""

from typing import Annotated, Any, Literal, TypeAlias

from windlass.apis.core_v1 import PodCondition, ResourceQuotaSpec
from windlass.apis.fields import Foreign, Int32
from windlass.apis.wellknown import KUBEFLOW_GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

GROUP = KUBEFLOW_GROUP
AGE = Column("Age", ".metadata.creationTimestamp", "date")

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


class ProfileOwner(Struct):
    """User, group or service account that owns the namespace."""

    kind: Literal["User", "Group", "ServiceAccount"]
    name: str
    api_group: str = ""
    namespace: str = ""


class ProfilePlugin(Struct):
    """Cloud identity of the namespace's default-editor."""

    kind: str
    api_version: str = ""
    spec: Foreign = {}


class ProfileSpec(Struct):
    owner: ProfileOwner | None = None
    plugins: list[ProfilePlugin] = []
    resource_quota_spec: ResourceQuotaSpec | None = None


class ProfileCondition(Struct):
    type: str
    status: str = ""
    message: str = ""


class ProfileStatus(Struct):
    """Observed state, written by the controller."""

    conditions: list[ProfileCondition] = []


@kind(
    f"{GROUP}/v1",
    plural="profiles",
    namespaced=False,
    columns=(Column("Owner", ".spec.owner.name"), AGE),
)
class Profile(Object):
    """A namespace of the same name with an owner, contributors, roles and a quota."""

    spec: ProfileSpec = ProfileSpec()
    status: ProfileStatus = ProfileStatus()
