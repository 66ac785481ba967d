"""Answers of the routes in `routes`. Each has the user's rights, and raises ApiError."""

import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from windlass.apis.core_v1 import Pod
from windlass.apis.user_error import UserError
from windlass.apps.training.jobs.control.restart import clean_manifest, copy_name, restart_job
from windlass.apps.training.jobs.control.suspend import set_suspended, state_of
from windlass.apps.training.jobs.state.lookup import display_name
from windlass.apps.training.web.learning.courses import MAX_JOBS
from windlass.apps.training.web.structs.actions import ActionAnswer, CloneAnswer, RestartRequest
from windlass.apps.training.web.structs.curves import CoursesView, CurvesView
from windlass.apps.training.web.structs.forecasts import ForecastRequest, ForecastView, WhatIfRequest, WhatIfView
from windlass.apps.training.web.views.live import kind_called
from windlass.apps.training.web.views.pods_of_jobs import label_of
from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.live.rights import followed_namespaces
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.all_views import VIEWS
from windlass.gateway.views.cluster_actions import ClusterActions
from windlass.gateway.views.inputs import Inputs, list_parts, served_kinds
from windlass.gateway.views.live_view import JobParams
from windlass.gateway.views.measuring.samples import DEFAULT_INTERVAL, INTERVALS, MAX_SUBJECTS, Series
from windlass.gateway.views.metrics import MetricPoint, MetricsLink
from windlass.gateway.views.parts import View
from windlass.gateway.views.reading import text
from windlass.gateway.views.topics import allowed
from windlass.gateway.views.visibility import EVERYTHING, Visible, only
from windlass.gateway.webapps.inputs import json_body
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, Conflict, Forbidden, NotFound
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS, Kind
from windlass.kube.names import dns_label_errors

PODS = KINDS.of(Pod)
ACTION_TIMEOUT_SECONDS = 30.0
CHARTS_LINK, CHARTS_TEXT = "/cluster/", "View the cluster"
SERIES: Mapping[str, Series] = {"node": "node", "podcpu": "podcpu", "podmem": "podmem"}
S = TypeVar("S", bound=View)


