"""Answers of the routes of jobs. Each has the user's rights, and raises ApiError."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from aiohttp import web

from windlass.apis.access import Access
from windlass.apis.core_v1 import Pod
from windlass.apps.training.jobs.control.restart import clean_manifest, copy_name, restart_job
from windlass.apps.training.jobs.control.suspend import set_suspended, state_of
from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state.lookup import display_name
from windlass.apps.training.web.job_params import JobParams
from windlass.apps.training.web.learning.courses import MAX_JOBS
from windlass.apps.training.web.services import TrainingServices
from windlass.apps.training.web.structs.actions import ActionAnswer, CloneAnswer, RestartRequest
from windlass.apps.training.web.structs.curves import CoursesView, CurvesView
from windlass.apps.training.web.structs.forecasts import ForecastRequest, ForecastView, WhatIfRequest, WhatIfView
from windlass.apps.training.web.views.live import kind_called
from windlass.apps.training.web.views.pods_of_jobs import label_of
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import IDENTITY
from windlass.gateway.views.inputs import served_kinds, visible_to
from windlass.gateway.views.reading import text
from windlass.gateway.webapps.inputs import converted, json_body
from windlass.kube.client import Client
from windlass.kube.errors import BadRequest, Conflict, Forbidden
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS, Kind
from windlass.kube.names import dns_label_errors

PODS = KINDS.of(Pod)
ACTION_TIMEOUT_SECONDS = 30.0


class JobActions:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._services = context.service(TrainingServices)

    def _client(self, request: web.Request) -> Client:
        return self._context.client_of(request[IDENTITY])

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
        return await self._services.curves.read(client, job, pods, request.query.get("since", ""))

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
        return await self._services.courses.read(identity, self._client(request), namespace, wanted)

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
        body = converted(await json_body(request) if request.can_read_body else {}, RestartRequest)
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

        body = converted(await json_body(request), ForecastRequest)
        documents = await documents_of(body.manifest)
        await self._check_namespaces(request, body.namespace, documents)
        visible = await visible_to(self._context, request[IDENTITY])
        return await self._services.simulations.forecast(self._client(request), documents, body.namespace, visible)

    async def what_if(self, request: web.Request) -> WhatIfView:
        from windlass.apps.training.web.views.simulations import documents_of

        body = converted(await json_body(request), WhatIfRequest)
        documents = await documents_of(body.manifest) if body.manifest is not None else ()
        await self._check_namespaces(request, body.namespace, documents)
        visible = await visible_to(self._context, request[IDENTITY])
        return await self._services.simulations.what_if(self._client(request), body, documents, visible)

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
    except JobsError as error:
        raise Conflict(str(error)) from error
