"""What answers the methods of the metadata store: from a request's fields to those of the answer.

As in ML Metadata, an id or a name that no node has is left out of an answer; only a missing type is an error.
"""

from collections.abc import Sequence

from windlass.apps.pipelines.model import Artifact, Task
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.metadata.node_types import (
    CONTEXT_TYPES,
    EXECUTION_TYPES,
    shown_type,
    shown_types,
    type_id,
)
from windlass.apps.pipelines.wire.metadata.nodes import number, shown_artifact, shown_event
from windlass.apps.pipelines.wire.metadata.store import Context, MetadataStore, shown_artifacts, shown_contexts
from windlass.apps.pipelines.wire.protojson import checked_text
from windlass.kube.json import Object

MAX_IDS = 10_000

# Types


def named_type(names: Sequence[str], request: Object) -> Object:
    """Types have no versions. Raises NotFound."""
    name, version = request.get("type_name", ""), request.get("type_version", "")
    if name not in names or version:
        raise NotFound(f"No type found for query, name: `{name}`, version: `{version or 'nullopt'}`")
    return shown_type(name)


def types_with_ids(names: Sequence[str], request: Object) -> list[Object]:
    return shown_types(name for name in names if type_id(name) in request["type_ids"])


async def get_artifact_types(store: MetadataStore, request: Object) -> Object:
    return {"artifact_types": shown_types(await store.artifact_types())}


async def get_artifact_type(store: MetadataStore, request: Object) -> Object:
    return {"artifact_type": named_type(await store.artifact_types(), request)}


async def get_artifact_types_by_id(store: MetadataStore, request: Object) -> Object:
    return {"artifact_types": types_with_ids(await store.artifact_types(), request)}


async def get_execution_types(store: MetadataStore, request: Object) -> Object:
    return {"execution_types": shown_types(EXECUTION_TYPES)}


async def get_execution_type(store: MetadataStore, request: Object) -> Object:
    return {"execution_type": named_type(EXECUTION_TYPES, request)}


async def get_execution_types_by_id(store: MetadataStore, request: Object) -> Object:
    return {"execution_types": types_with_ids(EXECUTION_TYPES, request)}


async def get_context_types(store: MetadataStore, request: Object) -> Object:
    return {"context_types": shown_types(CONTEXT_TYPES)}


async def get_context_type(store: MetadataStore, request: Object) -> Object:
    return {"context_type": named_type(CONTEXT_TYPES, request)}


async def get_context_types_by_id(store: MetadataStore, request: Object) -> Object:
    return {"context_types": types_with_ids(CONTEXT_TYPES, request)}


# Artifacts


async def get_artifacts(store: MetadataStore, request: Object) -> Object:
    artifacts, token = await store.artifacts(request.get("options"))
    return page("artifacts", artifacts, token)


async def get_artifacts_by_type(store: MetadataStore, request: Object) -> Object:
    if request.get("type_version") or not request.get("type_name"):
        return {}
    artifacts, token = await store.artifacts(request.get("options"), type=text_of(request, "type_name"))
    return page("artifacts", artifacts, token)


async def get_artifacts_by_context(store: MetadataStore, request: Object) -> Object:
    scope = await store.scope_numbered(request.get("context_id", 0))
    if scope is None:
        return {}
    artifacts, token = await store.artifacts(request.get("options"), scope=scope)
    return page("artifacts", artifacts, token)


async def get_artifacts_by_id(store: MetadataStore, request: Object) -> Object:
    artifacts = await store.rows.numbered(Artifact, ids_of(request, "artifact_ids"))
    types = sorted({artifact.type for artifact in artifacts}) if request.get("populate_artifact_types") else []
    return {"artifacts": shown_artifacts(artifacts), "artifact_types": shown_types(types)}


async def get_artifact_by_type_and_name(store: MetadataStore, request: Object) -> Object:
    artifact = await store.artifact_named(request.get("type_name", ""), text_of(request, "artifact_name"))
    return {"artifact": shown_artifact(artifact) if artifact is not None else None}


async def get_artifacts_by_uri(store: MetadataStore, request: Object) -> Object:
    uris = request["uris"]
    check_count(uris, "uris")
    artifacts = await store.rows.artifacts_at(uris)
    return {"artifacts": shown_artifacts(artifacts)}


# Executions


async def get_executions(store: MetadataStore, request: Object) -> Object:
    executions, token = await store.executions(request.get("options"))
    return page("executions", executions, token)


async def get_executions_by_type(store: MetadataStore, request: Object) -> Object:
    type = request.get("type_name", "")
    if request.get("type_version") or type not in EXECUTION_TYPES:
        return {}
    executions, token = await store.executions(request.get("options"), type=type)
    return page("executions", executions, token)


