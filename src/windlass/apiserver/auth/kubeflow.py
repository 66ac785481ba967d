"""Kubeflow's roles, as its own installation names them: what training adds to kubeflow-admin, -edit and -view.

They are part of Kubernetes' admin, edit and view too, so that whoever may run pods in a namespace may train in it.
"""

from collections.abc import Mapping

from windlass.apis.training.frameworks import FRAMEWORKS
from windlass.kube.kind import KINDS

_KUBEFLOW = "rbac.authorization.kubeflow.org/aggregate-to-"
_KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"

_DECLARED = [KINDS.of(framework.kind) for framework in FRAMEWORKS]
TRAINING_KINDS = " ".join(("chainerjobs", *(kind.plural for kind in _DECLARED)))
GANG_GROUPS = "scheduling.volcano.sh scheduling.x-k8s.io scheduling.incubator.k8s.io"
_SCALABLE = " ".join(f"{kind.plural}/scale" for kind in _DECLARED if kind.scale)
_STATUSES = " ".join(f"{kind}/status" for kind in TRAINING_KINDS.split())
_READ = "get list watch"

CLUSTER_ROLES: Mapping[str, tuple[str, ...]] = {
    "kubeflow-training-edit": (
        f"create delete deletecollection {_READ} patch update | kubeflow.org | {TRAINING_KINDS}",
        f"get | kubeflow.org | {_STATUSES}",
        f"get patch update | kubeflow.org | {_SCALABLE}",
        f"create delete {_READ} | core | persistentvolumeclaims",
        f"{_READ} | core | events",
        f"create delete {_READ} patch update | {GANG_GROUPS} | podgroups",
    ),
    "kubeflow-training-view": (
        f"{_READ} | kubeflow.org | {TRAINING_KINDS}",
        f"get | kubeflow.org | {_STATUSES} {_SCALABLE}",
        f"{_READ} | core | events",
        f"{_READ} | {GANG_GROUPS} | podgroups",
    ),
}
AGGREGATED: Mapping[str, str] = {
    "kubeflow-admin": f"{_KUBEFLOW}kubeflow-admin",
    "kubeflow-edit": f"{_KUBEFLOW}kubeflow-edit",
    "kubeflow-view": f"{_KUBEFLOW}kubeflow-view",
    "kubeflow-training-admin": f"{_KUBEFLOW}kubeflow-training-admin",
}
"""Roles that gather others, with the label that these others have."""
LABELS: Mapping[str, tuple[str, ...]] = {
    "kubeflow-edit": (f"{_KUBEFLOW}kubeflow-admin",),
    "kubeflow-view": (f"{_KUBEFLOW}kubeflow-edit",),
    "kubeflow-training-admin": (f"{_KUBEFLOW}kubeflow-admin",),
    "kubeflow-training-edit": (
        f"{_KUBEFLOW}kubeflow-edit",
        f"{_KUBEFLOW}kubeflow-training-admin",
        f"{_KUBERNETES}edit",
    ),
    "kubeflow-training-view": (f"{_KUBEFLOW}kubeflow-view", f"{_KUBERNETES}view"),
}
"""The labels of each, by which it becomes part of another."""
