"""Istio's app: routes and policies that the embedded gateway serves. No controller writes their status."""

from windlass.apis.app import PLATFORM_OPTION, READ, App, Provided, UserRules
from windlass.apis.crd import SameSchema, definition
from windlass.apis.istio.routing import Routing
from windlass.apis.networking_istio_v1alpha3 import GROUP as NETWORKING
from windlass.apis.networking_istio_v1alpha3 import OTHER_VERSIONS as ROUTE_VERSIONS
from windlass.apis.networking_istio_v1alpha3 import Gateway, VirtualService
from windlass.apis.security_istio_v1beta1 import GROUP as SECURITY
from windlass.apis.security_istio_v1beta1 import OTHER_VERSIONS as POLICY_VERSIONS
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy, RequestAuthentication
from windlass.kube.json import Object

_READABLE = (
    f"{READ} | {NETWORKING} | virtualservices gateways",
    f"{READ} | {SECURITY} | authorizationpolicies requestauthentications",
)


def definitions() -> list[Object]:
    """Return the definitions, ready to create."""
    routes = [definition(kind, *map(SameSchema, ROUTE_VERSIONS)) for kind in (VirtualService, Gateway)]
    policies = [
        definition(kind, *map(SameSchema, POLICY_VERSIONS)) for kind in (AuthorizationPolicy, RequestAuthentication)
    ]
    return [*routes, *policies]


def provided() -> list[Provided]:
    """The namespaces that routes and policies name, and the gateway that VirtualServices refer to."""
    namespaces = [
        Provided(obj={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for name in ("kubeflow", "istio-system")
    ]
    gateway = Provided(
        obj={
            "apiVersion": f"{NETWORKING}/v1alpha3",
            "kind": "Gateway",
            "metadata": {"name": "kubeflow-gateway", "namespace": "kubeflow"},
            "spec": {
                "selector": {"istio": "ingressgateway"},
                "servers": [{"hosts": ["*"], "port": {"name": "http", "number": 80, "protocol": "HTTP"}}],
            },
        }
    )
    return [*namespaces, gateway]


APP = App(
    name="routing",
    definitions=definitions,
    controllers="",
    schemes=frozenset(),
    user_rules=(UserRules(role="istio", edit=_READABLE, view=_READABLE),),
    provided=provided,
    install_option=PLATFORM_OPTION,
    foreign_groups=frozenset({NETWORKING, SECURITY}),
    options=Routing,
)
