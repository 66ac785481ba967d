"""Every computed view, by the name of its topic."""

from collections.abc import Mapping

from windlass.apps.training.web.views.live import Job, Jobs, Queues, Timeline
from windlass.gateway.views.cluster_live import Cluster
from windlass.gateway.views.live_view import LiveView
from windlass.gateway.views.namespaced.live import Home, Notebooks, Tensorboards, Volumes
from windlass.gateway.views.tree_live import Tree

VIEWS: Mapping[str, LiveView] = {
    view.name: view
    for view in (Jobs(), Job(), Queues(), Timeline(), Home(), Cluster(), Notebooks(), Tensorboards(), Volumes(), Tree())
}
