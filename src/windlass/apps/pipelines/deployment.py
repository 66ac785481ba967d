"""Additions of pipelines to the manifests: flags, and the ports and the Service by which pods find the API."""

import re

from windlass.apis.deployment import Deployment, GatewayPort, InstallFlag
from windlass.apis.proxied_identity import API_PORT, API_SERVICE, SYSTEM_NAMESPACE
from windlass.apps.pipelines.names import (
    DATABASE_SECRET,
    DATABASE_SECRET_FLAG,
    GRPC_PORT,
    ROOT_FLAG,
)
from windlass.kube.json import Object
from windlass.kube.names import dns_label_errors

_ROOT = re.compile(r"(s3|gs|az|minio)://[^/?\s]+(/[^?\s]*)?(\?[^\s]*)?")


def _root_problem(root: str) -> str:
    return "" if _ROOT.fullmatch(root) else "must be an s3://, gs://, az:// or minio:// URI"


def _secret_problem(name: str) -> str:
    return next(iter(dns_label_errors(name)), "")


def _api_service(host: str) -> list[Object]:
    """The name that Kubeflow's clients use in pods, `ml-pipeline.kubeflow`, for the gateway's Service."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": API_SERVICE, "namespace": SYSTEM_NAMESPACE},
            "spec": {"type": "ExternalName", "externalName": host},
        }
    ]


DEPLOYMENT = Deployment(
    flags=(
        InstallFlag(
            name=ROOT_FLAG,
            metavar="URI",
            help="Where pipelines keep artifacts, such as s3://bucket/path.  [default: what each namespace says]",
            problem=_root_problem,
        ),
        InstallFlag(
            name=DATABASE_SECRET_FLAG,
            metavar="NAME",
            help=f"Secret with the URL of the pipelines' database.  [default: {DATABASE_SECRET}]",
            problem=_secret_problem,
        ),
    ),
    # One port of the pod answers both plain HTTP and gRPC.
    gateway_ports=(
        GatewayPort(
            name="pipelines", number=API_PORT, service_ports={"pipelines": API_PORT, "grpc-pipelines": GRPC_PORT}
        ),
    ),
    gateway_objects=_api_service,
)
