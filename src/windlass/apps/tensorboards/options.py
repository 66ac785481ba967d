"""Settings of the TensorBoard controller: upstream's environment variables, with its defaults."""

from dataclasses import dataclass

from windlass.apis.images import TENSORBOARD
from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing


@dataclass(frozen=True, kw_only=True)
class Options:
    image: str = TENSORBOARD
    routing: Routing = DEFAULT_ROUTING
    rwo_scheduling: bool = True
    """Prefer the node of a running pod that has the claim, where only one node may have it."""


DEFAULTS = Options()
