"""Answers of the routes in `routes`. Each has the user's rights, and raises ApiError."""

import time
from collections.abc import Mapping, Sequence

from aiohttp import web

from windlass.apis.core_v1 import Pod
from windlass.gateway.context import GatewayContext
from windlass.gateway.live.rights import followed_namespaces
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.all_views import VIEWS
from windlass.gateway.views.cluster_actions import ClusterActions
from windlass.gateway.views.inputs import Inputs, list_parts, visible_to
from windlass.gateway.views.measuring.samples import DEFAULT_INTERVAL, INTERVALS, MAX_SUBJECTS, Series
from windlass.gateway.views.metrics import MetricPoint, MetricsLink
from windlass.gateway.views.parts import View
from windlass.gateway.views.topics import allowed
from windlass.gateway.webapps.inputs import converted
from windlass.kube.errors import BadRequest, NotFound
from windlass.kube.kind import KINDS
from windlass.kube.names import dns_label_errors

PODS = KINDS.of(Pod)
CHARTS_LINK, CHARTS_TEXT = "/cluster/", "View the cluster"
SERIES: Mapping[str, Series] = {"node": "node", "podcpu": "podcpu", "podmem": "podmem"}


class ViewHandlers:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self.cluster = ClusterActions(context)

    async def view(self, request: web.Request) -> View:
        """The value of a topic, once."""
        view = VIEWS.get(request.match_info["topic"])
        if view is None:
            raise NotFound(f"topic: there is no {request.match_info['topic']!r}; there are {', '.join(VIEWS)}")
        params = converted(dict(request.query), view.params)
        identity = request[IDENTITY]
        rights, served = await allowed(self._context, identity, view, params)
        inputs = Inputs(rights, await list_parts(self._context, rights.lists))
        return await view.compute(self._context.views, inputs, params, served, identity)

    async def metrics(self, request: web.Request) -> MetricsLink:
        return MetricsLink(resource_charts_link=CHARTS_LINK, resource_charts_link_text=CHARTS_TEXT)

    async def metric_points(self, request: web.Request) -> Sequence[MetricPoint]:
        series = SERIES.get(request.match_info["series"])
        if series is None:
            raise NotFound(f"series: there is no {request.match_info['series']!r}; there are {', '.join(SERIES)}")
        interval = request.query.get("interval", DEFAULT_INTERVAL)
        if interval not in INTERVALS:
            raise BadRequest(f"interval: must be one of {', '.join(INTERVALS)}")
        sampler = self._context.views.sampler
        sampler.mark_watched()
        wanted = await self._pods(request) if series != "node" else ()
        return list(sampler.samples.points(series, INTERVALS[interval], time.time(), wanted, _top(request)))

    async def _pods(self, request: web.Request) -> list[tuple[str, str]]:
        """The sampled pods of the user's namespaces, or the one that is asked for."""
        known = self._context.views.sampler.samples.pods
        if pod := request.query.get("pod"):
            namespace, slash, name = pod.partition("/")
            if not slash or dns_label_errors(namespace) or not name:
                raise BadRequest("pod: must be NAMESPACE/NAME")
            await followed_namespaces(self._context, request[IDENTITY], PODS, namespace, "")
            return [(namespace, name)]
        if namespace := request.query.get("namespace"):
            await followed_namespaces(self._context, request[IDENTITY], PODS, namespace, "")
            return [key for key in known if key[0] == namespace]
        visible = await visible_to(self._context, request[IDENTITY])
        return [key for key in known if key[0] in visible]


def _top(request: web.Request) -> int:
    """How many nodes or pods are answered, of those that use most; all where nothing is asked for."""
    given = request.query.get("top", str(MAX_SUBJECTS))
    top = int(given) if given.isascii() and given.isdecimal() and len(given) <= len(str(MAX_SUBJECTS)) else 0
    if not 1 <= top <= MAX_SUBJECTS:
        raise BadRequest(f"top: must be a number from 1 to {MAX_SUBJECTS}")
    return top
