"""The topics `notebooks`, `tensorboards`, `volumes` and `home`."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from windlass.apis.core_v1 import Event, PersistentVolume, ResourceQuota
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.options import Options
from windlass.apps.notebooks.web.notebook_rows import Events, notebooks_view
from windlass.apps.notebooks.web.notebook_view import NotebooksView
from windlass.apps.notebooks.web.recent_files import recent_files
from windlass.apps.tensorboards.web.tensorboard_rows import tensorboards_view
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardsView
from windlass.apps.training.jobs.state.lookup import VOLCANO
from windlass.apps.training.web.learning.curve_rows import sparkline
from windlass.apps.training.web.views.job_rows import JobObjects, jobs_view
from windlass.apps.training.web.views.live import (
    BOARDS,
    CLAIMS,
    EVENTS,
    NODES,
    PODS,
    group_kinds,
    job_kinds,
    job_objects,
    job_wants,
)
from windlass.apps.volumes.kinds import PVCViewer
from windlass.apps.volumes.web.consumers import workload_kinds
from windlass.apps.volumes.web.volume_rows import VolumeObjects, volumes_view
from windlass.apps.volumes.web.volume_view import VolumesView
from windlass.gateway.request import Identity
from windlass.gateway.views.capacity import is_ready
from windlass.gateway.views.home import CapacityRow, HomeView
from windlass.gateway.views.inputs import Inputs, Want
from windlass.gateway.views.live_view import LiveView, NamespaceParams
from windlass.gateway.views.namespaced.home_rows import (
    MAX_RECENT_JOBS,
    Measured,
    attention_items,
    capacity_rows,
    home_view,
    is_well,
)
from windlass.gateway.views.reading import name_of, namespace_of, text, typed
from windlass.gateway.views.services import ViewServices
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS, Kind

NOTEBOOKS, VIEWERS, QUOTAS, VOLUMES = (
    KINDS.of(kind) for kind in (Notebook, PVCViewer, ResourceQuota, PersistentVolume)
)
USAGE_TICK = timedelta(seconds=10)
CURVES_TIMEOUT = timedelta(seconds=2)


def events_about(events: Iterable[Object], kind: str) -> Events:
    """Events of one kind of object, by namespace and name."""
    by_object: defaultdict[tuple[str, str], list[Event]] = defaultdict(list)
    for obj in events:
        if dig(obj, "involvedObject", "kind") == kind and (event := typed(obj, Event)) is not None:
            by_object[namespace_of(obj), event.involved_object.name].append(event)
    return lambda namespace, name: by_object.get((namespace, name), ())


def _notebooks(services: ViewServices, inputs: Inputs, now: datetime) -> NotebooksView:
    return notebooks_view(
        inputs.of(NOTEBOOKS),
        inputs.of(PODS),
        events_about(inputs.of(EVENTS), NOTEBOOKS.name),
        services.usage_of(inputs.of(PODS)),
        services.gpu_vendors,
        services.context.settings.options_of(Options),
        now,
        services.context.proxy.entrances(NOTEBOOKS),
    )


def _boards(services: ViewServices, inputs: Inputs, now: datetime) -> TensorboardsView:
    claims = {(namespace_of(one), name_of(one)) for one in inputs.of(CLAIMS)} if inputs.may_list(CLAIMS) else None
    return tensorboards_view(
        inputs.of(BOARDS),
        inputs.of(PODS),
        claims,
        events_about(inputs.of(EVENTS), BOARDS.name),
        services.usage_of(inputs.of(PODS)),
        now,
        services.context.proxy.entrances(BOARDS),
    )


class Notebooks(LiveView):
    name, params = "notebooks", NamespaceParams
    tick = USAGE_TICK

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, params.namespace, required=True) for kind in served if kind == NOTEBOOKS),
            *(Want(kind, params.namespace) for kind in (PODS, EVENTS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> NotebooksView:
        return _notebooks(services, inputs, datetime.now(UTC))


class Tensorboards(LiveView):
    name, params = "tensorboards", NamespaceParams
    tick = USAGE_TICK

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            *(Want(kind, params.namespace, required=True) for kind in served if kind == BOARDS),
            *(Want(kind, params.namespace) for kind in (PODS, EVENTS, CLAIMS)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> TensorboardsView:
        return _boards(services, inputs, datetime.now(UTC))


class Volumes(LiveView):
    name, params = "volumes", NamespaceParams
    tick = timedelta(seconds=30)

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        return [
            Want(CLAIMS, params.namespace, required=True),
            *(Want(kind, params.namespace) for kind in (EVENTS, *self._consumers(served))),
            *(Want(kind, params.namespace) for kind in served if kind == VIEWERS),
        ]

    def _consumers(self, served: Sequence[Kind]) -> list[Kind]:
        apps = [kind for kind in served if kind in (NOTEBOOKS, BOARDS)]
        return [PODS, *apps, *workload_kinds(served)]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> VolumesView:
        objects = VolumeObjects(
            claims=inputs.of(CLAIMS),
            viewers=inputs.of(VIEWERS),
            consumers=[(kind, inputs.of(kind)) for kind in self._consumers(served)],
            usage=await services.volume_use(),
        )
        entrances = services.context.proxy.entrances(VIEWERS)
        return volumes_view(objects, events_about(inputs.of(EVENTS), CLAIMS.name), entrances)


class Home(LiveView):
    name, params = "home", NamespaceParams
    tick = USAGE_TICK
    is_personal = True
    reads_logs = True

    def wants(self, params: NamespaceParams, served: Sequence[Kind]) -> list[Want]:
        there = {*served}
        optional = (EVENTS, CLAIMS, QUOTAS, *(kind for kind in (NOTEBOOKS, BOARDS) if kind in there))
        return [
            *job_wants(served, params.namespace),
            *(Want(kind, params.namespace) for kind in optional),
            *(Want(kind, whole=True) for kind in (NODES, PODS, VOLUMES)),
        ]

    async def compute(
        self, services: ViewServices, inputs: Inputs, params: NamespaceParams, served: Sequence[Kind], user: Identity
    ) -> HomeView:
        now, objects = datetime.now(UTC), job_objects(inputs, served, services)
        jobs = jobs_view(objects, inputs.visible, now).rows
        notebooks, boards = _notebooks(services, inputs, now).rows, _boards(services, inputs, now).rows
        files, curves = await asyncio.gather(
            recent_files(services.context, user, inputs.of(NOTEBOOKS)), self._curves(services, inputs, objects, user)
        )
        return home_view(
            params.namespace,
            jobs,
            notebooks,
            boards,
            attention_items(inputs.of(EVENTS), jobs, notebooks, _gone(inputs, served) | _well(inputs), now),
            inputs.of(QUOTAS),
            _capacity(services, inputs),
            files,
            curves,
        )

    async def _curves(
        self, services: ViewServices, inputs: Inputs, objects: JobObjects, user: Identity
    ) -> dict[str, tuple[str, tuple[float, ...]]]:
        """Read what the newest jobs have logged since the last time; what takes too long comes next time."""
        if not inputs.rights.may_read_logs:
            return {}
        newest = sorted(objects.jobs, key=lambda job: text(dig(job, "metadata", "creationTimestamp")), reverse=True)
        reader, client = services.curves, services.context.client_of(user)
        for job in newest[:MAX_RECENT_JOBS]:
            try:
                async with asyncio.timeout(CURVES_TIMEOUT.total_seconds()):
                    await reader.read(client, job, objects.belongings.pods_of(job))
            except (ApiError, TimeoutError):
                continue
        return {uid: sparkline(series) for uid, series in reader.known.items()}


def _capacity(services: ViewServices, inputs: Inputs) -> tuple[CapacityRow, ...]:
    """Only sums are shown of what others have, so every user may see them."""
    nodes, pods = inputs.of(NODES, whole=True), inputs.of(PODS, whole=True)
    usage = services.usage_of_nodes(name_of(node) for node in nodes if is_ready(node))
    measured = Measured(
        cpu=_sum(one.cpu_cores for one in usage), memory=_sum(one.memory_bytes for one in usage), disk=services.disk()
    )
    return capacity_rows(nodes, pods, inputs.of(VOLUMES, whole=True), inputs.visible, measured)


def _sum(values: Iterable[float | None]) -> float | None:
    """Of all nodes; None while one of them has not been measured."""
    known = list(values)
    return sum(value for value in known if value is not None) if known and None not in known else None


def _well(inputs: Inputs) -> frozenset[str]:
    """Pods that have succeeded, or run without having failed: what kept them from starting is over."""
    return frozenset(text(dig(pod, "metadata", "uid")) for pod in inputs.of(PODS) if is_well(pod))


def _gone(inputs: Inputs, served: Sequence[Kind]) -> frozenset[str]:
    """Objects that events name and that do not exist any more, of the kinds that the view follows."""
    kinds = (PODS, NOTEBOOKS, BOARDS, CLAIMS, *job_kinds(served), *group_kinds(served))
    living = {text(dig(obj, "metadata", "uid")) for kind in kinds for obj in inputs.of(kind)}
    names = {kind.name for kind in kinds} - {VOLCANO.name}  # Kubernetes' own Job has the same name and is not followed
    named = {
        text(dig(event, "involvedObject", "uid"))
        for event in inputs.of(EVENTS)
        if dig(event, "involvedObject", "kind") in names
    }
    return frozenset(named - living)
