"""The topics `jobs`, `job` and `timeline`, and jobs at home: which objects they need, and how these become a view."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.training.jobs.state.job_state import GROUPS, KINDS
from windlass.apps.training.jobs.state.lookup import JOB, VOLCANO, kind_names
from windlass.apps.training.web.job_params import JobParams
from windlass.apps.training.web.learning.curve_rows import newest_metric, sparkline
from windlass.apps.training.web.services import TrainingServices
from windlass.apps.training.web.structs.actions import ActionAnswer, CloneAnswer, RestartRequest
from windlass.apps.training.web.structs.curves import CoursesView, CurvesView
from windlass.apps.training.web.structs.forecasts import ForecastRequest, ForecastView, WhatIfRequest, WhatIfView
from windlass.apps.training.web.structs.job import Explanation, JobView
from windlass.apps.training.web.structs.jobs import JobRow, JobsView, MetricValue, RecentJob
from windlass.apps.training.web.structs.timeline import TimelineView
from windlass.apps.training.web.views.job_details import JobSurroundings, job_view
from windlass.apps.training.web.views.job_rows import JobObjects, jobs_view, stated
from windlass.apps.training.web.views.pods_of_jobs import belongings
from windlass.apps.training.web.views.timeline_blocks import timeline_view
from windlass.gateway.request import Identity
from windlass.gateway.views.app_views import AppViews
from windlass.gateway.views.home.home_part import HomePart, HomeRows
from windlass.gateway.views.home.home_view import AttentionItem
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.kinds import CLAIMS, EVENTS, NODES, PODS, PRIORITIES, SERVICES, group_kinds
from windlass.gateway.views.links import job_page
from windlass.gateway.views.live_view import LiveView, NamespaceParams, NoParams
from windlass.gateway.views.parts import ObjectRef, Why
from windlass.gateway.views.reading import name_of, text, time_of, whole
from windlass.gateway.views.services import ViewServices
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS as DECLARED
from windlass.kube.kind import Kind

BOARDS = DECLARED.of(Tensorboard)
CURVES_TIMEOUT = timedelta(seconds=2)
MAX_RECENT_JOBS = 6
UNWELL = ("Failed", "Waiting", "Restarting")


def job_kinds(served: Sequence[Kind]) -> list[Kind]:
    """The kinds of training jobs that the server serves, each in its preferred version, and Volcano's."""
    by_name: dict[str, Kind] = {}
    for kind in served:
        if kind.group == GROUPS.get(kind.name):
            by_name.setdefault(kind.name, kind)
    training = [by_name[name] for name in KINDS if name in by_name]
    return [*training, *(kind for kind in served if kind == VOLCANO)]


def kind_called(name: str, served: Sequence[Kind]) -> Kind:
    """The kind of job that a page's address names: `PyTorchJob`, `vcjob`. Raises NotFound."""
    for kind in job_kinds(served):
        if name.lower() in kind_names(kind) or (kind == VOLCANO and name.lower() in ("job", "vcjob")):
            return kind
    raise NotFound(f"kind: {name!r} is not a kind of training job on this server")


def job_wants(served: Sequence[Kind], namespace: str) -> list[Want]:
    return [
        *(Want(kind, namespace) for kind in job_kinds(served)),
        *(Want(kind, namespace) for kind in group_kinds(served)),
        Want(PODS, namespace),
        *(Want(JOB, namespace) for kind in served if kind.name == "TrainJob"),
        Want(PRIORITIES, whole=True),
    ]


def job_objects(inputs: Inputs, served: Sequence[Kind], services: ViewServices) -> JobObjects:
    kinds = job_kinds(served)
    classes = inputs.of(PRIORITIES, whole=True)
    return JobObjects(
        jobs=[job for kind in kinds for job in inputs.of(kind)],
        belongings=belongings(
            inputs.of(PODS), [group for kind in group_kinds(served) for group in inputs.of(kind)], inputs.of(JOB)
        ),
        priorities={name_of(one): whole(one.get("value")) for one in classes},
        metrics=known_metrics(services, inputs),
        kinds=[kind.name if kind != VOLCANO else "vcjob" for kind in kinds],
        default_priority=next((whole(one.get("value")) for one in classes if one.get("globalDefault")), 0),
    )


def known_metrics(services: ViewServices, inputs: Inputs) -> dict[str, MetricValue]:
    """What was read of logs already, for those who may read them."""
    if not inputs.rights.may_read_logs:
        return {}
    found = {
        uid: newest_metric(series) for uid, series in services.context.service(TrainingServices).curves.known.items()
    }
    return {uid: metric for uid, metric in found.items() if metric is not None}


