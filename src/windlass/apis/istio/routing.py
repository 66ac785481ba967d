"""Settings of the routes that controllers write, and the port of the Services that they lead to."""

from dataclasses import dataclass

SERVICE_PORT = 80
"""Port of the Services before notebooks, TensorBoards and viewers."""


@dataclass(frozen=True, kw_only=True)
class Routing:
    """Where routes belong: upstream's environment variables, with its defaults."""

    use_istio: bool = True
    istio_gateway: str = "kubeflow/kubeflow-gateway"
    istio_host: str = "*"
    cluster_domain: str = "cluster.local"


DEFAULT_ROUTING = Routing()
