"""PipelineSpec, schema 2.1.0, as typed structs: the fields that Windlass reads. Unknown fields are ignored.

The names on the wire are those of protobuf's JSON form. `tests/apps/pipelines/ir/test_spec.py` compares these structs
with the published message descriptors.
"""

from typing import Any

from msgspec import UNSET, UnsetType

from windlass.kube.json import is_object
from windlass.kube.meta import Struct

CREATE_CLAIM_IMAGE = "argostub/createpvc"
DELETE_CLAIM_IMAGE = "argostub/deletepvc"
"""Images that stand for an operation on a claim: no container runs."""


class ArtifactTypeSchema(Struct):
    schema_title: str = ""
    schema_uri: str = ""
    instance_schema: str = ""
    schema_version: str = ""

    @property
    def title(self) -> str:
        return self.schema_title or "system.Artifact"

    @property
    def version(self) -> str:
        return self.schema_version or "0.0.1"


class ParameterDefinition(Struct):
    """An input or output parameter of a component."""

    parameter_type: str = ""
    default_value: Any = UNSET
    is_optional: bool = False
    description: str = ""
    literals: list[Any] = []

    @property
    def has_default(self) -> bool:
        return self.default_value is not UNSET

    @property
    def default(self) -> Any:
        """The default value, or None without one."""
        return self.default_value if self.has_default else None

    @property
    def may_be_missing(self) -> bool:
        return self.is_optional or self.has_default


class ArtifactDefinition(Struct):
    """An input or output artifact of a component."""

    artifact_type: ArtifactTypeSchema = ArtifactTypeSchema()
    is_artifact_list: bool = False
    is_optional: bool = False
    metadata: dict[str, Any] = {}
    description: str = ""


class Definitions(Struct):
    parameters: dict[str, ParameterDefinition] = {}
    artifacts: dict[str, ArtifactDefinition] = {}


class TaskOutputParameter(Struct):
    producer_task: str = ""
    output_parameter_key: str = ""


class TaskOutputArtifact(Struct):
    producer_task: str = ""
    output_artifact_key: str = ""


class TaskFinalStatus(Struct):
    producer_task: str = ""


class RuntimeValue(Struct):
    """A constant, or the name of an input parameter (importers only)."""

    constant: Any = UNSET
    constant_value: Any = UNSET
    """The form of schema 2.0, `{"stringValue": …}`, which some tools still write."""
    runtime_parameter: str = ""

    @property
    def value(self) -> Any:
        if self.constant is not UNSET:
            return self.constant
        return next(iter(self.constant_value.values()), None) if is_object(self.constant_value) else None


class InputParameter(Struct):
    """Where the value of a task's input parameter comes from."""

    task_output_parameter: TaskOutputParameter | None = None
    runtime_value: RuntimeValue | None = None
    component_input_parameter: str | None = None
    task_final_status: TaskFinalStatus | None = None
    parameter_expression_selector: str = ""

    @property
    def producer(self) -> str:
        """The task in the same DAG that is read; empty if none is."""
        source = self.task_output_parameter or self.task_final_status
        return source.producer_task if source else ""


class InputArtifact(Struct):
    task_output_artifact: TaskOutputArtifact | None = None
    component_input_artifact: str | None = None


class TaskInputs(Struct):
    parameters: dict[str, InputParameter] = {}
    artifacts: dict[str, InputArtifact] = {}


class CachingOptions(Struct):
    enable_cache: bool = False
    cache_key: str = ""


class TriggerPolicy(Struct):
    condition: str = ""
    strategy: str = ""


class RetryPolicy(Struct):
    max_retry_count: int = 0
    backoff_duration: str = ""
    backoff_factor: float = 0.0
    backoff_max_duration: str = ""


class IteratorPolicy(Struct):
    parallelism_limit: int = 0


class ParameterItems(Struct):
    raw: str | None = None
    input_parameter: str | None = None


class ParameterIterator(Struct):
    items: ParameterItems = ParameterItems()
    item_input: str = ""


class ArtifactItems(Struct):
    input_artifact: str = ""


class ArtifactIterator(Struct):
    items: ArtifactItems = ArtifactItems()
    item_input: str = ""


class Named(Struct):
    name: str = ""


class TaskSpec(Struct):
    """One task of a DAG."""

    task_info: Named = Named()
    inputs: TaskInputs = TaskInputs()
    dependent_tasks: list[str] = []
    caching_options: CachingOptions = CachingOptions()
    component_ref: Named = Named()
    trigger_policy: TriggerPolicy = TriggerPolicy()
    artifact_iterator: ArtifactIterator | None = None
    parameter_iterator: ParameterIterator | None = None
    retry_policy: RetryPolicy = RetryPolicy()
    iterator_policy: IteratorPolicy = IteratorPolicy()

    @property
    def is_loop(self) -> bool:
        return self.parameter_iterator is not None or self.artifact_iterator is not None

    @property
    def item_input(self) -> str:
        iterator = self.parameter_iterator or self.artifact_iterator
        return iterator.item_input if iterator else ""

    @property
    def runs_after_failure(self) -> bool:
        """Whether the task starts once the tasks before it are final, in whatever state."""
        return self.trigger_policy.strategy == "ALL_UPSTREAM_TASKS_COMPLETED"


class ParameterSelector(Struct):
    producer_subtask: str = ""
    output_parameter_key: str = ""


class ParameterSelectors(Struct):
    parameter_selectors: list[ParameterSelector] = []


class DagOutputParameter(Struct):
    value_from_parameter: ParameterSelector | None = None
    value_from_oneof: ParameterSelectors | None = None

    @property
    def selectors(self) -> list[ParameterSelector]:
        if self.value_from_oneof is not None:
            return self.value_from_oneof.parameter_selectors
        return [self.value_from_parameter] if self.value_from_parameter else []


class ArtifactSelector(Struct):
    producer_subtask: str = ""
    output_artifact_key: str = ""


class DagOutputArtifact(Struct):
    artifact_selectors: list[ArtifactSelector] = []


class DagOutputs(Struct):
    artifacts: dict[str, DagOutputArtifact] = {}
    parameters: dict[str, DagOutputParameter] = {}


class Dag(Struct):
    tasks: dict[str, TaskSpec] = {}
    outputs: DagOutputs = DagOutputs()


class Component(Struct):
    input_definitions: Definitions = Definitions()
    output_definitions: Definitions = Definitions()
    dag: Dag | None = None
    executor_label: str = ""


class Importer(Struct):
    artifact_uri: RuntimeValue = RuntimeValue()
    type_schema: ArtifactTypeSchema = ArtifactTypeSchema()
    reimport: bool = False
    metadata: dict[str, Any] = {}
    download_to_workspace: bool = False


class Container(Struct):
    """The fields that decide what the task is; `windlass.apps.pipelines.executor` reads the whole specification."""

    image: str = ""
    command: list[Any] = []
    args: list[Any] = []


class Executor(Struct):
    container: Container | None = None
    importer: Importer | None = None
    resolver: dict[str, Any] | UnsetType = UNSET
    custom_job: dict[str, Any] | UnsetType = UNSET


class Deployment(Struct):
    executors: dict[str, Executor] = {}


class PipelineInfo(Struct):
    name: str = ""
    display_name: str = ""
    description: str = ""


class PipelineSpec(Struct):
    pipeline_info: PipelineInfo = PipelineInfo()
    deployment_spec: Deployment = Deployment()
    sdk_version: str = ""
    schema_version: str = ""
    components: dict[str, Component] = {}
    root: Component = Component()
    default_pipeline_root: str = ""
