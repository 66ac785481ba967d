"""kubeflow.org: Profile (v1) and PodDefault (v1alpha1)."""

from typing import Literal

from windlass.apis.core_v1 import LocalObjectReference, ResourceQuotaSpec
from windlass.apis.fields import AGE, Foreign
from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.kube.kind import Column, kind
from windlass.kube.meta import LabelSelector, Object, Struct


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


class PodDefaultSpec(Struct):
    """What is added to the pods that the selector matches."""

    selector: LabelSelector
    desc: str = ""
    env: list[Foreign] = []
    env_from: list[Foreign] = []
    volumes: list[Foreign] = []
    volume_mounts: list[Foreign] = []
    tolerations: list[Foreign] = []
    image_pull_secrets: list[LocalObjectReference] = []
    annotations: dict[str, str] = {}
    labels: dict[str, str] = {}
    service_account_name: str = ""
    automount_service_account_token: bool | None = None
    command: list[str] = []
    args: list[str] = []
    init_containers: list[Foreign] = []
    sidecars: list[Foreign] = []


@kind(
    f"{GROUP}/v1alpha1",
    plural="poddefaults",
    status=False,
    columns=(Column("Description", ".spec.desc"), AGE),
)
class PodDefault(Object):
    """Environment, volumes and other settings that pods of the namespace get by their labels."""

    spec: PodDefaultSpec
