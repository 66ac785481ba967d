"""Objects that clients of the Trainer read first and that all users may read: its version, and the cluster runtimes."""

from windlass.apis.wellknown import RBAC_GROUP
from windlass.apps.trainer.kinds import GROUP
from windlass.kube.json import Object

NAMESPACE, NAME = "kubeflow-system", "kubeflow-trainer-public"
TRAINER_VERSION = "v2.3.0"
"""The release of Kubeflow Trainer whose kinds are served."""
_EVERYBODY: Object = {"apiGroup": RBAC_GROUP, "kind": "Group", "name": "system:authenticated"}


def public_objects() -> list[Object]:
    """Return the objects in creation order.

    Users with permissions in a single namespace still need the cluster runtimes, so all users may read them.
    """
    version: Object = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [NAME], "verbs": ["get"]}
    runtimes: Object = {
        "apiGroups": [GROUP],
        "resources": ["clustertrainingruntimes"],
        "verbs": ["get", "list", "watch"],
    }
    data: Object = {"kubeflow_trainer_version": TRAINER_VERSION}
    inside: Object = {"name": NAME, "namespace": NAMESPACE}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**inside}, "data": data},
        *_allowed("Role", inside, version),
        *_allowed("ClusterRole", {"name": NAME}, runtimes),
    ]


def _allowed(kind: str, metadata: Object, rule: Object) -> list[Object]:
    """A role, and its binding to all authenticated users."""
    group_version = f"{RBAC_GROUP}/v1"
    ref: Object = {"apiGroup": RBAC_GROUP, "kind": kind, "name": NAME}
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
