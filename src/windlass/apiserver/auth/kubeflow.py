"""Kubeflow's roles: what each app adds to kubeflow-admin, kubeflow-edit and kubeflow-view.

They are part of Kubernetes' admin, edit and view too, so that users who may run pods in a namespace may use the
apps in it.
"""

from collections.abc import Mapping

from windlass.apps import all_apps

_KUBEFLOW = "rbac.authorization.kubeflow.org/aggregate-to-"
_KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"
LEVELS = ("admin", "edit", "view")

_USER_RULES = tuple(rules for app in all_apps() for rules in app.user_rules)
ROLES = tuple(dict.fromkeys(rules.role for rules in _USER_RULES))
"""Role names such as `training` and `trainer`; several apps may share one."""
CLUSTER_ROLES: Mapping[str, tuple[str, ...]] = {
    f"kubeflow-{role}-{level}": tuple(
        rule for rules in _USER_RULES if rules.role == role for rule in (rules.edit if level == "edit" else rules.view)
    )
    for role in ROLES
    for level in ("edit", "view")
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