async def get_executions_by_context(store: MetadataStore, request: Object) -> Object:
    scope = await store.scope_numbered(request.get("context_id", 0))
    if scope is None:
        return {}
    executions, token = await store.executions(request.get("options"), scope=scope)
    return page("executions", executions, token)


async def get_executions_by_id(store: MetadataStore, request: Object) -> Object:
    tasks = await store.rows.numbered(Task, ids_of(request, "execution_ids"))
    return {"executions": await store.shown_executions(tasks)}


async def get_execution_by_type_and_name(store: MetadataStore, request: Object) -> Object:
    task = await store.execution_named(request.get("type_name", ""), text_of(request, "execution_name"))
    shown = await store.shown_executions([task] if task is not None else [])
    return {"execution": shown[0] if shown else None}


# Contexts


async def get_contexts(store: MetadataStore, request: Object) -> Object:
    contexts, token = await store.contexts(request.get("options"))
    return page("contexts", contexts, token)


async def get_contexts_by_type(store: MetadataStore, request: Object) -> Object:
    type = request.get("type_name", "")
    if request.get("type_version") or type not in CONTEXT_TYPES:
        return {}
    contexts, token = await store.contexts(request.get("options"), type=type)
    return page("contexts", contexts, token)


async def get_contexts_by_id(store: MetadataStore, request: Object) -> Object:
    return {"contexts": shown_contexts(await store.contexts_numbered(ids_of(request, "context_ids")))}


async def get_context_by_type_and_name(store: MetadataStore, request: Object) -> Object:
    context = await store.context_named(request.get("type_name", ""), text_of(request, "context_name"))
    return {"context": shown_contexts([context])[0] if context is not None else None}


async def get_contexts_by_artifact(store: MetadataStore, request: Object) -> Object:
    return {"contexts": shown_contexts(await store.contexts_of_artifact(request.get("artifact_id", 0)))}


async def get_contexts_by_execution(store: MetadataStore, request: Object) -> Object:
    return {"contexts": shown_contexts(await store.contexts_of_execution(request.get("execution_id", 0)))}


async def get_parent_contexts(store: MetadataStore, request: Object) -> Object:
    contexts = await store.contexts_numbered([request.get("context_id", 0)])
    return {"contexts": shown_contexts(await store.parents_of(contexts))}


async def get_children_contexts(store: MetadataStore, request: Object) -> Object:
    contexts = await store.contexts_numbered([request.get("context_id", 0)])
    children = [child for context in contexts for child in await store.children_of(context)]
    return {"contexts": shown_contexts(children)}


async def get_parents_of_contexts(store: MetadataStore, request: Object) -> Object:
    contexts = await store.contexts_numbered(ids_of(request, "context_ids"))
    parents: dict[int, Sequence[Context]] = {number(each): await store.parents_of([each]) for each in contexts}
    shown = {id: {"parent_contexts": shown_contexts(each)} for id, each in parents.items() if each}
    return {"contexts": shown}


async def get_children_of_contexts(store: MetadataStore, request: Object) -> Object:
    contexts = await store.contexts_numbered(ids_of(request, "context_ids"))
    children = {number(each): await store.children_of(each) for each in contexts}
    return {"contexts": {id: {"children_contexts": shown_contexts(each)} for id, each in children.items() if each}}


# Events


async def get_events_by_execution_ids(store: MetadataStore, request: Object) -> Object:
    tasks = await store.rows.numbered(Task, ids_of(request, "execution_ids"))
    links = await store.rows.links_of_tasks([task.task_id for task in tasks])
    return {"events": [shown_event(link) for link in links]}


async def get_events_by_artifact_ids(store: MetadataStore, request: Object) -> Object:
    artifacts = await store.rows.numbered(Artifact, ids_of(request, "artifact_ids"))
    links = await store.rows.links_of_artifacts([artifact.artifact_id for artifact in artifacts])
    return {"events": [shown_event(link) for link in links]}


async def get_none(store: MetadataStore, request: Object) -> Object:
    """Nodes and types by external ids: the history has none."""
    return {}


def page(name: str, nodes: list[Object], token: str) -> Object:
    return {name: nodes, "next_page_token": token or None}


def text_of(request: Object, name: str) -> str:
    return checked_text(request.get(name, ""), name)


def ids_of(request: Object, name: str) -> list[int]:
    ids = request[name]
    check_count(ids, name)
    return ids


def check_count(values: Sequence[object], name: str) -> None:
    if len(values) > MAX_IDS:
        raise InvalidArgument(f"{name}: at most {MAX_IDS} are allowed")
