"""Settings of viewers of volumes: environment variables of the server and the manager."""

from dataclasses import dataclass
from typing import Annotated

from windlass.apis.options import Option

POD_SPEC_VARIABLE = "DEFAULT_POD_SPEC_PATH"


@dataclass(frozen=True, kw_only=True)
class Options:
    image: Annotated[
        str,
        Option(
            "Image with Windlass, which has the file browser; empty where the node has it.",
            "PVCVIEWER_IMAGE",
            in_manager=lambda site: site.image,
        ),
    ] = ""
    pod_spec_file: Annotated[
        str, Option("YAML file with the PodSpec of viewers that have none.", POD_SPEC_VARIABLE)
    ] = ""
