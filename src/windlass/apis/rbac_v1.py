"""rbac.authorization.k8s.io/v1: the fields of roles that controllers read and write."""

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
    """A ClusterRole: permissions in the whole cluster."""

    rules: list[PolicyRule] = []
    aggregation_rule: AggregationRule | None = None


@kind(GROUP_VERSION, plural="roles", status=False)
class Role(Object):
    """A Role: permissions in one namespace."""

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
    """A RoleBinding: grants a role in one namespace."""

    role_ref: RoleRef = RoleRef()
    subjects: list[Subject] = []


@kind(GROUP_VERSION, plural="clusterrolebindings", namespaced=False, status=False)
class ClusterRoleBinding(Object):
    """A ClusterRoleBinding: grants a role in the whole cluster."""

    role_ref: RoleRef = RoleRef()
    subjects: list[Subject] = []
