"""Settings of the routes that controllers write."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Routing:
    """Where routes belong: upstream's environment variables, with its defaults."""

    use_istio: bool = True
    istio_gateway: str = "kubeflow/kubeflow-gateway"
    istio_host: str = "*"
    cluster_domain: str = "cluster.local"


DEFAULT_ROUTING = Routing()
