"""Settings of the TensorBoard controller: upstream's environment variables, with its defaults."""

from dataclasses import dataclass
from typing import Annotated

from windlass.apis.images import EMBEDDED_TENSORBOARD, TENSORBOARD, in_registry
from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
from windlass.apis.options import Option, boolean


@dataclass(frozen=True, kw_only=True)
class Options:
    image: Annotated[
        str,
        Option(
            "Image of TensorBoard.",
            "TENSORBOARD_IMAGE",
            embedded=lambda _: EMBEDDED_TENSORBOARD,
            in_manager=lambda site: in_registry(TENSORBOARD, site.registry),
        ),
    ] = TENSORBOARD
    routing: Routing = DEFAULT_ROUTING
    """The platform's, as far as the server has routes."""
    rwo_scheduling: Annotated[
        bool,
        Option(
            "Whether a TensorBoard prefers the node where its volume is in use, if only one node may have it.",
            "RWO_PVC_SCHEDULING",
            boolean,
        ),
    ] = True


DEFAULTS = Options()
