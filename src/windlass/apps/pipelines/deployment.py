"""What pipelines add to the manifests: settings of manager and gateway, and the Service that pods find the API by."""

from dataclasses import dataclass

from windlass.apis.proxied_identity import API_PORT, API_SERVICE, SYSTEM_NAMESPACE
from windlass.apps.pipelines.names import GRPC_PORT
from windlass.deploy.program import MANAGED_BY, Object, Program

DATABASE_SECRET, DATABASE_KEY = "windlass-pipelines-database", "url"
PORT_NAME, GRPC_PORT_NAME = "pipelines", "grpc-pipelines"


@dataclass(frozen=True, kw_only=True)
class PipelinesDeployment:
    """What may differ between clusters."""

    root: str = ""
    """Where artifacts go if a namespace does not say, such as s3://bucket/pipelines; empty for nowhere."""
    database_secret: str = DATABASE_SECRET
    """Secret with the URL of the database in its key `url`. Without it, only Workflows run."""

    def manager_variables(self, image: str) -> list[Object]:
        values = {"WINDLASS_PIPELINES_IMAGE": image, "WINDLASS_PIPELINES_ROOT": self.root}
        return [self._database(), *({"name": name, "value": value} for name, value in values.items() if value)]

    def gateway_variables(self) -> list[Object]:
        return [self._database(), {"name": "WINDLASS_PIPELINES_API_PORT", "value": str(API_PORT)}]

    def _database(self) -> Object:
        reference = {"name": self.database_secret, "key": DATABASE_KEY, "optional": True}
        return {"name": "WINDLASS_PIPELINES_DATABASE", "valueFrom": {"secretKeyRef": reference}}


def gateway_ports() -> list[Object]:
    """The ports of the gateway's own Service at which pods reach the API, with bearer tokens: plain HTTP and gRPC.

    Both lead to one port of its pod, which answers either.
    """
    return [
        {"name": name, "port": port, "targetPort": PORT_NAME, "protocol": "TCP"}
        for name, port in ((PORT_NAME, API_PORT), (GRPC_PORT_NAME, GRPC_PORT))
    ]


def api_service(gateway: Program) -> Object:
    """The name that Kubeflow's clients use in pods, `ml-pipeline.kubeflow`, for the gateway's Service."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": API_SERVICE, "namespace": SYSTEM_NAMESPACE, "labels": dict(MANAGED_BY)},
        "spec": {"type": "ExternalName", "externalName": f"{gateway.name}.{gateway.namespace}.svc.cluster.local"},
    }
