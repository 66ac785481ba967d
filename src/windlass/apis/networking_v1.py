"""networking.k8s.io/v1: routes from hosts and paths to Services. Only what the gateway reads is declared."""

from windlass.kube.kind import kind
from windlass.kube.meta import Object, Struct


class ServiceBackendPort(Struct):
    name: str = ""
    number: int = 0


class IngressServiceBackend(Struct):
    name: str = ""
    port: ServiceBackendPort = ServiceBackendPort()


class IngressBackend(Struct):
    service: IngressServiceBackend | None = None


class HTTPIngressPath(Struct):
    path: str = ""
    path_type: str = ""
    backend: IngressBackend = IngressBackend()


class HTTPIngressRuleValue(Struct):
    paths: list[HTTPIngressPath] = []


class IngressRule(Struct):
    host: str = ""
    http: HTTPIngressRuleValue | None = None


class IngressSpec(Struct):
    ingress_class_name: str | None = None
    default_backend: IngressBackend | None = None
    rules: list[IngressRule] = []


@kind("networking.k8s.io/v1", plural="ingresses", short=("ing",))
class Ingress(Object):
    """An Ingress: hosts and paths, and the Services that answer them."""

    spec: IngressSpec = IngressSpec()
