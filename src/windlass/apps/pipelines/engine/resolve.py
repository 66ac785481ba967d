"""Resolves the inputs of a task: from the inputs of its DAG, from tasks beside it, and from constants."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass.apps.pipelines.engine.nodes import Node
from windlass.apps.pipelines.executor.placeholders import Scope, job_names, resolve_constant
from windlass.apps.pipelines.executor.values import check_literals, normalized, typed
from windlass.apps.pipelines.ir.expressions import select
from windlass.apps.pipelines.ir.spec import InputArtifact, InputParameter, ParameterDefinition
from windlass.apps.pipelines.ir.types import TASK_CONFIG
from windlass.apps.pipelines.model import Run, TaskState, Values
from windlass.kube.json import Object


@dataclass(frozen=True)
class Resolver:
    """All methods raise ValueError with the input and the reason."""

    run: Run
    pipeline_root: str

    def root_inputs(self, root: Node) -> Values:
        """The parameters of the run, with the pipeline's defaults; an optional one without a value is null."""
        values = {name: value for name, value in self.run.parameters.items() if value is not None}
        return Values(parameters=_completed(values, root.definition.component.input_definitions.parameters))

    def inputs(self, node: Node) -> Values:
        """The inputs of a task of a DAG, typed.

        Of a DAG or a loop every declared parameter has a value: given, default, or null. Of other tasks a missing one
        is left out, and the component's defaults are not applied.
        """
        declared = node.definition.component.input_definitions.parameters
        values = self._parameters(node)
        iterator = node.spec.parameter_iterator
        items = iterator.items.input_parameter if iterator is not None else None
        for name, value in values.items():
            if name in declared and name != items:  # the items may also be the text of a list
                with_place = _placed(f"input {name}")
                values[name] = with_place(lambda name=name, value=value: _checked(name, value, declared[name]))
        self._check_required(node, values)
        return Values(
            parameters=values if node.is_leaf else _completed(values, declared, node.spec.item_input),
            artifacts=self._artifacts(node),
        )

    def platform_value(self, node: Node, spec: Object) -> Any:
        """The value of an input-parameter spec of the platform document, in the DAG of the task; None if missing."""
        try:
            parameter = msgspec.convert(spec, InputParameter, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(f"not an input parameter: {error}") from error
        value = self._parameter(node, parameter)
        if parameter.runtime_value:
            value = self._constant(node, value, node.task.inputs.parameters)
        return normalized(value)  # a weight of 1.0, as protobuf writes it, would not be an integer in a manifest

    def constant(self, node: Node, value: Any) -> Any:
        """A constant of the component, with its placeholders replaced by the task's inputs."""
        declared = node.definition.component.input_definitions.parameters
        return self._constant(node, value, _completed(node.task.inputs.parameters, declared))

    def _parameters(self, node: Node) -> dict[str, Any]:
        specs = node.spec.inputs.parameters
        values: dict[str, Any] = {}
        for name, spec in specs.items():
            values[name] = _placed(f"input {name}")(lambda spec=spec: self._parameter(node, spec))
        # Constants may refer to the other inputs of the same task.
        constants = {
            name: self._constant(node, values[name], values) for name, spec in specs.items() if spec.runtime_value
        }
        return {name: normalized(value) for name, value in (values | constants).items() if value is not None}

    def _parameter(self, node: Node, spec: InputParameter) -> Any:
        value = self._source(node, spec)
        if value is not None and spec.parameter_expression_selector:
            return select(spec.parameter_expression_selector, normalized(value))
        return value

    def _source(self, node: Node, spec: InputParameter) -> Any:
        if spec.component_input_parameter is not None:
            return _dag_input(node, lambda inputs: inputs.parameters, spec.component_input_parameter)
        if (output := spec.task_output_parameter) is not None:
            return _sibling(node, output.producer_task).task.outputs.parameters.get(output.output_parameter_key)
        if (status := spec.task_final_status) is not None:
            return self._final_status(_sibling(node, status.producer_task))
        if spec.runtime_value is not None:
            return spec.runtime_value.value
        raise ValueError("there is no source of the value")

    def _final_status(self, producer: Node) -> Object:
        error = producer.task.error if producer.state is TaskState.FAILED else None
        return {
            "state": str(producer.state),
            "pipelineJobResourceName": self.run.resource_name,
            "pipelineTaskName": producer.task.name,
            "error": {"code": error.code, "message": error.message} if error is not None else {},
        }

    def _constant(self, node: Node, value: Any, parameters: dict[str, Any]) -> Any:
        names = job_names(self.run, node.task, self.pipeline_root)
        return resolve_constant(value, Scope(names=names, parameters=parameters))

    def _artifacts(self, node: Node) -> dict[str, list[str]]:
        declared = node.definition.component.input_definitions.artifacts
        artifacts: dict[str, list[str]] = {}
        for name, spec in node.spec.inputs.artifacts.items():
            ids = _placed(f"input artifact {name}")(lambda spec=spec: _artifact_ids(node, spec))
            if ids is not None:
                artifacts[name] = ids
            elif name in declared and not declared[name].is_optional:
                raise ValueError(f"input artifact {name}: {_missing(spec)}")
        for name, definition in declared.items():
            if name not in node.spec.inputs.artifacts and not definition.is_optional and name != node.spec.item_input:
                raise ValueError(f"input artifact {name} is required and has no value")
        return artifacts

    def _check_required(self, node: Node, values: dict[str, Any]) -> None:
        for name, definition in node.definition.component.input_definitions.parameters.items():
            is_injected = name == node.spec.item_input or definition.parameter_type == TASK_CONFIG
            if name not in values and not definition.may_be_missing and not is_injected:
                spec = node.spec.inputs.parameters.get(name)
                reason = _missing(spec) if spec is not None else "it is required and has no value"
                raise ValueError(f"input {name}: {reason}")


def _placed(place: str) -> Callable[[Callable[[], Any]], Any]:
    """Calls a function, and puts the place before the text of its ValueError."""

    def call(function: Callable[[], Any]) -> Any:
        try:
            return function()
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from error

    return call


def _checked(name: str, value: Any, definition: ParameterDefinition) -> Any:
    checked = typed(name, value, definition.parameter_type)
    check_literals(name, checked, {"literals": definition.literals})
    return checked


def _completed(
    values: dict[str, Any], declared: dict[str, ParameterDefinition], item_input: str = ""
) -> dict[str, Any]:
    """The values with defaults, and null for the declared parameters that have none."""
    missing = {
        name: normalized(definition.default)
        for name, definition in declared.items()
        if values.get(name) is None and name != item_input
    }
    return values | missing


def _dag_input(node: Node, kind: Callable[[Values], dict[str, Any]], name: str) -> Any:
    """An input of the DAG that the task is in. An iteration has its item; its loop has the other inputs."""
    scope = node.parent
    if scope is None or (
        name not in scope.definition.component.input_definitions.parameters
        and name not in scope.definition.component.input_definitions.artifacts
    ):
        raise ValueError(f"the DAG has no input {name}")
    value = kind(scope.task.inputs).get(name)
    if value is None and scope.is_iteration and scope.parent is not None:
        value = kind(scope.parent.task.inputs).get(name)
    return value


def _sibling(node: Node, name: str) -> Node:
    sibling = node.parent.children.get(name) if node.parent is not None else None
    if sibling is None:
        raise ValueError(f"there is no task {name}")
    return sibling


def _artifact_ids(node: Node, spec: InputArtifact) -> list[str] | None:
    if spec.component_input_artifact is not None:
        return _dag_input(node, lambda inputs: inputs.artifacts, spec.component_input_artifact)
    output = spec.task_output_artifact
    if output is None:
        return None
    return _sibling(node, output.producer_task).task.outputs.artifacts.get(output.output_artifact_key)


def _missing(spec: InputParameter | InputArtifact) -> str:
    match spec:
        case InputParameter(task_output_parameter=output) if output is not None:
            return f"task {output.producer_task} has no output {output.output_parameter_key}"
        case InputArtifact(task_output_artifact=output) if output is not None:
            return f"task {output.producer_task} has no output {output.output_artifact_key}"
        case InputParameter(component_input_parameter=name) | InputArtifact(component_input_artifact=name) if name:
            return f"the input {name} of its DAG has no value"
        case _:
            return "it has no value"
