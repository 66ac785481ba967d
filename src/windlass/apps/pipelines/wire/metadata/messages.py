"""The messages of `ml_metadata.MetadataStoreService`, with the names and numbers of ML Metadata 1.17.

Declared is what the methods that read need; the rest of a request, such as `transaction_options`, changes no answer.
"""

from windlass.formats.protobuf_messages import BOOL, DOUBLE, INT64, STRING, EnumOf, ListOf, MapOf, Message
from windlass.formats.protobuf_well_known import STRUCT

PROPERTY = Message(
    "Value",
    int_value=(1, INT64),
    double_value=(2, DOUBLE),
    string_value=(3, STRING),
    struct_value=(4, STRUCT),
    bool_value=(6, BOOL),
)
PROPERTY_TYPES = EnumOf(("UNKNOWN", "INT", "DOUBLE", "STRING", "STRUCT", "PROTO", "BOOLEAN"))
ARTIFACT_STATES = EnumOf(("UNKNOWN", "PENDING", "LIVE", "MARKED_FOR_DELETION", "DELETED", "ABANDONED", "REFERENCE"))
EXECUTION_STATES = EnumOf(("UNKNOWN", "NEW", "RUNNING", "COMPLETE", "FAILED", "CACHED", "CANCELED"))
EVENT_TYPES = EnumOf(
    (
        "UNKNOWN",
        "DECLARED_OUTPUT",
        "DECLARED_INPUT",
        "INPUT",
        "OUTPUT",
        "INTERNAL_INPUT",
        "INTERNAL_OUTPUT",
        "PENDING_OUTPUT",
    )
)

ARTIFACT = Message(
    "Artifact",
    id=(1, INT64),
    name=(7, STRING),
    type_id=(2, INT64),
    type=(8, STRING),
    uri=(3, STRING),
    properties=(4, MapOf(PROPERTY)),
    custom_properties=(5, MapOf(PROPERTY)),
    state=(6, ARTIFACT_STATES),
    create_time_since_epoch=(9, INT64),
    last_update_time_since_epoch=(10, INT64),
)
EXECUTION = Message(
    "Execution",
    id=(1, INT64),
    name=(6, STRING),
    type_id=(2, INT64),
    type=(7, STRING),
    last_known_state=(3, EXECUTION_STATES),
    properties=(4, MapOf(PROPERTY)),
    custom_properties=(5, MapOf(PROPERTY)),
    create_time_since_epoch=(8, INT64),
    last_update_time_since_epoch=(9, INT64),
)
CONTEXT = Message(
    "Context",
    id=(1, INT64),
    name=(3, STRING),
    type_id=(2, INT64),
    type=(6, STRING),
    properties=(4, MapOf(PROPERTY)),
    custom_properties=(5, MapOf(PROPERTY)),
    create_time_since_epoch=(7, INT64),
    last_update_time_since_epoch=(8, INT64),
)
ARTIFACT_TYPE = Message("ArtifactType", id=(1, INT64), name=(2, STRING), properties=(3, MapOf(PROPERTY_TYPES)))
EXECUTION_TYPE = Message("ExecutionType", id=(1, INT64), name=(2, STRING), properties=(3, MapOf(PROPERTY_TYPES)))
CONTEXT_TYPE = Message("ContextType", id=(1, INT64), name=(2, STRING), properties=(3, MapOf(PROPERTY_TYPES)))

STEP = Message("Step", index=(1, INT64), key=(2, STRING))
EVENT = Message(
    "Event",
    artifact_id=(1, INT64),
    execution_id=(2, INT64),
    path=(3, Message("Path", steps=(1, ListOf(STEP)))),
    type=(4, EVENT_TYPES),
    milliseconds_since_epoch=(5, INT64),
)
ATTRIBUTION = Message("Attribution", artifact_id=(1, INT64), context_id=(2, INT64))
ASSOCIATION = Message("Association", execution_id=(1, INT64), context_id=(2, INT64))
PARENT_CONTEXT = Message("ParentContext", child_id=(1, INT64), parent_id=(2, INT64))
LINEAGE_GRAPH = Message(
    "LineageGraph",
    artifact_types=(1, ListOf(ARTIFACT_TYPE)),
    execution_types=(2, ListOf(EXECUTION_TYPE)),
    context_types=(3, ListOf(CONTEXT_TYPE)),
    artifacts=(4, ListOf(ARTIFACT)),
    executions=(5, ListOf(EXECUTION)),
    contexts=(6, ListOf(CONTEXT)),
    events=(7, ListOf(EVENT)),
    attributions=(8, ListOf(ATTRIBUTION)),
    associations=(9, ListOf(ASSOCIATION)),
    parent_contexts=(10, ListOf(PARENT_CONTEXT)),
)

ORDER_FIELDS = EnumOf(("FIELD_UNSPECIFIED", "CREATE_TIME", "LAST_UPDATE_TIME", "ID"))
LIST_OPTIONS = Message(
    "options",
    max_result_size=(1, INT64),
    order_by_field=(2, Message("order_by_field", field=(1, ORDER_FIELDS), is_asc=(2, BOOL))),
    next_page_token=(3, STRING),
    filter_query=(4, STRING),
)
STARTING_NODES = Message("StartingNodes", filter_query=(1, STRING))
ENDING_NODES = Message("EndingNodes", filter_query=(1, STRING), include_ending_nodes=(2, BOOL))
DIRECTIONS = EnumOf(("DIRECTION_UNSPECIFIED", "UPSTREAM", "DOWNSTREAM", "BIDIRECTIONAL"))
LINEAGE_OPTIONS = Message(
    "lineage_subgraph_query_options",
    starting_artifacts=(1, STARTING_NODES),
    starting_executions=(2, STARTING_NODES),
    max_num_hops=(3, INT64),
    direction=(4, DIRECTIONS),
    ending_artifacts=(5, ENDING_NODES),
    ending_executions=(6, ENDING_NODES),
)
FIELD_MASK = Message("read_mask", paths=(1, ListOf(STRING)))
