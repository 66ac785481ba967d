"""Every struct that crosses the wire: the values of topics, and what REST routes take and answer."""

from collections.abc import Mapping

from windlass.gateway.views.actions import ActionAnswer, CloneAnswer, RestartRequest
from windlass.gateway.views.cluster import BackupAnswer, ClusterView, SessionEnded
from windlass.gateway.views.curves import CoursesView, CurvesView
from windlass.gateway.views.forecasts import ForecastRequest, ForecastView, WhatIfRequest, WhatIfView
from windlass.gateway.views.home import HomeView
from windlass.gateway.views.job import JobView
from windlass.gateway.views.jobs import JobsView
from windlass.gateway.views.metrics import MetricPoint, MetricsLink
from windlass.gateway.views.notebooks import NotebooksView
from windlass.gateway.views.parts import View
from windlass.gateway.views.queues import QueuesView
from windlass.gateway.views.tensorboards import TensorboardsView
from windlass.gateway.views.timeline import TimelineView
from windlass.gateway.views.tree import ObjectTree
from windlass.gateway.views.volumes import VolumesView

TOPICS: Mapping[str, type[View]] = {
    "jobs": JobsView,
    "job": JobView,
    "queues": QueuesView,
    "timeline": TimelineView,
    "home": HomeView,
    "cluster": ClusterView,
    "notebooks": NotebooksView,
    "tensorboards": TensorboardsView,
    "volumes": VolumesView,
    "tree": ObjectTree,
}
"""The value of each computed topic of `/api/live`."""

BODIES: tuple[type[View], ...] = (
    CurvesView,
    CoursesView,
    ForecastRequest,
    ForecastView,
    WhatIfRequest,
    WhatIfView,
    RestartRequest,
    ActionAnswer,
    CloneAnswer,
    BackupAnswer,
    SessionEnded,
    MetricsLink,
    MetricPoint,
)
"""What REST routes take (`…Request`) and answer."""
