"""Starts one run of a recurring run: from its record, at the version and with the parameters that it names."""

import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from windlass.apps.pipelines.ir.errors import InvalidParameters
from windlass.apps.pipelines.ir.macros import expand_macros
from windlass.apps.pipelines.ir.package import Package
from windlass.apps.pipelines.ir.parameters import check_parameters
from windlass.apps.pipelines.ir.workflow_arguments import with_arguments, workflow_arguments
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.model import PipelineVersion, Record, RecurringRun, Run, RunState, StateChange
from windlass.apps.pipelines.runs.workflow_objects import workflow_of
from windlass.apps.pipelines.schedules.naming import workflow_labels
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped

R = TypeVar("R", bound=Record)
WORKFLOWS = KINDS.of(Workflow)


class Records(Protocol):
    """The database, as far as runs are started with it."""

    async def get(self, type: type[R], id: str) -> R | None: ...

    async def first(self, type: type[R], *, newest: bool = False, **fields: Any) -> R | None: ...

    async def create(self, *records: Record) -> None: ...


class ScheduledRuns:
    """`start` of the controller of ScheduledWorkflows."""

    def __init__(self, open_records: Callable[[], Awaitable[Records]]) -> None:
        self._open_records = open_records

    async def start(
        self,
        scheduled_workflow: ScheduledWorkflow,
        api: Api,
        /,
        *,
        name: str,
        run_id: str,
        index: int,
        scheduled_at: float,
    ) -> None:
        """Record the run and create its Workflow; what exists already is left alone. Raises ValueError."""
        records = await self._open_records()
        run = await records.get(Run, run_id)
        if run is None:
            uid = scheduled_workflow.metadata.uid
            recurring_run = await records.get(RecurringRun, uid)
            if recurring_run is None:
                raise ValueError("the recurring run of this schedule was deleted")
            run = await self._new_run(records, recurring_run, name, run_id, index, scheduled_at)
            await records.create(run)
        elif await _has_workflow(api, run):
            return
        labels = workflow_labels(scheduled_workflow.metadata.name, index, scheduled_at)
        with contextlib.suppress(errors.AlreadyExists):
            await api.create(workflow_of(run, labels))

    async def _new_run(
        self, records: Records, recurring_run: RecurringRun, name: str, run_id: str, index: int, scheduled_at: float
    ) -> Run:
        spec, platform_spec, version_id = await self._source(records, recurring_run)
        now = time.time()
        given = {
            key: expand_macros(value, run_id=run_id, now=now, scheduled=scheduled_at, index=index)
            for key, value in recurring_run.parameters.items()
        }
        is_argo = spec.get("kind") == WORKFLOWS.name
        try:
            parameters = workflow_arguments(spec, given) if is_argo else check_parameters(spec, given)
        except InvalidParameters as error:
            raise ValueError(f"the parameters do not fit the pipeline: {error}") from error
        package = Package(workflow=spec) if is_argo else Package(pipeline_spec=spec)
        return Run(
            run_id=run_id,
            namespace=recurring_run.namespace,
            display_name=name,
            resource_name=name,
            experiment_id=recurring_run.experiment_id,
            pipeline_id=recurring_run.pipeline_id,
            pipeline_version_id=version_id,
            pipeline_name=package.name,
            spec=with_arguments(spec, parameters) if is_argo else spec,
            platform_spec=platform_spec,
            is_inline=recurring_run.is_inline,
            is_argo=is_argo,
            parameters=parameters,
            pipeline_root=recurring_run.pipeline_root,
            service_account=recurring_run.service_account,
            created_at=now,
            scheduled_at=scheduled_at,
            state_history=[StateChange(update_time=now, state=RunState.PENDING)],
            recurring_run_id=recurring_run.recurring_run_id,
            is_fail_fast=recurring_run.is_fail_fast,
            is_cache_enabled=recurring_run.is_cache_enabled,
            max_cache_staleness=recurring_run.max_cache_staleness,
        )

    async def _source(self, records: Records, recurring_run: RecurringRun) -> tuple[Object, Object, str]:
        """The specification, its platform document and the version; the latest one if the recurring run names none."""
        if recurring_run.is_inline:
            return recurring_run.spec, recurring_run.platform_spec, ""
        if recurring_run.pipeline_version_id:
            version = await records.get(PipelineVersion, recurring_run.pipeline_version_id)
        else:
            version = await records.first(PipelineVersion, newest=True, pipeline_id=recurring_run.pipeline_id)
        if version is None:
            raise ValueError("the pipeline version of this recurring run was deleted")
        return version.spec, version.platform_spec, version.pipeline_version_id


async def _has_workflow(api: Api, run: Run) -> bool:
    try:
        await api.get(untyped(WORKFLOWS), run.resource_name, run.namespace)
    except errors.NotFound:
        return run.state is not RunState.PENDING  # it ran, and its Workflow was removed since
    return True
