"""What a manager knows when it chooses the controllers of the apps."""

from dataclasses import dataclass

from windlass.apis.options import WithOptions
from windlass.kube.kind import Kind


@dataclass(frozen=True, kw_only=True)
class Context(WithOptions):
    """The manager's settings, and the server that it works against."""

    is_embedded: bool
    schemes: frozenset[str] = frozenset()
    """Those that were asked for; none: all of the app."""
    served: frozenset[Kind] = frozenset()
    """The kinds of a cluster; empty where it is the embedded server, which serves all."""
