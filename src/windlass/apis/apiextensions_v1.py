"""apiextensions.k8s.io/v1: definitions of custom kinds."""

from windlass.apis.core_v1 import ConditionStatus
from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct, Time


class CustomResourceDefinitionNames(Struct):
    plural: str = ""
    singular: str = ""
    kind: str = ""
    list_kind: str = ""
    short_names: list[str] = []
    categories: list[str] = []


class CustomResourceDefinitionVersion(Struct):
    """A version of a custom resource, without its schema, which is large and which only the server reads."""

    name: str = ""
    served: bool = False
    storage: bool = False


class CustomResourceDefinitionSpec(Struct):
    group: str = ""
    names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    scope: str = ""
    versions: list[CustomResourceDefinitionVersion] = []


class CustomResourceDefinitionCondition(Struct):
    type: str = ""
    status: ConditionStatus = "Unknown"
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class CustomResourceDefinitionStatus(Struct):
    conditions: list[CustomResourceDefinitionCondition] = []
    accepted_names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    stored_versions: list[str] = []


@kind("apiextensions.k8s.io/v1", plural="customresourcedefinitions", short=("crd", "crds"), namespaced=False)
class CustomResourceDefinition(Object):
    """The definition of a kind that the server serves in addition to its own."""

    spec: CustomResourceDefinitionSpec = CustomResourceDefinitionSpec()
    status: CustomResourceDefinitionStatus = CustomResourceDefinitionStatus()
