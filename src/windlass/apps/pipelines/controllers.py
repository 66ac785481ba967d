"""The controllers of the pipelines app, which the manager runs."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.apis.options import WithOptions
from windlass.apps.pipelines.artifacts import profile_keys
from windlass.apps.pipelines.catalogue.controller import controllers as catalogue
from windlass.apps.pipelines.options import DEFAULTS, PipelineOptions
from windlass.apps.pipelines.runs.artifacts.expiry import artifact_expiry
from windlass.apps.pipelines.runs.interrupted import interrupted_runs
from windlass.apps.pipelines.runs.ir.runs_service import pipeline_runs
from windlass.apps.pipelines.runs.workflows.workflow_controllers import recorded_workflows, workflow_controllers
from windlass.apps.pipelines.schedules.controller import controller as scheduled_workflows
from windlass.apps.pipelines.schedules.cron import time_zone
from windlass.apps.pipelines.schedules.recording import RecordedSchedules
from windlass.apps.pipelines.schedules.start import ScheduledRuns
from windlass.kube.controller import AnyController

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database


class SharedDatabase:
    """The database of one process, opened at its first use."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = asyncio.Lock()
        self._database: Database | None = None

    async def open(self) -> "Database":
        from windlass.apps.pipelines.rows import open_database
        from windlass.apps.pipelines.samples import sample_records

        async with self._lock:
            if self._database is None:
                self._database = await open_database(self._url, sample_records)
            return self._database

    def opened(self) -> "Database | None":
        """The database, if something has used it."""
        return self._database


def app_controllers(context: WithOptions) -> Sequence[AnyController]:
    """The controllers to run; without a database only those of Workflows."""
    options = context.options_of(PipelineOptions)
    # Only an embedded platform has the S3 endpoint that the keys are for.
    keys = (profile_keys.CONTROLLER,) if options.volumes else ()
    if not options.database_url:
        return (*workflow_controllers(options), *keys)
    database = SharedDatabase(options.database_url)
    return (*workflow_controllers(options, database.open, database.open), *_recorded_runs(options, database), *keys)


def controllers_of_all_configurations() -> Sequence[AnyController]:
    """Controllers that need permissions on a cluster: those of Workflows, and those of runs in a database."""
    return (*workflow_controllers(DEFAULTS), *_recorded_runs(DEFAULTS, SharedDatabase("")))


def _recorded_runs(options: PipelineOptions, database: SharedDatabase) -> Sequence[AnyController]:
    """The controllers that need the database, which is opened at the first run."""
    zone = time_zone(options.cron_time_zone)
    return (
        pipeline_runs(options, database.open),
        interrupted_runs(database.opened),
        recorded_workflows(database.open, options.volumes),
        scheduled_workflows(ScheduledRuns(database.open).start, zone, records=RecordedSchedules(database.open, zone)),
        *catalogue(database.open),
        *artifact_expiry(options, database.open),
    )
