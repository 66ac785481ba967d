"""Reads for the metadata store: artifacts, tasks and runs of the namespaces that a caller may see, and their links."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, func, select, union
from sqlalchemy.engine import RowMapping

from windlass.apps.pipelines.model import Artifact, Run, Task
from windlass.apps.pipelines.rows.connections import Connections
from windlass.apps.pipelines.rows.metadata.node_queries import Link, NodeQuery, PipelineSpan, Scope
from windlass.apps.pipelines.rows.metadata.node_tables import (
    beyond,
    compared,
    has_number,
    is_root,
    run_updated,
    table_of_nodes,
)
from windlass.apps.pipelines.rows.queries import R
from windlass.apps.pipelines.rows.records import OUTPUT, digest, identity_of
from windlass.apps.pipelines.rows.statements import batches, find_records
from windlass.apps.pipelines.rows.tables import ARTIFACT_TASKS, ARTIFACTS, RUNS, TASKS

T = TypeVar("T")
Id = TypeVar("Id", str, int)


def namespaces_with_history(connection: Connection) -> list[str]:
    names = union(select(RUNS.c.namespace), select(ARTIFACTS.c.namespace)).subquery()
    return list(connection.execute(select(names.c.namespace).order_by(names.c.namespace)).scalars())


class MetadataRows:
    """Reads what is in the given namespaces, and nothing else."""

    def __init__(self, connections: Connections, namespaces: Collection[str]) -> None:
        self._connections, self._namespaces = connections, sorted(namespaces)

    async def nodes(self, type: type[R], query: NodeQuery, scope: Scope | None = None) -> list[R]:
        """The nodes of a page."""
        nodes = table_of_nodes(type)
        key, identity = nodes.key(query.order), nodes.identity
        conditions = [compared(nodes, condition) for condition in query.conditions]
        if scope is not None:
            conditions.append(self._within(type, scope))
        if query.after is not None:
            conditions.append(beyond(key, identity, query.after, is_descending=query.is_descending))
        columns = [identity] if key is None else [key, identity]
        order = tuple(column.desc() if query.is_descending else column.asc() for column in columns)
        return await self._find(type, *conditions, order_by=order, limit=query.limit)

    async def numbered(self, type: type[R], numbers: Collection[int]) -> list[R]:
        """The nodes with these numbers; numbers that no node has are skipped."""
        return await self._in_batches(
            numbers, lambda batch: self._find(type, has_number(identity_of(type), batch), order_by=(identity_of(type),))
        )

    async def with_ids(self, type: type[R], ids: Collection[str]) -> list[R]:
        return await self._in_batches(ids, lambda batch: self._find(type, identity_of(type).in_(batch)))

    async def root_of(self, run_id: str) -> Task | None:
        roots = await self._find(Task, TASKS.c.run_id == run_id, is_root, limit=1)
        return roots[0] if roots else None

    async def artifacts_at(self, uris: Collection[str]) -> list[Artifact]:
        order = (ARTIFACTS.c.created_at, ARTIFACTS.c.artifact_id)
        digests = [digest(uri) for uri in uris]
        return await self._in_batches(
            digests, lambda batch: self._find(Artifact, ARTIFACTS.c.uri_digest.in_(batch), order_by=order)
        )

    async def artifact_types(self) -> list[str]:
        statement = select(ARTIFACTS.c.type).where(self._visible(Artifact)).distinct().order_by(ARTIFACTS.c.type)
        return await self._read(lambda connection: list(connection.execute(statement).scalars()))

    async def pipelines(self, name: str | None = None) -> list[PipelineSpan]:
        """The pipelines that have runs; with `name` the one of that name."""
        statement = (
            select(RUNS.c.pipeline_name, func.min(RUNS.c.created_at), func.max(run_updated))
            .where(self._visible(Run), RUNS.c.pipeline_name != "" if name is None else RUNS.c.pipeline_name == name)
            .group_by(RUNS.c.pipeline_name)
            .order_by(RUNS.c.pipeline_name)
        )
        rows = await self._read(lambda connection: connection.execute(statement).all())
        return [PipelineSpan(name=name, created_at=created, updated_at=updated) for name, created, updated in rows]

    async def runs_with_output(self, artifact_id: str) -> list[Run]:
        """The runs whose tasks made an artifact, or took it from the cache."""
        linked = (ARTIFACT_TASKS.c.artifact_id == artifact_id, ARTIFACT_TASKS.c.type == OUTPUT)
        runs = select(ARTIFACT_TASKS.c.run_id).where(*linked)
        return await self._find(Run, RUNS.c.run_id.in_(runs), order_by=(RUNS.c.created_at, RUNS.c.run_id))

    async def links_of_tasks(self, task_ids: Collection[str]) -> list[Link]:
        """Inputs and outputs; artifacts of other namespaces are left out."""
        return await self._in_batches(task_ids, lambda batch: self._links(ARTIFACT_TASKS.c.task_id.in_(batch)))

    async def links_of_artifacts(self, artifact_ids: Collection[str]) -> list[Link]:
        """The tasks that made and read artifacts; those of other namespaces are left out."""
        return await self._in_batches(artifact_ids, lambda batch: self._links(ARTIFACT_TASKS.c.artifact_id.in_(batch)))

    async def _links(self, condition: ColumnElement[bool]) -> list[Link]:
        statement = (
            select(ARTIFACT_TASKS, TASKS.c.created_at, TASKS.c.started_at, TASKS.c.finished_at)
            .join(TASKS, TASKS.c.task_id == ARTIFACT_TASKS.c.task_id)
            .join(ARTIFACTS, ARTIFACTS.c.artifact_id == ARTIFACT_TASKS.c.artifact_id)
            .where(self._visible(Task), self._visible(Artifact), condition)
            .order_by(TASKS.c.created_at, ARTIFACT_TASKS.c.task_id, ARTIFACT_TASKS.c.key, ARTIFACT_TASKS.c.position)
        )
        rows = await self._read(lambda connection: connection.execute(statement).mappings().all())
        return [link_of(row) for row in rows]

    async def child_counts(self, run_ids: Collection[str]) -> dict[str, int]:
        """How many tasks are directly in each task of these runs."""
        counts = select(TASKS.c.parent_id, func.count()).group_by(TASKS.c.parent_id)

        async def of_runs(batch: Collection[str]) -> list[tuple[str, int]]:
            statement = counts.where(TASKS.c.run_id.in_(batch))
            rows = await self._read(lambda connection: connection.execute(statement).all())
            return [(parent_id, count) for parent_id, count in rows]

        return dict(await self._in_batches(run_ids, of_runs))

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._connections.read(work)

    async def _find(
        self,
        type: type[R],
        *conditions: ColumnElement[bool],
        order_by: tuple[ColumnElement[Any], ...] = (),
        limit: int | None = None,
    ) -> list[R]:
        visible = self._visible(type)
        return await self._read(
            lambda connection: find_records(connection, type, visible, *conditions, order_by=order_by, limit=limit)
        )

    async def _in_batches(self, ids: Collection[Id], find: Callable[[Collection[Id]], Awaitable[list[T]]]) -> list[T]:
        """What `find` gives for all ids: a statement can have only so many."""
        return [each for batch in batches(sorted(set(ids))) for each in await find(batch)]

    def _visible(self, type: type[Any]) -> ColumnElement[bool]:
        if type is Artifact:
            return ARTIFACTS.c.namespace.in_(self._namespaces)
        runs = RUNS.c.namespace.in_(self._namespaces)
        return runs if type is Run else TASKS.c.run_id.in_(select(RUNS.c.run_id).where(runs))

    def _within(self, type: type[Any], scope: Scope) -> ColumnElement[bool]:
        """Of tasks: those of the runs. Of artifacts: the outputs of the runs, also those taken from the cache."""
        of_scope = RUNS.c.run_id == scope.run_id if scope.run_id else RUNS.c.pipeline_name == scope.pipeline_name
        if type is Run:
            return of_scope
        runs = select(RUNS.c.run_id).where(of_scope, self._visible(Run))
        if type is Task:
            return TASKS.c.run_id.in_(runs)
        linked = (ARTIFACT_TASKS.c.run_id.in_(runs), ARTIFACT_TASKS.c.type == OUTPUT)
        return ARTIFACTS.c.artifact_id.in_(select(ARTIFACT_TASKS.c.artifact_id).where(*linked))


def link_of(row: RowMapping) -> Link:
    is_output = row["type"] == OUTPUT
    return Link(
        artifact_id=row["artifact_id"],
        task_id=row["task_id"],
        is_output=is_output,
        key=row["key"],
        at=(is_output and row["finished_at"]) or row["started_at"] or row["created_at"],
    )
