"""The methods of `ml_metadata.MetadataStoreService`: which read, with the fields of their messages, and which write."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from windlass.apps.pipelines.wire.metadata import handlers, messages
from windlass.apps.pipelines.wire.metadata.lineage import OPTIONS, get_lineage_subgraph
from windlass.apps.pipelines.wire.metadata.store import MetadataStore
from windlass.formats.protobuf_messages import BOOL, INT64, STRING, ListOf, MapOf, Message, Type
from windlass.kube.json import Object

Handler: TypeAlias = Callable[[MetadataStore, Object], Awaitable[Object]]
Fields: TypeAlias = "dict[str, tuple[int, Type]]"
SERVICE = "ml_metadata.MetadataStoreService"


@dataclass(frozen=True)
class Method:
    handler: Handler
    request: Message
    response: Message


def method(handler: Handler, request: Fields, response: Fields) -> Method:
    return Method(handler, Message("request", **request), Message("response", **response))


TYPE_NAME: Fields = {"type_name": (1, STRING), "type_version": (2, STRING)}
TYPE_IDS: Fields = {"type_ids": (1, ListOf(INT64))}
EXTERNAL_IDS: Fields = {"external_ids": (1, ListOf(STRING))}
OPTIONS_ONLY: Fields = {"options": (1, messages.LIST_OPTIONS)}
CONTEXT_ID: Fields = {"context_id": (1, INT64)}
CONTEXT_IDS: Fields = {"context_ids": (1, ListOf(INT64))}
IN_CONTEXT: Fields = {"context_id": (1, INT64), "options": (2, messages.LIST_OPTIONS)}
BY_TYPE: Fields = {**TYPE_NAME, "options": (3, messages.LIST_OPTIONS)}
CONTEXTS_BY_TYPE: Fields = {
    "type_name": (1, STRING),
    "options": (2, messages.LIST_OPTIONS),
    "type_version": (3, STRING),
}

ARTIFACTS: Fields = {"artifacts": (1, ListOf(messages.ARTIFACT))}
EXECUTIONS: Fields = {"executions": (1, ListOf(messages.EXECUTION))}
CONTEXTS: Fields = {"contexts": (1, ListOf(messages.CONTEXT))}
EVENTS: Fields = {"events": (1, ListOf(messages.EVENT))}
TOKEN: Fields = {"next_page_token": (2, STRING)}
ARTIFACT_TYPES: Fields = {"artifact_types": (1, ListOf(messages.ARTIFACT_TYPE))}
EXECUTION_TYPES: Fields = {"execution_types": (1, ListOf(messages.EXECUTION_TYPE))}
CONTEXT_TYPES: Fields = {"context_types": (1, ListOf(messages.CONTEXT_TYPE))}


def named(field: str) -> Fields:
    """The request for a node by its type and name."""
    return {"type_name": (1, STRING), field: (2, STRING), "type_version": (3, STRING)}


def contexts_by_id(field: str) -> Fields:
    """The answer with other contexts for each id."""
    value = Message(field, **{field: (1, ListOf(messages.CONTEXT))})
    return {"contexts": (2, MapOf(value, INT64))}


READS: Mapping[str, Method] = {
    "GetArtifactTypes": method(handlers.get_artifact_types, {}, ARTIFACT_TYPES),
    "GetArtifactType": method(handlers.get_artifact_type, TYPE_NAME, {"artifact_type": (1, messages.ARTIFACT_TYPE)}),
    "GetArtifactTypesByID": method(handlers.get_artifact_types_by_id, TYPE_IDS, ARTIFACT_TYPES),
    "GetExecutionTypes": method(handlers.get_execution_types, {}, EXECUTION_TYPES),
    "GetExecutionType": method(
        handlers.get_execution_type, TYPE_NAME, {"execution_type": (1, messages.EXECUTION_TYPE)}
    ),
    "GetExecutionTypesByID": method(handlers.get_execution_types_by_id, TYPE_IDS, EXECUTION_TYPES),
    "GetContextTypes": method(handlers.get_context_types, {}, CONTEXT_TYPES),
    "GetContextType": method(handlers.get_context_type, TYPE_NAME, {"context_type": (1, messages.CONTEXT_TYPE)}),
    "GetContextTypesByID": method(handlers.get_context_types_by_id, TYPE_IDS, CONTEXT_TYPES),
    "GetArtifacts": method(handlers.get_artifacts, OPTIONS_ONLY, ARTIFACTS | TOKEN),
    "GetArtifactsByType": method(handlers.get_artifacts_by_type, BY_TYPE, ARTIFACTS | TOKEN),
    "GetArtifactsByContext": method(handlers.get_artifacts_by_context, IN_CONTEXT, ARTIFACTS | TOKEN),
    "GetArtifactsByID": method(
        handlers.get_artifacts_by_id,
        {"artifact_ids": (1, ListOf(INT64)), "populate_artifact_types": (3, BOOL)},
        {**ARTIFACTS, "artifact_types": (2, ListOf(messages.ARTIFACT_TYPE))},
    ),
    "GetArtifactByTypeAndName": method(
        handlers.get_artifact_by_type_and_name, named("artifact_name"), {"artifact": (1, messages.ARTIFACT)}
    ),
    "GetArtifactsByURI": method(handlers.get_artifacts_by_uri, {"uris": (2, ListOf(STRING))}, ARTIFACTS),
    "GetExecutions": method(handlers.get_executions, OPTIONS_ONLY, EXECUTIONS | TOKEN),
    "GetExecutionsByType": method(handlers.get_executions_by_type, BY_TYPE, EXECUTIONS | TOKEN),
    "GetExecutionsByContext": method(handlers.get_executions_by_context, IN_CONTEXT, EXECUTIONS | TOKEN),
    "GetExecutionsByID": method(handlers.get_executions_by_id, {"execution_ids": (1, ListOf(INT64))}, EXECUTIONS),
    "GetExecutionByTypeAndName": method(
        handlers.get_execution_by_type_and_name, named("execution_name"), {"execution": (1, messages.EXECUTION)}
    ),
    "GetContexts": method(handlers.get_contexts, OPTIONS_ONLY, CONTEXTS | TOKEN),
    "GetContextsByType": method(handlers.get_contexts_by_type, CONTEXTS_BY_TYPE, CONTEXTS | TOKEN),
    "GetContextsByID": method(handlers.get_contexts_by_id, CONTEXT_IDS, CONTEXTS),
    "GetContextByTypeAndName": method(
        handlers.get_context_by_type_and_name, named("context_name"), {"context": (1, messages.CONTEXT)}
    ),
    "GetContextsByArtifact": method(handlers.get_contexts_by_artifact, {"artifact_id": (1, INT64)}, CONTEXTS),
    "GetContextsByExecution": method(handlers.get_contexts_by_execution, {"execution_id": (1, INT64)}, CONTEXTS),
    "GetParentContextsByContext": method(handlers.get_parent_contexts, CONTEXT_ID, CONTEXTS),
    "GetChildrenContextsByContext": method(handlers.get_children_contexts, CONTEXT_ID, CONTEXTS),
    "GetParentContextsByContexts": method(
        handlers.get_parents_of_contexts, CONTEXT_IDS, contexts_by_id("parent_contexts")
    ),
    "GetChildrenContextsByContexts": method(
        handlers.get_children_of_contexts, CONTEXT_IDS, contexts_by_id("children_contexts")
    ),
    "GetEventsByExecutionIDs": method(
        handlers.get_events_by_execution_ids, {"execution_ids": (1, ListOf(INT64))}, EVENTS
    ),
    "GetEventsByArtifactIDs": method(handlers.get_events_by_artifact_ids, {"artifact_ids": (1, ListOf(INT64))}, EVENTS),
    "GetArtifactsByExternalIds": method(handlers.get_none, EXTERNAL_IDS, ARTIFACTS),
    "GetExecutionsByExternalIds": method(handlers.get_none, EXTERNAL_IDS, EXECUTIONS),
    "GetContextsByExternalIds": method(handlers.get_none, EXTERNAL_IDS, CONTEXTS),
    "GetArtifactTypesByExternalIds": method(handlers.get_none, EXTERNAL_IDS, ARTIFACT_TYPES),
    "GetExecutionTypesByExternalIds": method(handlers.get_none, EXTERNAL_IDS, EXECUTION_TYPES),
    "GetContextTypesByExternalIds": method(handlers.get_none, EXTERNAL_IDS, CONTEXT_TYPES),
    "GetLineageSubgraph": method(
        get_lineage_subgraph,
        {OPTIONS: (1, messages.LINEAGE_OPTIONS), "read_mask": (3, messages.FIELD_MASK)},
        {"lineage_subgraph": (1, messages.LINEAGE_GRAPH)},
    ),
}

WRITES = frozenset(
    f"Put{what}"
    for what in (
        "ArtifactType",
        "ExecutionType",
        "ContextType",
        "Types",
        "Artifacts",
        "Executions",
        "Events",
        "Execution",
        "LineageSubgraph",
        "Contexts",
        "AttributionsAndAssociations",
        "ParentContexts",
    )
)
