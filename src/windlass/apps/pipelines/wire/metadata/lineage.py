"""GetLineageSubgraph: the nodes that events lead to, from some artifacts or executions on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from windlass.apps.pipelines.model import Artifact, Run, Task
from windlass.apps.pipelines.rows.metadata.node_queries import Link, NodeQuery
from windlass.apps.pipelines.rows.numbers import number_of
from windlass.apps.pipelines.wire.errors import InvalidArgument, ResourceExhausted, Unimplemented
from windlass.apps.pipelines.wire.metadata.filters import ARTIFACT_FIELDS, EXECUTION_FIELDS, read_filter
from windlass.apps.pipelines.wire.metadata.messages import LINEAGE_GRAPH
from windlass.apps.pipelines.wire.metadata.node_types import shown_types
from windlass.apps.pipelines.wire.metadata.nodes import number, pipeline_number, shown_event
from windlass.apps.pipelines.wire.metadata.store import MetadataStore, shown_artifacts, shown_contexts
from windlass.kube.json import Object

MAX_NODES = 5_000
DEFAULT_HOPS, MAX_HOPS = 20, 100
OPTIONS = "lineage_subgraph_query_options"


@dataclass
class Reached:
    """The ids of artifacts and tasks, and the links between them that were followed."""

    artifacts: set[str] = field(default_factory=set[str])
    tasks: set[str] = field(default_factory=set[str])
    links: dict[tuple[str, str, bool, str], Link] = field(default_factory=dict[tuple[str, str, bool, str], Link])

    def add(self, link: Link) -> None:
        self.links[link.artifact_id, link.task_id, link.is_output, link.key] = link
        if len(self.artifacts) + len(self.tasks) > MAX_NODES:
            raise ResourceExhausted(f"the lineage has more than {MAX_NODES} nodes: set {OPTIONS}.max_num_hops")


async def get_lineage_subgraph(store: MetadataStore, request: Object) -> Object:
    """Raises InvalidArgument, ResourceExhausted, and Unimplemented for ending nodes."""
    options = request.get(OPTIONS, {})
    for name in ("ending_artifacts", "ending_executions"):
        if name in options:
            raise Unimplemented(f"{OPTIONS}.{name}: lineage that ends at given nodes is not supported")
    hops = options.get("max_num_hops", DEFAULT_HOPS)
    if not 0 <= hops <= MAX_HOPS:
        raise InvalidArgument(f"{OPTIONS}.max_num_hops: must be between 0 and {MAX_HOPS}")
    reached = await starting_nodes(store, options)
    await follow(store, reached, hops, options.get("direction", "BIDIRECTIONAL"))
    wanted = wanted_parts(request.get("read_mask", {}).get("paths", []))
    graph = await shown_graph(store, reached)
    return {"lineage_subgraph": {name: nodes for name, nodes in graph.items() if name in wanted}}


def wanted_parts(paths: Collection[str]) -> set[str]:
    """The fields of the graph that a mask names, as a whole or in part; all without a mask."""
    parts = {path.partition(".")[0] for path in paths}
    for part in parts:
        if part not in LINEAGE_GRAPH.fields:
            raise InvalidArgument(f"read_mask.paths: {part!r} is not a field of LineageGraph")
    return parts or set(LINEAGE_GRAPH.fields)


async def starting_nodes(store: MetadataStore, options: Object) -> Reached:
    if "starting_artifacts" in options:
        query = starting_query(options, "starting_artifacts", ARTIFACT_FIELDS)
        artifacts = await store.rows.nodes(Artifact, query)
        return Reached(artifacts={artifact.artifact_id for artifact in artifacts})
    if "starting_executions" in options:
        query = starting_query(options, "starting_executions", EXECUTION_FIELDS)
        tasks = await store.rows.nodes(Task, query)
        return Reached(tasks={task.task_id for task in tasks})
    raise InvalidArgument(f"{OPTIONS}: starting_artifacts or starting_executions is required")


def starting_query(options: Object, name: str, fields: frozenset[str]) -> NodeQuery:
    place = f"{OPTIONS}.{name}.filter_query"
    conditions = read_filter(options[name].get("filter_query", ""), fields, place)
    if not conditions:
        raise InvalidArgument(f"{place}: is required")
    return NodeQuery(conditions=conditions, limit=MAX_NODES)


async def follow(store: MetadataStore, reached: Reached, hops: int, direction: str) -> None:
    """Follow events breadth first. One hop is from an artifact to an execution, or from an execution to an artifact."""
    artifacts, tasks = set(reached.artifacts), set(reached.tasks)
    for _ in range(hops):
        from_artifacts = await store.rows.links_of_artifacts(artifacts)
        from_tasks = await store.rows.links_of_tasks(tasks)
        next_artifacts: set[str] = set()
        next_tasks: set[str] = set()
        for link in from_artifacts:
            # Upstream of an artifact is the task that has it as an output, downstream those that read it.
            if leads(direction, is_upstream=link.is_output):
                reached.add(link)
                next_tasks.add(link.task_id)
        for link in from_tasks:
            if leads(direction, is_upstream=not link.is_output):
                reached.add(link)
                next_artifacts.add(link.artifact_id)
        artifacts, tasks = next_artifacts - reached.artifacts, next_tasks - reached.tasks
        reached.artifacts |= artifacts
        reached.tasks |= tasks
        if not artifacts and not tasks:
            return


def leads(direction: str, *, is_upstream: bool) -> bool:
    return direction not in ("UPSTREAM", "DOWNSTREAM") or (direction == "UPSTREAM") == is_upstream


async def shown_graph(store: MetadataStore, reached: Reached) -> Object:
    artifacts = await store.rows.with_ids(Artifact, reached.artifacts)
    tasks = await store.rows.with_ids(Task, reached.tasks)
    runs = await store.rows.with_ids(Run, {task.run_id for task in tasks})
    executions = await store.shown_executions(tasks)
    contexts = shown_contexts(await store.contexts_of_runs(runs))
    return {
        "artifact_types": shown_types(sorted({artifact.type for artifact in artifacts})),
        "execution_types": shown_types(sorted({execution["type"] for execution in executions})),
        "context_types": shown_types(sorted({context["type"] for context in contexts})),
        "artifacts": shown_artifacts(artifacts),
        "executions": executions,
        "contexts": contexts,
        "events": [shown_event(link) for link in reached.links.values()],
        **context_edges(reached, tasks, {run.run_id: run for run in runs}),
    }


def context_edges(reached: Reached, tasks: Sequence[Task], runs: Mapping[str, Run]) -> Object:
    """Which contexts executions are in, and artifacts, by the executions that have them as outputs."""
    contexts = {task.task_id: context_numbers(runs[task.run_id]) for task in tasks if task.run_id in runs}
    outputs = {(link.artifact_id, link.task_id) for link in reached.links.values() if link.is_output}
    attributed = {(number_of(artifact), context) for artifact, task in outputs for context in contexts.get(task, ())}
    associated = [(number_of(task), context) for task, numbers in contexts.items() for context in numbers]
    parents = [(number(run), pipeline_number(run.pipeline_name)) for run in runs.values() if run.pipeline_name]
    return {
        "attributions": [{"artifact_id": artifact, "context_id": context} for artifact, context in sorted(attributed)],
        "associations": [{"execution_id": execution, "context_id": context} for execution, context in associated],
        "parent_contexts": [{"child_id": child, "parent_id": parent} for child, parent in parents],
    }


def context_numbers(run: Run) -> list[int]:
    return [number(run), pipeline_number(run.pipeline_name)] if run.pipeline_name else [number(run)]
