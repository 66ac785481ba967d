"""networking.istio.io/v1alpha3: routes from the gateway to Services. Also served as v1beta1 and v1.

Only the fields that the embedded gateway honours are declared; all others are preserved as written.
"""

from typing import Annotated, Any

from windlass.apis.fields import Foreign
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct, field

GROUP = "networking.istio.io"
OTHER_VERSIONS = ("v1beta1", "v1")
_STRING: dict[str, Any] = {"type": "string"}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object whose other fields are preserved as written."""
    return {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": properties}


_STRINGS = {"type": "object", "additionalProperties": _STRING}
_HEADERS = _object(set=_STRINGS, add=_STRINGS, remove=_array(_STRING))
_DESTINATION = _object(host=_STRING, port=_object(number={"type": "integer"}), subset=_STRING)
_ROUTE = _object(destination={**_DESTINATION, "required": ["host"]}, weight={"type": "integer"})
_HTTP = _object(
    name=_STRING,
    match=_array(_object(uri=_object(exact=_STRING, prefix=_STRING, regex=_STRING))),
    rewrite=_object(uri=_STRING, authority=_STRING),
    headers=_object(request=_HEADERS, response=_HEADERS),
    route=_array({**_ROUTE, "required": ["destination"]}),
    timeout=_STRING,
)
_AS_WRITTEN = Meta(
    extra_json_schema=_object(hosts=_array(_STRING), gateways=_array(_STRING), http=_array(_HTTP)),
)


class StringMatch(Struct):
    exact: str = ""
    prefix: str = ""
    regex: str = ""


class HTTPMatchRequest(Struct):
    uri: StringMatch = StringMatch()


class HTTPRewrite(Struct):
    uri: str = ""
    authority: str = ""


class HeaderOperations(Struct):
    set_: dict[str, str] = field(name="set", default={})
    add: dict[str, str] = {}
    remove: list[str] = []


class Headers(Struct):
    request: HeaderOperations = HeaderOperations()
    response: HeaderOperations = HeaderOperations()


class PortSelector(Struct):
    number: int = 0


class Destination(Struct):
    host: str
    port: PortSelector = PortSelector()
    subset: str = ""


class HTTPRouteDestination(Struct):
    destination: Destination
    weight: int = 0


class HTTPRoute(Struct):
    name: str = ""
    match: list[HTTPMatchRequest] = []
    rewrite: HTTPRewrite | None = None
    headers: Headers = Headers()
    route: list[HTTPRouteDestination] = []
    timeout: str = ""


class VirtualServiceSpec(Struct):
    hosts: list[str] = []
    gateways: list[str] = []
    http: list[HTTPRoute] = []


@kind(
    f"{GROUP}/v1alpha3",
    plural="virtualservices",
    short=("vs",),
    columns=(
        Column("Gateways", ".spec.gateways", description="Gateways that serve the routes"),
        Column("Hosts", ".spec.hosts", description="Hosts that the routes are for"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class VirtualService(Object):
    """Routes from a path at the gateway to Services."""

    spec: Annotated[VirtualServiceSpec, _AS_WRITTEN] = VirtualServiceSpec()
    status: Foreign = {}


@kind(f"{GROUP}/v1alpha3", plural="gateways", short=("gw",))
class Gateway(Object):
    """Where VirtualServices are served. The embedded gateway serves those of kubeflow/kubeflow-gateway."""

    spec: Foreign = {}
    status: Foreign = {}
