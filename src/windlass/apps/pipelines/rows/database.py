"""The database of pipelines: the engine's `History`, and what the API creates, lists, changes and deletes."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection

from windlass.apps.pipelines.model import Artifact, Error, Record, Run, RunState, Task
from windlass.apps.pipelines.rows import archives, run_rows, statements, task_rows
from windlass.apps.pipelines.rows.connections import Connections
from windlass.apps.pipelines.rows.executions import execution_page
from windlass.apps.pipelines.rows.listing import list_page
from windlass.apps.pipelines.rows.numbers import ids_with
from windlass.apps.pipelines.rows.queries import Page, Query, R
from windlass.apps.pipelines.rows.records import table_of

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.metadata.metadata_rows import MetadataRows


class Database:
    """Everything that returns is durable; each call is one transaction. Safe for several processes at once."""

    def __init__(self, connections: Connections) -> None:
        self.connections = connections

    async def close(self) -> None:
        await self.connections.close()

    # History

    async def run(self, run_id: str) -> Run | None:
        return await self.get(Run, run_id)

    async def unfinished_runs(self) -> list[Run]:
        return await self.connections.read(run_rows.unfinished_runs)

    async def tasks(self, run_id: str) -> list[Task]:
        return await self.connections.read(lambda connection: task_rows.tasks_of(connection, run_id))

    async def artifacts(self, ids: Collection[str]) -> dict[str, Artifact]:
        if not ids:
            return {}
        artifacts = await self.connections.read(lambda connection: statements.get_records(connection, Artifact, ids))
        return {artifact.artifact_id: artifact for artifact in artifacts}

    async def save(self, run_id: str, *, tasks: Iterable[Task] = (), artifacts: Iterable[Artifact] = ()) -> None:
        all_tasks, all_artifacts = list(tasks), list(artifacts)
        await self.connections.write(lambda connection: task_rows.save(connection, run_id, all_tasks, all_artifacts))

    async def set_run_state(
        self, run_id: str, state: RunState, now: float, *, error: Error | None = None, reset: bool = False
    ) -> bool:
        return await self.connections.write(
            lambda connection: run_rows.set_run_state(connection, run_id, state, now, error, reset)
        )

    async def cached(self, namespace: str, pipeline_name: str | None, fingerprint: str, limit: int = 5) -> list[Task]:
        return await self.connections.read(
            lambda connection: task_rows.cached_tasks(connection, namespace, pipeline_name, fingerprint, limit)
        )

    async def imported(self, namespace: str, pipeline_name: str, uri: str, type: str) -> list[Artifact]:
        return await self.connections.read(
            lambda connection: task_rows.imported_artifacts(connection, namespace, pipeline_name, uri, type)
        )

    # Any record

    async def get(self, type: type[R], id: str) -> R | None:
        return await self.connections.read(lambda connection: statements.get_record(connection, type, id))

    async def create(self, *records: Record) -> None:
        """Insert records in one transaction; raises AlreadyExists if an id or a unique name is taken."""

        def work(connection: Connection) -> None:
            for record in records:
                if isinstance(record, Run):
                    run_rows.create_run(connection, record)
                else:
                    statements.insert_record(connection, record)

        await self.connections.write(work)

    async def change(self, type: type[R], id: str, **changes: Any) -> bool:
        """Set fields of a record; False if it does not exist."""
        return await self.connections.write(lambda connection: statements.change_record(connection, type, id, changes))

    async def delete(self, type: type[R], id: str) -> bool:
        return await self.connections.write(lambda connection: statements.delete_record(connection, type, id))

    async def page(self, type: type[R], query: Query) -> Page[R]:
        return await self.connections.read(lambda connection: list_page(connection, type, query))

    async def executions(self, namespace: str, query: Query) -> Page[Task]:
        """Tasks of all runs of the namespace."""
        return await self.connections.read(lambda connection: execution_page(connection, namespace, query))

    async def runs(self, ids: Collection[str]) -> dict[str, Run]:
        runs = await self.connections.read(lambda connection: statements.get_records(connection, Run, ids))
        return {run.run_id: run for run in runs}

    async def first(self, type: type[R], *, newest: bool = False, **fields: Any) -> R | None:
        """The oldest (or newest) record whose fields have the given values."""
        table = table_of(type)
        conditions = [table.c[name] == value for name, value in fields.items()]
        identity = next(iter(table.primary_key))
        order: list[ColumnElement[Any]] = [table.c.created_at, identity]
        if newest:
            order = [column.desc() for column in order]
        return await self.connections.read(
            lambda connection: statements.first_record(connection, type, *conditions, order_by=order)
        )

    async def numbered_artifact(self, number: int) -> Artifact | None:
        """An artifact by the number that integers of the API have for it."""
        first, last = ids_with(number)
        found = table_of(Artifact).c.artifact_id.between(first, last)
        artifacts = await self.connections.read(lambda connection: statements.find_records(connection, Artifact, found))
        return artifacts[0] if artifacts else None

    async def find(self, type: type[R], **fields: Any) -> list[R]:
        """All records whose fields have the given values."""
        conditions = [table_of(type).c[name] == value for name, value in fields.items()]
        return await self.connections.read(lambda connection: statements.find_records(connection, type, *conditions))

    # What belongs together

    async def unshared_artifacts(self, run_id: str) -> list[Artifact]:
        """Artifacts of the run that no other run uses."""
        return await self.connections.read(lambda connection: run_rows.unshared_artifacts(connection, run_id))

    async def expired_artifacts(self, before: float, after: str, limit: int) -> list[Artifact]:
        """Artifacts with content of runs that finished before a time, which no younger run uses; those after an id."""
        return await self.connections.read(
            lambda connection: run_rows.expired_artifacts(connection, before, after, limit)
        )

    async def delete_run(self, run_id: str, *, with_artifacts: bool = False) -> list[Artifact]:
        return await self.connections.write(
            lambda connection: run_rows.delete_run(connection, run_id, with_artifacts=with_artifacts)
        )

    async def archive_experiment(self, experiment_id: str, now: float) -> bool:
        return await self.connections.write(
            lambda connection: run_rows.archive_experiment(connection, experiment_id, now)
        )

    async def report_metric(self, run_id: str, node_id: str, name: str, number_value: float, format: str) -> bool:
        metric = {"node_id": node_id, "name": name, "number_value": number_value, "format": format}
        return await self.connections.write(lambda connection: run_rows.report_metric(connection, run_id, metric))

    async def metrics(self, run_id: str) -> list[dict[str, Any]]:
        return await self.connections.read(lambda connection: run_rows.metrics_of(connection, run_id))

    async def links(self, **conditions: Any) -> list[dict[str, Any]]:
        """Links of artifacts and tasks; see `task_rows.links`."""
        return await self.connections.read(lambda connection: task_rows.links(connection, **conditions))

    # Metadata store

    async def namespaces(self) -> list[str]:
        """Those that have runs or artifacts."""
        from windlass.apps.pipelines.rows.metadata.metadata_rows import namespaces_with_history

        return await self.connections.read(namespaces_with_history)

    def metadata(self, namespaces: Collection[str]) -> "MetadataRows":
        """What the metadata store reads; imported at its first request."""
        from windlass.apps.pipelines.rows.metadata.metadata_rows import MetadataRows

        return MetadataRows(self.connections, namespaces)

    # Archives

    async def save_log(self, run_id: str, pod_name: str, log: bytes) -> None:
        await self.connections.write(lambda connection: archives.keep_log(connection, run_id, pod_name, log))

    async def log(self, run_id: str, pod_name: str) -> bytes | None:
        return await self.connections.read(lambda connection: archives.log_of(connection, run_id, pod_name))

    async def save_workflow_log(self, workflow_uid: str, pod_name: str, log: bytes, now: float) -> None:
        await self.connections.write(
            lambda connection: archives.keep_workflow_log(connection, workflow_uid, pod_name, log, now)
        )

    async def workflow_log(self, workflow_uid: str, pod_name: str) -> bytes | None:
        return await self.connections.read(
            lambda connection: archives.workflow_log_of(connection, workflow_uid, pod_name)
        )

    async def logged_pods(self, workflow_uid: str) -> list[str]:
        """Names of the pods of a Workflow whose logs are kept."""
        return await self.connections.read(lambda connection: archives.logged_pods(connection, workflow_uid))

    async def logged_workflows(self) -> list[str]:
        """Uids of the Workflows of which logs are kept."""
        return await self.connections.read(archives.logged_workflows)

    async def delete_workflow_logs(self, workflow_uid: str) -> None:
        await self.connections.write(lambda connection: archives.delete_workflow_logs(connection, workflow_uid))

    async def expire_workflow_logs(self, before: float) -> None:
        """Delete the logs that were kept before a time."""
        await self.connections.write(lambda connection: archives.expire_workflow_logs(connection, before))

    async def save_manifest(self, run_id: str, manifest: bytes) -> None:
        await self.connections.write(lambda connection: archives.keep_manifest(connection, run_id, manifest))

    async def manifest(self, run_id: str) -> bytes | None:
        return await self.connections.read(lambda connection: archives.manifest_of(connection, run_id))
