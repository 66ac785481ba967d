"""What clients of the Trainer ask before anything else: which release of it is served. Everybody may read it."""

from windlass.kube.json import Object

NAMESPACE, NAME = "kubeflow-system", "kubeflow-trainer-public"
TRAINER_VERSION = "v2.3.0"
"""The release of Kubeflow's Trainer whose kinds are served."""
_RBAC = "rbac.authorization.k8s.io"


def public_objects() -> list[Object]:
    """In the order in which they can be made."""
    reading: Object = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [NAME], "verbs": ["get"]}
    everybody: Object = {"apiGroup": _RBAC, "kind": "Group", "name": "system:authenticated"}
    role_ref: Object = {"apiGroup": _RBAC, "kind": "Role", "name": NAME}
    version: Object = {"kubeflow_trainer_version": TRAINER_VERSION}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(), "data": version},
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": _metadata(), "rules": [reading]},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": _metadata(),
            "roleRef": role_ref,
            "subjects": [everybody],
        },
    ]


def _metadata() -> Object:
    return {"name": NAME, "namespace": NAMESPACE}
