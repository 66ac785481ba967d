"""Every field of the published specification has a place in our structs, or is ignored on purpose."""

import msgspec
import pytest

from tests.apps.pipelines.ir.descriptors import pipeline_spec_messages
from windlass.apps.pipelines.ir import spec

STRUCTS: dict[str, type[msgspec.Struct]] = {
    "PipelineSpec": spec.PipelineSpec,
    "PipelineInfo": spec.PipelineInfo,
    "PipelineTaskInfo": spec.Named,
    "ComponentRef": spec.Named,
    "ComponentSpec": spec.Component,
    "ComponentInputsSpec": spec.Definitions,
    "ComponentOutputsSpec": spec.Definitions,
    "ComponentInputsSpec.ParameterSpec": spec.ParameterDefinition,
    "ComponentOutputsSpec.ParameterSpec": spec.ParameterDefinition,
    "ComponentInputsSpec.ArtifactSpec": spec.ArtifactDefinition,
    "ComponentOutputsSpec.ArtifactSpec": spec.ArtifactDefinition,
    "ArtifactTypeSchema": spec.ArtifactTypeSchema,
    "DagSpec": spec.Dag,
    "DagOutputsSpec": spec.DagOutputs,
    "DagOutputsSpec.DagOutputParameterSpec": spec.DagOutputParameter,
    "DagOutputsSpec.DagOutputArtifactSpec": spec.DagOutputArtifact,
    "DagOutputsSpec.ParameterSelectorSpec": spec.ParameterSelector,
    "DagOutputsSpec.ParameterSelectorsSpec": spec.ParameterSelectors,
    "DagOutputsSpec.ArtifactSelectorSpec": spec.ArtifactSelector,
    "PipelineTaskSpec": spec.TaskSpec,
    "PipelineTaskSpec.CachingOptions": spec.CachingOptions,
    "PipelineTaskSpec.TriggerPolicy": spec.TriggerPolicy,
    "PipelineTaskSpec.RetryPolicy": spec.RetryPolicy,
    "PipelineTaskSpec.IteratorPolicy": spec.IteratorPolicy,
    "ParameterIteratorSpec": spec.ParameterIterator,
    "ParameterIteratorSpec.ItemsSpec": spec.ParameterItems,
    "ArtifactIteratorSpec": spec.ArtifactIterator,
    "ArtifactIteratorSpec.ItemsSpec": spec.ArtifactItems,
    "TaskInputsSpec": spec.TaskInputs,
    "TaskInputsSpec.InputParameterSpec": spec.InputParameter,
    "TaskInputsSpec.InputParameterSpec.TaskOutputParameterSpec": spec.TaskOutputParameter,
    "TaskInputsSpec.InputParameterSpec.TaskFinalStatus": spec.TaskFinalStatus,
    "TaskInputsSpec.InputArtifactSpec": spec.InputArtifact,
    "TaskInputsSpec.InputArtifactSpec.TaskOutputArtifactSpec": spec.TaskOutputArtifact,
    "ValueOrRuntimeParameter": spec.RuntimeValue,
    "PipelineDeploymentConfig": spec.Deployment,
    "PipelineDeploymentConfig.ExecutorSpec": spec.Executor,
    "PipelineDeploymentConfig.PipelineContainerSpec": spec.Container,
    "PipelineDeploymentConfig.ImporterSpec": spec.Importer,
}

IGNORED_FIELDS = {
    # Deprecated in schema 2.1.0, in favour of parameterType and metadata.
    "ComponentInputsSpec.ParameterSpec": {"type"},
    "ComponentOutputsSpec.ParameterSpec": {"type"},
    "ComponentOutputsSpec.ArtifactSpec": {"properties", "customProperties"},
    "PipelineDeploymentConfig.ImporterSpec": {"properties", "customProperties"},
    # Read by the executor, from the JSON of the component and its container.
    "ComponentSpec": {"singlePlatformSpecs", "taskConfigPassthroughs"},
    "PipelineDeploymentConfig.PipelineContainerSpec": {"lifecycle", "resources", "env"},
}

IGNORED_MESSAGES = {
    "PipelineJob": "a request of another service",
    "PipelineJob.RuntimeConfig": "a request of another service",
    "PipelineSpec.RuntimeParameter": "not reachable from PipelineSpec",
    "DagOutputsSpec.MapParameterSelectorsSpec": "not reachable from PipelineSpec",
    "TaskOutputsSpec": "not reachable from PipelineSpec",
    "TaskOutputsSpec.OutputArtifactSpec": "not reachable from PipelineSpec",
    "TaskOutputsSpec.OutputParameterSpec": "not reachable from PipelineSpec",
    "PrimitiveType": "only holds an enum",
    "ParameterType": "only holds an enum",
    "TaskConfigPassthroughType": "only holds an enum",
    "PipelineStateEnum": "only holds an enum",
    "TaskConfigPassthrough": "read by the executor",
    "PipelineDeploymentConfig.PipelineContainerSpec.Lifecycle": "read by the executor",
    "PipelineDeploymentConfig.PipelineContainerSpec.Lifecycle.Exec": "read by the executor",
    "PipelineDeploymentConfig.PipelineContainerSpec.ResourceSpec": "read by the executor",
    "PipelineDeploymentConfig.PipelineContainerSpec.ResourceSpec.AcceleratorConfig": "read by the executor",
    "PipelineDeploymentConfig.PipelineContainerSpec.EnvVar": "read by the executor",
    "PipelineDeploymentConfig.ResolverSpec": "refused",
    "PipelineDeploymentConfig.ResolverSpec.ArtifactQuerySpec": "refused",
    "PipelineDeploymentConfig.AIPlatformCustomJobSpec": "refused",
    "Value": "the deprecated form of a constant, read as JSON",
    "RuntimeArtifact": "part of the executor's input and output",
    "ArtifactList": "part of the executor's input and output",
    "ExecutorInput": "written by the executor",
    "ExecutorInput.Inputs": "written by the executor",
    "ExecutorInput.OutputParameter": "written by the executor",
    "ExecutorInput.Outputs": "written by the executor",
    "ExecutorOutput": "read by the executor",
    "PipelineTaskFinalStatus": "written by the engine",
    "PlatformSpec": "read by the executor, as JSON",
    "SinglePlatformSpec": "read by the executor, as JSON",
    "PlatformDeploymentConfig": "read by the executor, as JSON",
    "WorkspaceConfig": "read by the executor, as JSON",
    "KubernetesWorkspaceConfig": "read by the executor, as JSON",
    "PipelineConfig": "read by the executor and the manager, as JSON",
}


def wire_names(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def test_every_message_has_a_struct_or_is_ignored_on_purpose() -> None:
    assert set(pipeline_spec_messages()) == STRUCTS.keys() | IGNORED_MESSAGES.keys()


@pytest.mark.parametrize("message", sorted(STRUCTS))
def test_every_field_of_a_message_has_a_place(message: str) -> None:
    fields = pipeline_spec_messages()[message]

    assert fields - wire_names(STRUCTS[message]) == IGNORED_FIELDS.get(message, set())


def test_no_struct_has_a_field_that_the_specification_lacks() -> None:
    published: dict[type[msgspec.Struct], set[str]] = {}
    for message, struct in STRUCTS.items():
        published.setdefault(struct, set()).update(pipeline_spec_messages()[message])

    assert {
        struct: wire_names(struct) - names for struct, names in published.items() if wire_names(struct) - names
    } == {}