class Jobs(LiveView):
    name, params, value = "jobs", NamespaceParams, JobsView
    reads_logs = True

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        wanted = job_wants(served, params.namespace)
        return [
            Want(one.kind, one.namespace, required=one.kind in job_kinds(served)[:1], whole=one.whole) for one in wanted
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> JobsView:
        return jobs_view(job_objects(inputs, served, services), inputs.visible, datetime.now(UTC))


class Job(LiveView):
    name, params, value = "job", JobParams, JobView
    tick = timedelta(seconds=5)
    reads_logs = True

    def wants(self, params: JobParams, served: Sequence[Kind]) -> list[Want]:
        kind = kind_called(params.kind, served)
        return [
            Want(kind, params.namespace, required=True),
            *(one for one in job_wants(served, params.namespace) if one.kind not in job_kinds(served)),
            *(Want(other, params.namespace) for other in (EVENTS, SERVICES, CLAIMS)),
            *(Want(other, params.namespace) for other in served if other == BOARDS),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: JobParams, served: Sequence[Kind], user: Identity
    ) -> JobView:
        kind = kind_called(params.kind, served)
        objects = job_objects(inputs, served, services)
        job = next((one for one in inputs.of(kind) if name_of(one) == params.name), None)
        if job is None:
            raise NotFound(f"{kind.group_resource} {params.name!r} not found")
        around = JobSurroundings(
            events=inputs.of(EVENTS),
            services=inputs.of(SERVICES),
            claims=inputs.of(CLAIMS),
            boards=inputs.of(BOARDS),
            usage=services.usage_of(list(objects.belongings.pods_of(job))),
            explanation=await explained(services, inputs, job, objects),
        )
        return job_view(kind, job, objects, around, inputs.visible, datetime.now(UTC))


async def explained(services: ViewServices, inputs: Inputs, job: Object, objects: JobObjects) -> Explanation | None:
    """What `windlass explain` says of a job that waits; None for others, and where the simulator cannot say."""
    pods = objects.belongings.pods_of(job)
    unplaced = any(not dig(pod, "spec", "nodeName") and dig(pod, "status", "phase") == "Pending" for pod in pods)
    if stated(job) not in ("Pending", "Running", "Restarting") or not (unplaced or not pods):
        return None
    from windlass.apps.training.web.views.explanations import explanation_view

    try:
        explanation = await services.context.service(TrainingServices).simulations.explain(job)
    except ApiError:
        return None
    if explanation is None or explanation.state != "Waiting":
        return None
    return explanation_view(explanation, inputs.visible, datetime.now(UTC))


class Timeline(LiveView):
    name, params, value = "timeline", NoParams, TimelineView
    tick = timedelta(seconds=15)

    def wants(self, params: NoParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, whole=True) for kind in group_kinds(served)),
            *(Want(kind, whole=True) for kind in (NODES, PODS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NoParams, served: Sequence[Kind], user: Identity
    ) -> TimelineView:
        return timeline_view(
            inputs.of(NODES, whole=True),
            inputs.of(PODS, whole=True),
            [group for kind in group_kinds(served) for group in inputs.of(kind, whole=True)],
            await services.context.service(TrainingServices).simulations.timeline_outlook(),
            inputs.visible,
            datetime.now(UTC),
        )


class JobsAtHome(HomePart):
    rows = {"jobs": JobRow}
    recent = {"recent_jobs": RecentJob}

    def kinds(self, served: Sequence[Kind]) -> list[Kind]:
        return [*job_kinds(served), *group_kinds(served)]

    def wants(self, namespace: str, served: Sequence[Kind]) -> list[Want]:
        return job_wants(served, namespace)

    async def compute(
        self, services: ViewServices, inputs: Inputs, served: Sequence[Kind], user: Identity, now: datetime
    ) -> HomeRows:
        objects = job_objects(inputs, served, services)
        rows = jobs_view(objects, inputs.visible, now).rows
        curves = await _curves(services, inputs, objects, user)
        return HomeRows(
            fields={
                "jobs": [row for row in rows if row.state not in ("Succeeded", "Failed", "Suspended")],
                "recent_jobs": [_recent(row, curves.get(row.uid, ("", ()))) for row in rows[:MAX_RECENT_JOBS]],
            },
            unwell=[
                _attention(row, row.why)
                for row in rows
                if row.why is not None and row.state in UNWELL and _is_recent(row.ended, now)
            ],
        )


async def _curves(
    services: ViewServices, inputs: Inputs, objects: JobObjects, user: Identity
) -> dict[str, tuple[str, tuple[float, ...]]]:
    """Read what the newest jobs have logged since the last time; what takes too long comes next time."""
    if not inputs.rights.may_read_logs:
        return {}
    newest = sorted(objects.jobs, key=lambda job: text(dig(job, "metadata", "creationTimestamp")), reverse=True)
    reader, client = services.context.service(TrainingServices).curves, services.context.client_of(user)
    for job in newest[:MAX_RECENT_JOBS]:
        try:
            async with asyncio.timeout(CURVES_TIMEOUT.total_seconds()):
                await reader.read(client, job, objects.belongings.pods_of(job))
        except (ApiError, TimeoutError):
            continue
    return {uid: sparkline(series) for uid, series in reader.known.items()}


def _recent(row: JobRow, curve: tuple[str, tuple[float, ...]]) -> RecentJob:
    """`curve`: the metric and the newest values of the job."""
    return RecentJob(row=row, metric=curve[0], values=curve[1])


def _is_recent(ended: str | None, now: datetime) -> bool:
    moment = time_of(ended)
    return moment is None or now - moment <= timedelta(days=1)


def _attention(row: JobRow, why: Why) -> AttentionItem:
    ref = ObjectRef(api_version=row.api_version, kind=row.kind, namespace=row.namespace, name=row.name, uid=row.uid)
    last = row.ended or row.started or row.created
    return AttentionItem(object=ref, why=why, count=0, last=last, link=job_page(row.kind, row.namespace, row.name))


VIEWS = AppViews(
    views=(Jobs(), Job(), Timeline()),
    bodies=(
        CurvesView,
        CoursesView,
        ForecastRequest,
        ForecastView,
        WhatIfRequest,
        WhatIfView,
        RestartRequest,
        ActionAnswer,
        CloneAnswer,
    ),
    home=JobsAtHome(),
)
