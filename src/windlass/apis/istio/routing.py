"""Settings of the routes that controllers write, and the port of the Services that they lead to."""

from dataclasses import dataclass
from typing import Annotated

from windlass.apis.options import Option, boolean

SERVICE_PORT = 80
"""Port of the Services before notebooks, TensorBoards and viewers."""


@dataclass(frozen=True, kw_only=True)
class Routing:
    """Where routes belong: upstream's environment variables, with its defaults."""

    use_istio: Annotated[bool, Option("Whether controllers write routes for Istio.", "USE_ISTIO", boolean)] = True
    istio_gateway: Annotated[str, Option("Istio's Gateway that routes name, as namespace/name.", "ISTIO_GATEWAY")] = (
        "kubeflow/kubeflow-gateway"
    )
    istio_host: Annotated[str, Option("Host of the routes.", "ISTIO_HOST")] = "*"
    cluster_domain: Annotated[str, Option("Domain of the cluster's Services.", "CLUSTER_DOMAIN")] = "cluster.local"


DEFAULT_ROUTING = Routing()
