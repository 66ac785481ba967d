"""What the pages of an app need: declared as `VIEWS` in the module that its contributions name, and loaded late."""

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.gateway.views.home.home_part import HomePart
from windlass.gateway.views.live_view import LiveView
from windlass.gateway.views.parts import View


@dataclass(frozen=True, kw_only=True)
class AppViews:
    """Views of one app."""

    views: Sequence[LiveView]
    bodies: Sequence[type[View]] = ()
    """Structs that REST routes take (`…Request`) and answer."""
    home: HomePart | None = None
    """The app's part of the home page."""
