"""ScheduledWorkflows that users wrote, as records of recurring runs: in the API, and with runs that can start.

Those that the API made have a record of their own, with more than the object says. Only what becomes of the object is
written there: whether it is enabled, and why no run can be started.
"""

import contextlib
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, tzinfo
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from msgspec import structs

from windlass.apis.core_v1 import ServiceAccount
from windlass.apps.pipelines.argo.kfp.cache_key import is_duration
from windlass.apps.pipelines.ir.package import Package
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.model import Error, Experiment, Pipeline, PipelineVersion, Record, RecurringRun
from windlass.apps.pipelines.names import (
    CACHING_ANNOTATION,
    DEFAULT_EXPERIMENT,
    FAIL_FAST_ANNOTATION,
    PROFILE_ACCOUNT,
    RECORD_FINALIZER,
    RECORDED_ANNOTATION,
    RUNNER_ACCOUNT,
    STALENESS_ANNOTATION,
)
from windlass.apps.pipelines.rows.errors import AlreadyExists
from windlass.apps.pipelines.schedules.due import clamped
from windlass.apps.pipelines.schedules.recurrence import created_at, max_concurrency_of, read_trigger
from windlass.apps.pipelines.schedules.sources import inline_source, parameters_of
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.kind import KINDS
from windlass.kube.view import metadata_only

R = TypeVar("R", bound=Record)
SCHEDULES = KINDS.of(ScheduledWorkflow)
KEPT = ("description", "error")
"""Fields of a record that no object has."""
FAILED_PRECONDITION = 9
"""The code of gRPC."""
CREATION_SECONDS = 10.0


class RecurringRuns(Protocol):
    """The database, as far as schedules are recorded in it."""

    async def get(self, type: type[R], id: str) -> R | None: ...

    async def first(self, type: type[R], *, newest: bool = False, **fields: Any) -> R | None: ...

    async def create(self, *records: Record) -> None: ...

    async def change(self, type: type[R], id: str, **changes: Any) -> bool: ...

    async def delete(self, type: type[R], id: str) -> bool: ...


class RecordedSchedules:
    """`records` of the controller of ScheduledWorkflows."""

    def __init__(self, open_records: Callable[[], Awaitable[RecurringRuns]], zone: tzinfo = UTC) -> None:
        self._open_records, self._zone = open_records, zone

    async def record(self, schedule: ScheduledWorkflow, api: Api, /) -> bool:
        metadata = schedule.metadata
        records = await self._open_records()
        known = await records.get(RecurringRun, metadata.uid)
        if RECORD_FINALIZER not in metadata.finalizers:
            if known is not None or RECORDED_ANNOTATION in metadata.annotations:
                return True
            await _set_finalizers(schedule, [*metadata.finalizers, RECORD_FINALIZER], api)
            return False
        new = await self._recurring_run(schedule, records, api)
        if known is None:
            await records.create(new)
        elif structs.replace(new, **{name: getattr(known, name) for name in ("updated_at", *KEPT)}) != known:
            changes = {name: value for name, value in structs.asdict(new).items() if name not in KEPT}
            await records.change(RecurringRun, metadata.uid, **changes)
        return True

    async def report(self, schedule: ScheduledWorkflow, problem: str, /) -> bool:
        records = await self._open_records()
        known = await records.get(RecurringRun, schedule.metadata.uid)
        if known is None:
            return True
        error = Error(code=FAILED_PRECONDITION, message=problem) if problem else None
        changes: dict[str, Any] = {"error": error} if known.error != error else {}
        is_same = known.is_enabled == schedule.spec.enabled
        # The API creates an object disabled, and enables it when there is a record.
        is_settled = is_same or time.time() - created_at(schedule) > CREATION_SECONDS
        if is_settled and not is_same:
            changes |= {"is_enabled": schedule.spec.enabled, "updated_at": time.time()}
        if changes:
            await records.change(RecurringRun, known.recurring_run_id, **changes)
        return is_settled

    async def forget(self, schedule: ScheduledWorkflow, api: Api, /) -> None:
        if RECORD_FINALIZER not in schedule.metadata.finalizers:
            return
        await (await self._open_records()).delete(RecurringRun, schedule.metadata.uid)
        remaining = [finalizer for finalizer in schedule.metadata.finalizers if finalizer != RECORD_FINALIZER]
        with contextlib.suppress(errors.NotFound):
            await _set_finalizers(schedule, remaining, api)

    async def _recurring_run(self, schedule: ScheduledWorkflow, records: RecurringRuns, api: Api) -> RecurringRun:
        """The record as the object says. Raises ValueError."""
        metadata, spec = schedule.metadata, schedule.spec
        trigger = read_trigger(schedule, self._zone)
        inline = inline_source(schedule)
        version = None if inline is not None else await _version(schedule, records)
        package = inline if inline is not None else _package(version)
        return RecurringRun(
            recurring_run_id=metadata.uid,
            namespace=metadata.namespace,
            display_name=metadata.name,
            resource_name=metadata.name,
            experiment_id=await _experiment_id(schedule, records),
            pipeline_id=version.pipeline_id if version is not None else "",
            pipeline_version_id=spec.pipeline_version_id,
            spec=(inline.workflow or inline.pipeline_spec) if inline is not None else {},
            platform_spec=inline.platform_spec if inline is not None else {},
            is_inline=inline is not None,
            parameters=parameters_of(schedule, package),
            pipeline_root=spec.workflow.pipeline_root if spec.workflow is not None else "",
            service_account=spec.service_account or await _default_account(api, metadata.namespace),
            max_concurrency=clamped(max_concurrency_of(schedule)),
            no_catchup=bool(spec.no_catchup),
            is_enabled=spec.enabled,
            trigger=trigger,
            created_at=created_at(schedule),
            updated_at=time.time(),
            is_fail_fast=metadata.annotations.get(FAIL_FAST_ANNOTATION) != "false",
            is_cache_enabled=metadata.annotations.get(CACHING_ANNOTATION) != "false",
            max_cache_staleness=_staleness(metadata.annotations.get(STALENESS_ANNOTATION, "")),
        )