class ViewHandlers:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self.cluster = ClusterActions(context)

    def _client(self, request: web.Request) -> Client:
        return self._context.client_of(request[IDENTITY])

    async def view(self, request: web.Request) -> View:
        """The value of a topic, once."""
        view = VIEWS.get(request.match_info["topic"])
        if view is None:
            raise NotFound(f"topic: there is no {request.match_info['topic']!r}; there are {', '.join(VIEWS)}")
        params = _converted(dict(request.query), view.params)
        identity = request[IDENTITY]
        rights, served = await allowed(self._context, identity, view, params)
        inputs = Inputs(rights, await list_parts(self._context, rights.lists))
        return await view.compute(self._context.views, inputs, params, served, identity)

    # --- jobs

    async def _job(self, request: web.Request) -> tuple[Kind, Object]:
        """The job in the path, as far as the user may get it."""
        params = _job_params(request)
        kind = kind_called(params.kind, await served_kinds(self._context))
        found = await self._client(request).get(kind, params.name, params.namespace)
        return kind, {"apiVersion": kind.api_version, "kind": kind.name, **found}

    async def curves(self, request: web.Request) -> CurvesView:
        _, job = await self._job(request)
        namespace, client = text(dig(job, "metadata", "namespace")), self._client(request)
        name = text(dig(job, "metadata", "name"))
        pods = (await client.list(PODS, namespace, labels=f"{label_of(job)}={name}")).items
        return await self._context.views.curves.read(client, job, pods, request.query.get("since", ""))

    async def courses(self, request: web.Request) -> CoursesView:
        """`jobs` is repeated, or several with commas between them: `PyTorchJob/bert,TFJob/mnist`."""
        namespace = request.match_info["namespace"]
        named = [one for given in request.query.getall("jobs", []) for one in given.split(",") if one]
        if len(named) > MAX_JOBS:
            raise BadRequest(f"jobs: at most {MAX_JOBS} at once")
        served = await served_kinds(self._context)
        wanted: list[tuple[Kind, str]] = []
        for one in dict.fromkeys(named):
            kind, _, name = one.partition("/")
            JobParams(kind=kind, namespace=namespace, name=name).check()
            wanted.append((kind_called(kind, served), name))
        identity = request[IDENTITY]
        return await self._context.views.courses.read(identity, self._client(request), namespace, wanted)

    async def suspend(self, request: web.Request) -> ActionAnswer:
        return await self._set_suspended(request, suspended=True)

    async def resume(self, request: web.Request) -> ActionAnswer:
        return await self._set_suspended(request, suspended=False)

    async def _set_suspended(self, request: web.Request, *, suspended: bool) -> ActionAnswer:
        kind, job = await self._job(request)
        reference, namespace = _reference(kind, job)
        kind, job = await _as_conflict(
            set_suspended(self._client(request), reference, namespace, ACTION_TIMEOUT_SECONDS, suspended=suspended)
        )
        return _acted("suspended" if suspended else "resumed", kind, job)

    async def restart(self, request: web.Request) -> ActionAnswer:
        body = _converted(await json_body(request) if request.can_read_body else {}, RestartRequest)
        kind, job = await self._job(request)
        reference, namespace = _reference(kind, job)
        kind, made = await _as_conflict(
            restart_job(self._client(request), reference, namespace, ACTION_TIMEOUT_SECONDS, force=body.force)
        )
        return _acted("restarted", kind, made)

    async def clone(self, request: web.Request) -> CloneAnswer:
        _, job = await self._job(request)
        return CloneAnswer(manifest=clean_manifest(job, name=copy_name(text(dig(job, "metadata", "name")))))

    # --- the simulator

    async def forecast(self, request: web.Request) -> ForecastView:
        from windlass.apps.training.web.views.simulations import documents_of

        body = _converted(await json_body(request), ForecastRequest)
        documents = await documents_of(body.manifest)
        await self._check_namespaces(request, body.namespace, documents)
        visible = await self._visible(request)
        return await self._context.views.simulations.forecast(self._client(request), documents, body.namespace, visible)

    async def what_if(self, request: web.Request) -> WhatIfView:
        from windlass.apps.training.web.views.simulations import documents_of

        body = _converted(await json_body(request), WhatIfRequest)
        documents = await documents_of(body.manifest) if body.manifest is not None else ()
        await self._check_namespaces(request, body.namespace, documents)
        visible = await self._visible(request)
        return await self._context.views.simulations.what_if(self._client(request), body, documents, visible)

    async def _check_namespaces(self, request: web.Request, namespace: str, documents: Sequence[Object]) -> None:
        """A namespace's quotas decide about a job in it, so the user must be able to see pods there."""
        named = (text(dig(one, "metadata", "namespace")) for one in documents)
        for each in dict.fromkeys([namespace, *named]):
            if not each:
                continue
            if errors := dns_label_errors(each):
                raise BadRequest(f"namespace: {errors[0]}")
            if not await self._context.proxy.reviews.allows(request[IDENTITY], Access("list", "", "pods", each)):
                raise Forbidden(f"namespace: you may not list pods in {each}")

    async def _visible(self, request: web.Request) -> Visible:
        seen = await followed_namespaces(self._context, request[IDENTITY], PODS, "", "")
        return EVERYTHING if seen == ("",) else only(seen)

    # --- metrics

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
        visible = await self._visible(request)
        return [key for key in known if key[0] in visible]


def _top(request: web.Request) -> int:
    """How many nodes or pods are answered, of those that use most; all where nothing is asked for."""
    given = request.query.get("top", str(MAX_SUBJECTS))
    top = int(given) if given.isascii() and given.isdecimal() and len(given) <= len(str(MAX_SUBJECTS)) else 0
    if not 1 <= top <= MAX_SUBJECTS:
        raise BadRequest(f"top: must be a number from 1 to {MAX_SUBJECTS}")
    return top


def _job_params(request: web.Request) -> JobParams:
    part = request.match_info
    params = JobParams(kind=part["kind"], namespace=part["namespace"], name=part["name"])
    params.check()
    return params


def _reference(kind: Kind, job: Object) -> tuple[str, str]:
    return f"{display_name(kind)}/{text(dig(job, 'metadata', 'name'))}", text(dig(job, "metadata", "namespace"))


def _acted(what: str, kind: Kind, job: Mapping[str, Any]) -> ActionAnswer:
    return ActionAnswer(
        message=f"{kind.name} {dig(job, 'metadata', 'name')} {what}",
        state=state_of(kind, job),
        uid=text(dig(job, "metadata", "uid")),
    )


async def _as_conflict(action: Awaitable[tuple[Kind, Object]]) -> tuple[Kind, Object]:
    """What the state of a job does not allow is a conflict."""
    try:
        return await action
    except UserError as error:
        raise Conflict(str(error)) from error


def _converted(given: object, of: type[S]) -> S:
    """Raises BadRequest, which names the field."""
    try:
        return msgspec.convert(given, of)
    except msgspec.ValidationError as error:
        raise BadRequest(str(error)) from error
