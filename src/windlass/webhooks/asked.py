"""How a cluster is told of webhooks: in a configuration, which webhook is asked about which writes, and where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from windlass.kube.json import Object
from windlass.kube.kind import Kind

Role: TypeAlias = Literal["mutate", "validate"]
SERVICE_PORT = 443
_CONFIGURATIONS: dict[Role, str] = {
    "mutate": "MutatingWebhookConfiguration",
    "validate": "ValidatingWebhookConfiguration",
}


@dataclass(frozen=True, kw_only=True)
class Service:
    """A Service before the managers."""

    name: str
    namespace: str

    def leads_to(self, path: str) -> Object:
        """The clientConfig of a webhook."""
        return {"service": {"name": self.name, "namespace": self.namespace, "path": path, "port": SERVICE_PORT}}

    @property
    def host_names(self) -> tuple[str, ...]:
        """What the certificate must be good for: the names by which API servers and pods know the Service."""
        local = f"{self.name}.{self.namespace}.svc"
        return (local, f"{local}.cluster.local")


@dataclass(frozen=True, kw_only=True)
class Url:
    """A manager outside the cluster that the API server can reach."""

    base: str

    def leads_to(self, path: str) -> Object:
        return {"url": self.base.rstrip("/") + path}


Place: TypeAlias = Service | Url


def configuration(role: Role, name: str, webhooks: Iterable[Object]) -> Object:
    """The object that lists webhooks of one role."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": _CONFIGURATIONS[role],
        "metadata": {"name": name},
        "webhooks": list(webhooks),
    }


def webhook(
    name: str,
    kind: Kind,
    operations: Sequence[str],
    client_config: Object,
    *,
    versions: Iterable[str] = (),
    conditions: Sequence[Object] = (),
) -> Object:
    """One that is asked before writes of a kind are done, also in other `versions`, where all `conditions` hold."""
    rule: Object = {
        "apiGroups": [kind.group],
        "apiVersions": [kind.version, *versions],
        "operations": list(operations),
        "resources": [kind.plural],
        "scope": "Namespaced" if kind.namespaced else "Cluster",
    }
    return {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config,
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        **({"matchConditions": list(conditions)} if conditions else {}),
        "rules": [rule],
        "sideEffects": "None",
        "timeoutSeconds": 10,
    }
