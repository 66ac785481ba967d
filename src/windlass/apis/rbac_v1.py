"""rbac.authorization.k8s.io/v1: the roles, as far as controllers read and write them."""

from windlass.kube.kind import kind
from windlass.kube.meta import LabelSelector, Object, Struct, field

GROUP_VERSION = "rbac.authorization.k8s.io/v1"


class PolicyRule(Struct):
    verbs: list[str] = []
    api_groups: list[str] = []
    resources: list[str] = []
    resource_names: list[str] = []
    non_resource_urls: list[str] = field(name="nonResourceURLs", default=[])


class AggregationRule(Struct):
    cluster_role_selectors: list[LabelSelector] = []


@kind(GROUP_VERSION, plural="clusterroles", namespaced=False, status=False)
class ClusterRole(Object):
    """What may be done anywhere."""

    rules: list[PolicyRule] = []
    aggregation_rule: AggregationRule | None = None


@kind(GROUP_VERSION, plural="roles", status=False)
class Role(Object):
    """What may be done in one namespace."""

    rules: list[PolicyRule] = []


class RoleRef(Struct):
    api_group: str = ""
    kind: str = ""
    name: str = ""


class Subject(Struct):
    kind: str = ""
    name: str = ""
    api_group: str = ""
    namespace: str = ""


@kind(GROUP_VERSION, plural="rolebindings", status=False)
class RoleBinding(Object):
    """Who has a role in one namespace."""

    role_ref: RoleRef = RoleRef()
    subjects: list[Subject] = []


@kind(GROUP_VERSION, plural="clusterrolebindings", namespaced=False, status=False)
class ClusterRoleBinding(Object):
    """Who has a role anywhere."""

    role_ref: RoleRef = RoleRef()
    subjects: list[Subject] = []
