"""Every computed view by the name of its topic, and every struct that REST routes take and answer."""

from collections.abc import Mapping
from importlib import import_module

from windlass.gateway.contributions import all_contributions
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.cluster import BackupAnswer, SessionEnded
from windlass.gateway.views.cluster_live import Cluster
from windlass.gateway.views.home.home_live import Home
from windlass.gateway.views.live_view import LiveView
from windlass.gateway.views.metrics import MetricPoint, MetricsLink
from windlass.gateway.views.parts import View
from windlass.gateway.views.tree_live import Tree

_OF_APPS: list[AppViews] = [import_module(each.views).VIEWS for each in all_contributions() if each.views]

VIEWS: Mapping[str, LiveView] = {
    view.name: view
    for view in (
        *(view for app in _OF_APPS for view in app.views),
        Home([app.home for app in _OF_APPS if app.home is not None]),
        Cluster(),
        Tree(),
    )
}
BODIES: tuple[type[View], ...] = (
    *(body for app in _OF_APPS for body in app.bodies),
    BackupAnswer,
    SessionEnded,
    MetricsLink,
    MetricPoint,
)
"""What REST routes take (`…Request`) and answer."""
