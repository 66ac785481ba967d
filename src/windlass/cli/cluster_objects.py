"""The manifests of Windlass on a cluster: its kinds, its manager with what that may do, its webhooks. Decides only."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from windlass.apis.training.common import GROUP
from windlass.apis.training.crds import definitions
from windlass.apiserver.auth import bootstrap
from windlass.cli.cluster_rules import cluster_rules, lease_rules, secret_rules
from windlass.controllers import training
from windlass.webhooks.configuration import (
    CONVERTED,
    SERVICE_PORT,
    Place,
    Service,
    conversion,
    mutating_configuration,
    validating_configuration,
)

Object: TypeAlias = dict[str, Any]

NAME = "windlass-manager"
SECRET_NAME = "windlass-webhook-cert"
WEBHOOK_PORT, METRICS_PORT, PROBE_PORT = 9443, 8080, 8081
RBAC = "rbac.authorization.k8s.io"
SELECTED = {"app.kubernetes.io/name": "windlass", "app.kubernetes.io/component": "manager"}
USER = 65532  # what images without a shell call nonroot; any that is not root will do
PEOPLES_ROLES = ("kubeflow-training-admin", "kubeflow-training-edit", "kubeflow-training-view")


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What may differ between clusters."""

    namespace: str
    image: str
    webhooks: Place

    @classmethod
    def of(cls, namespace: str, image: str, webhooks: Place | None = None) -> "Installation":
        return cls(namespace=namespace, image=image, webhooks=webhooks or Service(name=NAME, namespace=namespace))


def custom_resources(wanted: Installation) -> list[Object]:
    """The training kinds. PodGroups and queues are their schedulers' own, and come with them."""
    converted = {kind.group_resource for kind in CONVERTED}
    made = [crd for crd in definitions() if crd["spec"]["group"] == GROUP]
    for crd in made:
        if crd["metadata"]["name"] in converted:
            crd["spec"]["conversion"] = conversion(wanted.webhooks)
    return made


def webhooks(wanted: Installation) -> list[Object]:
    """The configurations, and the Service that they lead to if they lead to one."""
    services = [_service(wanted)] if isinstance(wanted.webhooks, Service) else []
    return [*services, validating_configuration(wanted.webhooks), mutating_configuration(wanted.webhooks)]


def operator(wanted: Installation) -> list[Object]:
    """The manager, who it is and what it may do; and what people who train may do."""
    return [
        _object("v1", "Namespace", "", wanted.namespace),
        _object("v1", "ServiceAccount", wanted.namespace, NAME),
        _object(f"{RBAC}/v1", "ClusterRole", "", NAME, rules=cluster_rules()),
        _binding("ClusterRoleBinding", "", wanted),
        _object(f"{RBAC}/v1", "Role", wanted.namespace, NAME, rules=[*lease_rules(), *secret_rules(SECRET_NAME)]),
        _binding("RoleBinding", wanted.namespace, wanted),
        *peoples_roles(),
        _deployment(wanted),
    ]


def peoples_roles() -> list[Object]:
    """Kubeflow's roles for training, which become part of its own and of Kubernetes' admin, edit and view."""
    roles: list[Object] = []
    for role in bootstrap.default_objects():
        if role["kind"] == "ClusterRole" and role["metadata"]["name"] in PEOPLES_ROLES:
            labels = {key: value for key, value in role["metadata"]["labels"].items() if key not in bootstrap.LABELS}
            metadata = {"name": role["metadata"]["name"], "labels": labels}
            gathers = {"aggregationRule", "rules"} <= role.keys()
            roles.append({**role, "metadata": metadata, **({"rules": []} if gathers else {})})
    return roles


def _object(
    api_version: str, kind: str, namespace: str, name: str, *, labels: Object | None = None, **more: Any
) -> Object:
    metadata: Object = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {**metadata, "labels": labels or dict(SELECTED)},
        **more,
    }


def _binding(kind: str, namespace: str, wanted: Installation) -> Object:
    role = {"apiGroup": RBAC, "kind": "Role" if namespace else "ClusterRole", "name": NAME}
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": wanted.namespace}
    return _object(f"{RBAC}/v1", kind, namespace, NAME, roleRef=role, subjects=[subject])


def _service(wanted: Installation) -> Object:
    ports = [
        {"name": "webhooks", "port": SERVICE_PORT, "targetPort": "webhooks", "protocol": "TCP"},
        {"name": "metrics", "port": METRICS_PORT, "targetPort": "metrics", "protocol": "TCP"},
    ]
    return _object("v1", "Service", wanted.namespace, NAME, spec={"selector": dict(SELECTED), "ports": ports})


def _deployment(wanted: Installation) -> Object:
    spec: Object = {
        "serviceAccountName": NAME,
        "containers": [_container(wanted)],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationGracePeriodSeconds": 45,  # the manager gives its workers 30 s to finish what they hold
    }
    template: Object = {"metadata": {"labels": dict(SELECTED)}, "spec": spec}
    return _object(
        "apps/v1", "Deployment", wanted.namespace, NAME,
        spec={"replicas": 1, "selector": {"matchLabels": dict(SELECTED)}, "template": template},
    )  # fmt: skip


def _container(wanted: Installation) -> Object:
    ports = {"webhooks": WEBHOOK_PORT, "metrics": METRICS_PORT, "probes": PROBE_PORT}
    return {
        "name": "manager",
        "image": wanted.image,
        "command": ["windlass", "manager", "--in-cluster"],
        "args": [
            f"--enable-scheme={','.join(sorted(training.kinds()))}",
            f"--webhook-port={WEBHOOK_PORT}",
            f"--webhook-service-name={NAME}",
            f"--webhook-secret-name={SECRET_NAME}",
            f"--metrics-bind-address=:{METRICS_PORT}",
            f"--health-probe-bind-address=:{PROBE_PORT}",
        ],
        "env": [
            {"name": "HOME", "value": "/tmp"},
        ],
        "ports": [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports.items()],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "probes"}, "initialDelaySeconds": 15},
        # Not that of the controllers: their caches wait for conversions, which only a ready pod is asked for.
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "webhooks", "scheme": "HTTPS"}},
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