def _staleness(text: str) -> str:
    if text and not is_duration(text):
        raise ValueError(f"metadata.annotations.{STALENESS_ANNOTATION}: {text!r} is not a duration such as P7D")
    return text


def _package(version: PipelineVersion | None) -> Package:
    if version is None:
        raise ValueError("spec: one of pipelineId, pipelineVersionId, pipelineName and workflow.spec is required")
    if version.spec.get("kind") == "Workflow":
        return Package(workflow=version.spec)
    return Package(pipeline_spec=version.spec, platform_spec=version.platform_spec)


async def _version(schedule: ScheduledWorkflow, records: RecurringRuns) -> PipelineVersion | None:
    """The version that the schedule names, or the latest one of its pipeline; None if it names neither.

    A schedule reaches pipelines of its own namespace and shared ones: others count as missing. Raises ValueError.
    """
    spec, namespace = schedule.spec, schedule.metadata.namespace
    if spec.pipeline_version_id:
        version = await records.get(PipelineVersion, spec.pipeline_version_id)
        pipeline = None if version is None else await records.get(Pipeline, version.pipeline_id)
        if version is None or pipeline is None or pipeline.namespace not in ("", namespace):
            raise ValueError(f"spec.pipelineVersionId: there is no pipeline version {spec.pipeline_version_id!r}")
        if spec.pipeline_id and spec.pipeline_id != version.pipeline_id:
            raise ValueError("spec.pipelineVersionId: the version belongs to another pipeline")
        return version
    if not spec.pipeline_id and not spec.pipeline_name:
        return None
    if spec.pipeline_id:
        field, pipeline = "pipelineId", await records.get(Pipeline, spec.pipeline_id)
    else:
        field, pipeline = "pipelineName", await _named(spec.pipeline_name, namespace, records)
    if pipeline is None or pipeline.namespace not in ("", namespace):
        raise ValueError(f"spec.{field}: there is no pipeline {spec.pipeline_id or spec.pipeline_name!r}")
    version = await records.first(PipelineVersion, newest=True, pipeline_id=pipeline.pipeline_id)
    if version is None:
        raise ValueError(f"spec.{field}: the pipeline {pipeline.name!r} has no versions")
    return version


async def _named(name: str, namespace: str, records: RecurringRuns) -> Pipeline | None:
    own = await records.first(Pipeline, namespace=namespace, name=name)
    return own if own is not None else await records.first(Pipeline, namespace="", name=name)


async def _experiment_id(schedule: ScheduledWorkflow, records: RecurringRuns) -> str:
    """The experiment that the schedule names, or the default one of its namespace. Raises ValueError."""
    id, namespace = schedule.spec.experiment_id, schedule.metadata.namespace
    if id:
        experiment = await records.get(Experiment, id)
        if experiment is None or experiment.namespace != namespace:
            raise ValueError(f"spec.experimentId: there is no experiment {id!r}")
        return id
    default = await records.first(Experiment, namespace=namespace, display_name=DEFAULT_EXPERIMENT)
    if default is not None:
        return default.experiment_id
    new = Experiment(
        experiment_id=str(uuid4()),
        namespace=namespace,
        display_name=DEFAULT_EXPERIMENT,
        description="All runs created without an experiment.",
        created_at=time.time(),
    )
    try:
        await records.create(new)
    except AlreadyExists:  # the API was faster; found at the next attempt
        raise ValueError("the default experiment is being created") from None
    return new.experiment_id


async def _set_finalizers(schedule: ScheduledWorkflow, finalizers: list[str], api: Api) -> None:
    """The version of the object guards finalizers of others, which a patch would drop."""
    metadata = {"finalizers": finalizers, "resourceVersion": schedule.metadata.resource_version}
    await api.patch(SCHEDULES, schedule.metadata.key, {"metadata": metadata})


async def _default_account(api: Api, namespace: str) -> str:
    """The account of runs that name none: of profiles, if the namespace has it, else Kubeflow's, else the default."""
    accounts = await api.list(metadata_only(ServiceAccount), namespace)
    names = {account.metadata.name for account in accounts.items}
    return next((name for name in (PROFILE_ACCOUNT, RUNNER_ACCOUNT) if name in names), "default")
