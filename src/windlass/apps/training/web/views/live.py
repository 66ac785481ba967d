"""The topics `jobs`, `job`, `queues` and `timeline`: which objects they need, and how these become a view."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from windlass.apis.core_v1 import Event, Node, PersistentVolumeClaim, Pod, Service
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.training.jobs.state.job_state import GROUPS, KINDS
from windlass.apps.training.jobs.state.lookup import JOB, VOLCANO, kind_names
from windlass.apps.training.web.learning.curve_rows import newest_metric
from windlass.apps.training.web.structs.job import Explanation, JobView
from windlass.apps.training.web.structs.jobs import JobsView, MetricValue
from windlass.apps.training.web.structs.queues import QueuesView
from windlass.apps.training.web.structs.timeline import TimelineView
from windlass.apps.training.web.views.job_details import JobSurroundings, job_view
from windlass.apps.training.web.views.job_rows import JobObjects, jobs_view, stated
from windlass.apps.training.web.views.pods_of_jobs import belongings
from windlass.apps.training.web.views.queue_rows import QueueObjects, queues_view
from windlass.apps.training.web.views.timeline_blocks import timeline_view
from windlass.apps.volcano.queues.queue_commands import QUEUE
from windlass.gateway.request import Identity
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.live_view import JobParams, LiveView, NamespaceParams, NoParams
from windlass.gateway.views.reading import name_of, whole
from windlass.gateway.views.services import ViewServices
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS as DECLARED
from windlass.kube.kind import Kind

PODS, EVENTS, SERVICES, NODES = (DECLARED.of(kind) for kind in (Pod, Event, Service, Node))
CLAIMS, BOARDS, PRIORITIES = (DECLARED.of(kind) for kind in (PersistentVolumeClaim, Tensorboard, PriorityClass))


def job_kinds(served: Sequence[Kind]) -> list[Kind]:
    """The kinds of training jobs that the server serves, each in its preferred version, and Volcano's."""
    by_name: dict[str, Kind] = {}
    for kind in served:
        if kind.group == GROUPS.get(kind.name):
            by_name.setdefault(kind.name, kind)
    training = [by_name[name] for name in KINDS if name in by_name]
    return [*training, *(kind for kind in served if kind == VOLCANO)]


def group_kinds(served: Sequence[Kind]) -> list[Kind]:
    return [kind for kind in served if kind.name == "PodGroup" and kind.group.startswith("scheduling.")]


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
    found = {uid: newest_metric(series) for uid, series in services.curves.known.items()}
    return {uid: metric for uid, metric in found.items() if metric is not None}


class Jobs(LiveView):
    name, params = "jobs", NamespaceParams
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
    name, params = "job", JobParams
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
        explanation = await services.simulations.explain(job)
    except ApiError:
        return None
    if explanation is None or explanation.state != "Waiting":
        return None
    return explanation_view(explanation, inputs.visible, datetime.now(UTC))


class Queues(LiveView):
    name, params = "queues", NoParams
    tick = timedelta(seconds=30)

    def wants(self, params: NoParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, whole=True) for kind in served if kind == QUEUE),
            *(Want(kind, whole=True) for kind in group_kinds(served)),
            *(Want(kind, whole=True) for kind in (PRIORITIES, NODES, PODS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NoParams, served: Sequence[Kind], user: Identity
    ) -> QueuesView:
        objects = QueueObjects(
            queues=inputs.of(QUEUE, whole=True),
            groups=[group for kind in group_kinds(served) for group in inputs.of(kind, whole=True)],
            priorities=inputs.of(PRIORITIES, whole=True),
            nodes=inputs.of(NODES, whole=True),
            pods=inputs.of(PODS, whole=True),
        )
        return queues_view(objects, inputs.visible, datetime.now(UTC))


class Timeline(LiveView):
    name, params = "timeline", NoParams
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
            await services.simulations.timeline_outlook(),
            inputs.visible,
            datetime.now(UTC),
        )
