"""The address at which API servers reach the webhooks: a Service in the cluster, or a URL outside it."""

from dataclasses import dataclass
from typing import TypeAlias

from windlass.kube.json import Object

SERVICE_PORT = 443


@dataclass(frozen=True, kw_only=True)
class Service:
    """A Service in front of the managers."""

    name: str
    namespace: str

    def client_config(self, path: str) -> Object:
        """The clientConfig of a webhook."""
        return {"service": {"name": self.name, "namespace": self.namespace, "path": path, "port": SERVICE_PORT}}

    @property
    def host_names(self) -> tuple[str, ...]:
        """The host names of the certificate: those by which API servers and pods address the Service."""
        local = f"{self.name}.{self.namespace}.svc"
        return (local, f"{local}.cluster.local")


@dataclass(frozen=True, kw_only=True)
class Url:
    """A manager outside the cluster that the API server can reach."""

    base: str

    def client_config(self, path: str) -> Object:
        return {"url": self.base.rstrip("/") + path}


WebhookAddress: TypeAlias = Service | Url
