"""Kubeflow's roles: what each product family adds to kubeflow-admin, kubeflow-edit and kubeflow-view.

They are part of Kubernetes' admin, edit and view too, so that users who may run pods in a namespace may use the
families in it.
"""

from collections.abc import Mapping

from windlass.apis.families import FAMILIES
from windlass.apis.family import READ, WRITE

_KUBEFLOW = "rbac.authorization.kubeflow.org/aggregate-to-"
_KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"
LEVELS = ("admin", "edit", "view")

_OF_FAMILIES = tuple(dict.fromkeys(family.user_rules.role for family in FAMILIES))
_WEB_APPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "notebook-ui": {
        "edit": (f"{WRITE} | kubeflow.org | notebooks", "create delete | kubeflow.org | poddefaults"),
        "view": (
            f"{READ} | kubeflow.org | notebooks notebooks/status poddefaults",
            f"{READ} | storage.k8s.io | storageclasses",
        ),
    },
    "tensorboard-ui": {
        "edit": (f"{WRITE} | tensorboard.kubeflow.org | tensorboards",),
        "view": (f"{READ} | tensorboard.kubeflow.org | tensorboards", f"{READ} | kubeflow.org | poddefaults"),
    },
    "volume-ui": {
        "edit": (f"{WRITE} | core | persistentvolumeclaims", f"{WRITE} | kubeflow.org | pvcviewers"),
        "view": (f"{READ} | core | persistentvolumeclaims", f"{READ} | kubeflow.org | pvcviewers"),
    },
}
"""Roles of Kubeflow's web apps, which bindings and aggregations of others name. They hold nothing that the families and
Kubernetes' own roles do not give already; StorageClasses are cluster-scoped, so a RoleBinding gives none of them."""
APP_ROLES = tuple(_WEB_APPS)
ROLES = (*_OF_FAMILIES, *APP_ROLES)
"""Role names such as `training` and `trainer`; several families may share one."""
CLUSTER_ROLES: Mapping[str, tuple[str, ...]] = {
    **{
        f"kubeflow-{role}-{level}": tuple(
            rule
            for family in FAMILIES
            if family.user_rules.role == role
            for rule in (family.user_rules.edit if level == "edit" else family.user_rules.view)
        )
        for role in _OF_FAMILIES
        for level in ("edit", "view")
    },
    **{f"kubeflow-{role}-{level}": rules for role, levels in _WEB_APPS.items() for level, rules in levels.items()},
}
AGGREGATED: Mapping[str, str] = {
    name: f"{_KUBEFLOW}{name}"
    for name in (
        *(f"kubeflow-{level}" for level in LEVELS),
        *(f"kubeflow-{role}-admin" for role in ROLES),
    )
}
"""Aggregated roles, with the label of the roles that they aggregate."""


def _labels(role: str) -> Mapping[str, tuple[str, ...]]:
    return {
        f"kubeflow-{role}-admin": (f"{_KUBEFLOW}kubeflow-admin",),
        f"kubeflow-{role}-edit": (
            f"{_KUBEFLOW}kubeflow-edit",
            f"{_KUBEFLOW}kubeflow-{role}-admin",
            f"{_KUBERNETES}edit",
        ),
        f"kubeflow-{role}-view": (f"{_KUBEFLOW}kubeflow-view", f"{_KUBERNETES}view"),
    }


LABELS: Mapping[str, tuple[str, ...]] = {
    "kubeflow-edit": (f"{_KUBEFLOW}kubeflow-admin",),
    "kubeflow-view": (f"{_KUBEFLOW}kubeflow-edit",),
    **{f"kubeflow-kubernetes-{level}": (f"{_KUBEFLOW}kubeflow-{level}",) for level in LEVELS},
    **{name: labels for role in ROLES for name, labels in _labels(role).items()},
}
"""The labels of each role, by which it becomes part of another."""
