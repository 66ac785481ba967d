"""What ties the gateway to Istio: route kinds where there is no Istio, the way through its ingress where there is.

The routes of notebooks name the Gateway `kubeflow/kubeflow-gateway`. It selects Windlass' own gateway, so that Istio's
ingress serves none of them by itself: everything that comes in is sent to the gateway, which asks for a login.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from windlass.apis.app import App
from windlass.apis.istio.mesh import INGRESS_LABELS
from windlass.apis.networking_istio_v1alpha3 import GROUP as NETWORKING
from windlass.apis.security_istio_v1beta1 import GROUP as SECURITY
from windlass.deploy.program import MANAGED_BY, Object, Program

KUBEFLOW = "kubeflow"
ROUTES_GATEWAY = "kubeflow-gateway"
INGRESS_PORTS = {"http": (80, "HTTP"), "https": (443, "HTTPS")}


def definitions(apps: Iterable[App]) -> list[Object]:
    """Istio's kinds, for a cluster that does not have Istio."""
    return [crd for app in apps for crd in app.definitions() if crd["spec"]["group"] in (NETWORKING, SECURITY)]


def routes_gateway(gateway: Program) -> Object:
    """The Gateway that routes of notebooks, TensorBoards and viewers name."""
    server = {"hosts": ["*"], "port": {"name": "http", "number": 80, "protocol": "HTTP"}}
    return {
        "apiVersion": f"{NETWORKING}/v1beta1",
        "kind": "Gateway",
        "metadata": {"name": ROUTES_GATEWAY, "namespace": KUBEFLOW, "labels": dict(MANAGED_BY)},
        "spec": {"selector": gateway.labels, "servers": [server]},
    }


def host_of(external_url: str) -> str:
    return urlsplit(external_url).hostname or "*"


def ingress(gateway: Program, external_url: str, service_port: int, tls_secret: str) -> list[Object]:
    """Objects by which Istio's ingress sends every request of the external URL's host to the gateway."""
    url, host = urlsplit(external_url), host_of(external_url)
    number, protocol = INGRESS_PORTS[url.scheme]
    server: Object = {"hosts": [host], "port": {"name": url.scheme, "number": number, "protocol": protocol}}
    if protocol == "HTTPS":
        server["tls"] = {"mode": "SIMPLE", "credentialName": tls_secret or f"{gateway.name}-tls"}
    destination = {"host": f"{gateway.name}.{gateway.namespace}.svc.cluster.local", "port": {"number": service_port}}
    route = {"route": [{"destination": destination}]}
    return [
        gateway.object(f"{NETWORKING}/v1beta1", "Gateway", spec={"selector": INGRESS_LABELS, "servers": [server]}),
        gateway.object(
            f"{NETWORKING}/v1beta1",
            "VirtualService",
            spec={"hosts": [host], "gateways": [gateway.name], "http": [route]},
        ),
    ]
