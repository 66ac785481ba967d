"""What clients of the Trainer ask before anything else, and everybody may read: its release, and runtimes for all."""

from windlass.apis.trainer_v1alpha1 import GROUP
from windlass.kube.json import Object

NAMESPACE, NAME = "kubeflow-system", "kubeflow-trainer-public"
TRAINER_VERSION = "v2.3.0"
"""The release of Kubeflow's Trainer whose kinds are served."""
_RBAC = "rbac.authorization.k8s.io"
_EVERYBODY: Object = {"apiGroup": _RBAC, "kind": "Group", "name": "system:authenticated"}


def public_objects() -> list[Object]:
    """In the order in which they can be made.

    Whoever may train in one namespace has no rights beyond it, so that the runtimes of all must be shown to everybody.
    """
    version: Object = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [NAME], "verbs": ["get"]}
    runtimes: Object = {
        "apiGroups": [GROUP],
        "resources": ["clustertrainingruntimes"],
        "verbs": ["get", "list", "watch"],
    }
    told: Object = {"kubeflow_trainer_version": TRAINER_VERSION}
    inside: Object = {"name": NAME, "namespace": NAMESPACE}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**inside}, "data": told},
        *_allowed("Role", inside, version),
        *_allowed("ClusterRole", {"name": NAME}, runtimes),
    ]


def _allowed(kind: str, metadata: Object, rule: Object) -> list[Object]:
    """A role, and that everybody has it."""
    group_version = f"{_RBAC}/v1"
    ref: Object = {"apiGroup": _RBAC, "kind": kind, "name": NAME}
    return [
        {"apiVersion": group_version, "kind": kind, "metadata": {**metadata}, "rules": [rule]},
        {
            "apiVersion": group_version,
            "kind": f"{kind}Binding",
            "metadata": {**metadata},
            "roleRef": ref,
            "subjects": [_EVERYBODY],
        },
    ]
