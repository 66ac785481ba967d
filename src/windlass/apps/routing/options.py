"""Options of Istio's routes. Controllers of other apps write them, so that the struct is one of the platform."""

from windlass.apis.istio.routing import Routing as Options

__all__ = ["Options"]
