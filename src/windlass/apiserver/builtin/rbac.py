"""The group `rbac.authorization.k8s.io`: roles and who has them."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

_rbac = partial(resource, "rbac.authorization.k8s.io", "v1")

RESOURCES = (
    _rbac("ClusterRoleBinding", "clusterrolebindings", namespaced=False, strategy=Plain),
    _rbac("ClusterRole", "clusterroles", namespaced=False, strategy=Plain),
    _rbac("RoleBinding", "rolebindings", namespaced=True, strategy=Plain),
    _rbac("Role", "roles", namespaced=True, strategy=Plain),
)
