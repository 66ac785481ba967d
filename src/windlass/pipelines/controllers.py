"""The controllers of the pipelines family, which the manager runs."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from windlass.apis.pipelines.options import DEFAULTS, PipelineOptions
from windlass.kube.controller import AnyController
from windlass.pipelines.artifacts import profile_keys
from windlass.pipelines.catalogue.controller import controllers as catalogue
from windlass.pipelines.runs.artifact_expiry import artifact_expiry
from windlass.pipelines.runs.interrupted import interrupted_runs
from windlass.pipelines.runs.service import pipeline_runs
from windlass.pipelines.runs.workflow_controllers import recorded_workflows, workflow_controllers
from windlass.pipelines.schedules.controller import controller as scheduled_workflows
from windlass.pipelines.schedules.cron import time_zone
from windlass.pipelines.schedules.recording import RecordedSchedules
from windlass.pipelines.schedules.start import ScheduledRuns

if TYPE_CHECKING:
    from windlass.pipelines.rows.database import Database


class Context(Protocol):
    """What the manager says about itself."""

    @property
    def pipelines(self) -> PipelineOptions: ...


class SharedDatabase:
    """The database of one process, opened at its first use."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = asyncio.Lock()
        self._database: Database | None = None

    async def open(self) -> "Database":
        from windlass.pipelines.rows import open_database
        from windlass.pipelines.samples import sample_records

        async with self._lock:
            if self._database is None:
                self._database = await open_database(self._url, sample_records)
            return self._database

    def opened(self) -> "Database | None":
        """The database, if something has used it."""
        return self._database


def family_controllers(context: Context) -> Sequence[AnyController]:
    """The controllers to run; without a database only those of Workflows."""
    options = context.pipelines
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
