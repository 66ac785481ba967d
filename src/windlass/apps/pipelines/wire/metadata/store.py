"""The metadata store as one caller sees it: nodes of the namespaces whose runs they may list, and no others."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from msgspec import structs

from windlass.apps.pipelines.model import Artifact, Run, Task
from windlass.apps.pipelines.rows.metadata.node_queries import (
    PIPELINE_CONTEXT,
    RUN_CONTEXT,
    Condition,
    NodeQuery,
    Operator,
    PipelineSpan,
    Scope,
)
from windlass.apps.pipelines.wire.errors import ResourceExhausted
from windlass.apps.pipelines.wire.metadata.filters import ARTIFACT_FIELDS, CONTEXT_FIELDS, EXECUTION_FIELDS, matches
from windlass.apps.pipelines.wire.metadata.node_types import ARTIFACT_TYPES
from windlass.apps.pipelines.wire.metadata.nodes import (
    PIPELINE_NUMBERS,
    RUN_NAME,
    Node,
    execution_type,
    number,
    shown_artifact,
    shown_execution,
    shown_pipeline,
    shown_run,
)
from windlass.apps.pipelines.wire.metadata.options import MAX_NODES, next_page_token, read_options, sort_key
from windlass.kube.json import Object

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.metadata.metadata_rows import MetadataRows

N = TypeVar("N", bound=Node)
Context: TypeAlias = Run | PipelineSpan
Page: TypeAlias = tuple[list[Object], str]
"""Nodes as they are shown, and the token of the next page."""


class MetadataStore:
    def __init__(self, rows: "MetadataRows") -> None:
        self.rows = rows

    async def artifact_types(self) -> list[str]:
        return sorted({*ARTIFACT_TYPES, *await self.rows.artifact_types()})

    # Pages

    async def artifacts(self, options: Object | None, *, scope: Scope | None = None, type: str = "") -> Page:
        """`scope`: the context whose artifacts are meant."""
        query = read_options(options, ARTIFACT_FIELDS)
        artifacts = await self.rows.nodes(Artifact, query_of(query, type), scope)
        page, token = cut(artifacts, options, query)
        return shown_artifacts(page), token

    async def executions(self, options: Object | None, *, scope: Scope | None = None, type: str = "") -> Page:
        query = read_options(options, EXECUTION_FIELDS)
        tasks = await self.rows.nodes(Task, query_of(query, type), scope)
        page, token = cut(tasks, options, query)
        return await self.shown_executions(page), token

    async def contexts(self, options: Object | None, *, type: str = "") -> Page:
        """Runs from the table, and among them the few pipelines."""
        query = read_options(options, CONTEXT_FIELDS)
        contexts: list[Context] = []
        if type in ("", RUN_CONTEXT):
            contexts += await self.rows.nodes(Run, query_of(query))
        if type in ("", PIPELINE_CONTEXT):
            contexts += [pipeline for pipeline in await self.rows.pipelines() if is_asked_for(pipeline, query)]
        contexts.sort(key=lambda context: sort_key(context, query), reverse=query.is_descending)
        page, token = cut(contexts, options, query)
        return shown_contexts(page), token

    # By id and name

    async def execution_named(self, type: str, name: str) -> Task | None:
        if name.startswith(RUN_NAME):
            task = await self.rows.root_of(name.removeprefix(RUN_NAME))
        else:
            task = next(iter(await self.rows.with_ids(Task, [name])), None)
        return task if task is not None and execution_type(task) == type else None

    async def artifact_named(self, type: str, name: str) -> Artifact | None:
        artifacts = await self.rows.with_ids(Artifact, [name])
        return next((artifact for artifact in artifacts if artifact.type == type), None)

    async def context_named(self, type: str, name: str) -> Context | None:
        contexts: Sequence[Context] = ()
        if type == RUN_CONTEXT:
            contexts = await self.rows.with_ids(Run, [name])
        elif type == PIPELINE_CONTEXT and name:
            contexts = await self.rows.pipelines(name)
        return next(iter(contexts), None)

    async def contexts_numbered(self, numbers: Collection[int]) -> list[Context]:
        runs = await self.rows.numbered(Run, [each for each in numbers if each < PIPELINE_NUMBERS])
        if all(each < PIPELINE_NUMBERS for each in numbers):
            return [*runs]
        return [*(pipeline for pipeline in await self.rows.pipelines() if number(pipeline) in numbers), *runs]

    async def scope_numbered(self, id: int) -> Scope | None:
        """The context with that id; None if there is none."""
        for context in await self.contexts_numbered([id]):
            return scope_of(context)
        return None

    # Contexts of nodes

    async def contexts_of_runs(self, runs: Iterable[Run]) -> list[Context]:
        """The runs, and before them their pipelines."""
        known = list(runs)
        names = sorted({run.pipeline_name for run in known} - {""})
        pipelines = [span for name in names for span in await self.rows.pipelines(name)]
        return [*pipelines, *known]

    async def contexts_of_execution(self, id: int) -> list[Context]:
        tasks = await self.rows.numbered(Task, [id])
        return await self.contexts_of_runs(await self.rows.with_ids(Run, [task.run_id for task in tasks]))

    async def contexts_of_artifact(self, id: int) -> list[Context]:
        artifacts = await self.rows.numbered(Artifact, [id])
        runs = [run for each in artifacts for run in await self.rows.runs_with_output(each.artifact_id)]
        return await self.contexts_of_runs(runs)

    async def parents_of(self, contexts: Iterable[Context]) -> list[PipelineSpan]:
        parents = await self.contexts_of_runs([context for context in contexts if isinstance(context, Run)])
        return [context for context in parents if isinstance(context, PipelineSpan)]

    async def children_of(self, context: Context) -> list[Run]:
        if isinstance(context, Run):
            return []
        runs = await self.rows.nodes(Run, query_of(read_options(None, CONTEXT_FIELDS)), scope_of(context))
        check_size(runs)
        return runs

    async def shown_executions(self, tasks: Sequence[Task]) -> list[Object]:
        run_ids = {task.run_id for task in tasks}
        runs = {run.run_id: run for run in await self.rows.with_ids(Run, run_ids)}
        counts = await self.rows.child_counts(run_ids)
        # A run that was deleted between the reads has taken its tasks with it.
        return [
            shown_execution(task, runs[task.run_id], counts.get(task.task_id, 0))
            for task in tasks
            if task.run_id in runs
        ]


def scope_of(context: Context) -> Scope:
    return Scope(run_id=context.run_id) if isinstance(context, Run) else Scope(pipeline_name=context.name)


def shown_artifacts(artifacts: Iterable[Artifact]) -> list[Object]:
    return [shown_artifact(artifact) for artifact in artifacts]


def shown_contexts(contexts: Iterable[Context]) -> list[Object]:
    return [shown_run(context) if isinstance(context, Run) else shown_pipeline(context) for context in contexts]


def query_of(query: NodeQuery, type: str = "") -> NodeQuery:
    """The query for one node more than the page has, by which it is known whether there is a next page."""
    of_type = [Condition(field="type", operator=Operator.EQUAL, values=[type])] if type else []
    return structs.replace(query, limit=query.limit + 1, conditions=[*query.conditions, *of_type])


def is_asked_for(pipeline: PipelineSpan, query: NodeQuery) -> bool:
    """Whether the filter matches a pipeline, and it comes after the last node of the page before."""
    key = sort_key(pipeline, query)
    is_after = query.after is None or (key < query.after if query.is_descending else key > query.after)
    return is_after and matches(shown_pipeline(pipeline), query.conditions)


def cut(nodes: Sequence[N], options: Object | None, query: NodeQuery) -> tuple[Sequence[N], str]:
    """The nodes of the page, and the token of the next one. Raises ResourceExhausted if all are asked for."""
    if len(nodes) <= query.limit:
        return nodes, ""
    if options is None:
        check_size(nodes)
    page = nodes[: query.limit]
    return page, next_page_token(options or {}, query, sort_key(page[-1], query))


def check_size(nodes: Sequence[object]) -> None:
    if len(nodes) > MAX_NODES:
        raise ResourceExhausted(f"there are more than {MAX_NODES}: set options.max_result_size, and read page by page")
