"""How the API server says to the pipelines API on whose behalf it proxies a request to the Service `ml-pipeline`.

It sends a token of its own making, since the user's credentials are not passed on. Only the server knows which tokens
it has made, and says so in a TokenReview for `AUDIENCE`; to the server itself they are no credentials. So
`kfp.Client()` works with a kubeconfig alone.
"""

from windlass.apis.wellknown import PIPELINES_GROUP

SYSTEM_NAMESPACE = "kubeflow"
API_SERVICE = "ml-pipeline"
API_PORT = 8888
AUDIENCE = PIPELINES_GROUP
TOKEN_PREFIX = "wlx_"
PORTS = ("", ":", ":http", f":{API_PORT}")
PROXIED_NAMES = (*(API_SERVICE + port for port in PORTS), *(f"http:{API_SERVICE}{port}" for port in PORTS if port))
"""The names by which a proxied request may address the Service."""

PROXIED_NAME = f"{API_SERVICE}:http"
PIPELINES_VERSIONS = frozenset({"v2beta1", "v1beta1"})
"""Under `/apis`, where groups are: paths of the pipelines API, which no group has. kfp's client means to send them
through the proxy of the Service, but with the token of a kubeconfig it loses that part of the path."""


def is_pipelines_api(namespace: str, service: str) -> bool:
    return (namespace, service) == (SYSTEM_NAMESPACE, API_SERVICE)
