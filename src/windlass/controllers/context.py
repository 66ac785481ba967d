"""What a manager knows when it chooses the controllers of the apps."""

from dataclasses import dataclass

from windlass.apps.notebooks.options import DEFAULTS as NOTEBOOK_DEFAULTS
from windlass.apps.notebooks.options import Options as NotebookOptions
from windlass.apps.pipelines.options import DEFAULTS as PIPELINE_DEFAULTS
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.training.options import DEFAULTS, Options
from windlass.kube.kind import Kind


@dataclass(frozen=True, kw_only=True)
class Context:
    """The manager's settings, and the server that it works against."""

    is_embedded: bool
    schemes: frozenset[str] = frozenset()
    """Those that were asked for; none: all of the app."""
    served: frozenset[Kind] = frozenset()
    """The kinds of a cluster; empty where it is the embedded server, which serves all."""
    training: Options = DEFAULTS
    workers: int = 4
    """Training jobs of a kind that are worked on at once."""
    notebooks: NotebookOptions = NOTEBOOK_DEFAULTS
    rwo_scheduling: bool = True
    """Whether TensorBoards prefer the node where their volume is in use."""
    tensorboard_image: str = ""
    """Empty for the default, which depends on the server."""
    viewer_image: str = ""
    """An image with Windlass, which has the file browser of viewers; empty where the node has it."""
    pipelines: PipelineOptions = PIPELINE_DEFAULTS
    gateway_namespace: str = ""
    """On a cluster: where the gateway runs; empty if it is not known."""
