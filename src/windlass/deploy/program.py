"""The objects that each program of Windlass has on a cluster: a service account with rules, and a Deployment. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from windlass.apis.wellknown import RBAC_GROUP

Object: TypeAlias = dict[str, Any]

NAME = "app.kubernetes.io/name"
MANAGED_BY = {"app.kubernetes.io/managed-by": "windlass"}
"""Label of every object that is printed or installed: other products have objects of the same names, without it."""
USER = 65532  # what images without a shell call nonroot; any that is not root will do


@dataclass(frozen=True, kw_only=True)
class Program:
    """The manager or the scheduler, in a namespace."""

    component: str
    namespace: str

    @property
    def name(self) -> str:
        return f"windlass-{self.component}"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its pods."""
        return {NAME: "windlass", "app.kubernetes.io/component": self.component}

    def object(self, api_version: str, kind: str, *, is_namespaced: bool = True, **more: Any) -> Object:
        """An object that has the program's name."""
        metadata: Object = {"name": self.name, **({"namespace": self.namespace} if is_namespaced else {})}
        return {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, "labels": self.labels}, **more}


def labelled(obj: Object) -> Object:
    """The object with the label of this product."""
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **MANAGED_BY}}}


def namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {NAME: "windlass"}}}


def account(program: Program, cluster_rules: Sequence[Object], namespace_rules: Sequence[Object]) -> list[Object]:
    """The service account and its roles: for the whole cluster, and for its own namespace."""
    everywhere = [
        program.object("v1", "ServiceAccount"),
        program.object(f"{RBAC_GROUP}/v1", "ClusterRole", is_namespaced=False, rules=list(cluster_rules)),
        _binding(program, "ClusterRole"),
    ]
    if not namespace_rules:
        return everywhere
    role = program.object(f"{RBAC_GROUP}/v1", "Role", rules=list(namespace_rules))
    return [*everywhere, role, _binding(program, "Role")]


def _binding(program: Program, role: str) -> Object:
    return program.object(
        f"{RBAC_GROUP}/v1", f"{role}Binding", is_namespaced=role == "Role",
        roleRef={"apiGroup": RBAC_GROUP, "kind": role, "name": program.name},
        subjects=[{"kind": "ServiceAccount", "name": program.name, "namespace": program.namespace}],
    )  # fmt: skip


def deployment(program: Program, container: Object, volumes: Sequence[tuple[Object, Object]] = ()) -> Object:
    """One unprivileged pod with that container: not root, and only /tmp and `volumes` (with mounts) are writable."""
    spec: Object = {
        "serviceAccountName": program.name,
        "containers": [_confined(container, [{"name": volume["name"], **mount} for volume, mount in volumes])],
        "volumes": [{"name": "tmp", "emptyDir": {}}, *(volume for volume, _ in volumes)],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationGracePeriodSeconds": 45,  # workers have 30 s to finish what they hold
    }
    template: Object = {"metadata": {"labels": program.labels}, "spec": spec}
    selector = {"matchLabels": program.labels}
    return program.object("apps/v1", "Deployment", spec={"replicas": 1, "selector": selector, "template": template})


def _confined(container: Object, mounts: Sequence[Object]) -> Object:
    return {
        **container,
        "env": [{"name": "HOME", "value": "/tmp"}, *container.get("env", ())],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, *mounts],
    }


def ports(**numbers: int) -> list[Object]:
    return [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in numbers.items()]
