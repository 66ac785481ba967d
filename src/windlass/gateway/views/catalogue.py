"""Every struct that crosses the wire: the values of topics, and what REST routes take and answer."""

from collections.abc import Mapping

from windlass.apps.notebooks.web.notebook_view import NotebooksView
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardsView
from windlass.apps.training.web.structs.actions import ActionAnswer, CloneAnswer, RestartRequest
from windlass.apps.training.web.structs.curves import CoursesView, CurvesView
from windlass.apps.training.web.structs.forecasts import ForecastRequest, ForecastView, WhatIfRequest, WhatIfView
from windlass.apps.training.web.structs.job import JobView
from windlass.apps.training.web.structs.jobs import JobsView
from windlass.apps.training.web.structs.queues import QueuesView
from windlass.apps.training.web.structs.timeline import TimelineView
from windlass.apps.volumes.web.volume_view import VolumesView
from windlass.gateway.views.cluster import BackupAnswer, ClusterView, SessionEnded
from windlass.gateway.views.home import HomeView
from windlass.gateway.views.metrics import MetricPoint, MetricsLink
from windlass.gateway.views.parts import View
from windlass.gateway.views.tree import ObjectTree

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
