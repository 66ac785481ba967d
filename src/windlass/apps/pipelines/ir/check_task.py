"""Problems of one task of a DAG."""

import re
from collections.abc import Iterator
from typing import Any

from windlass.apps.pipelines.ir.durations import seconds
from windlass.apps.pipelines.ir.expressions import ExpressionError, check_condition, check_selector
from windlass.apps.pipelines.ir.spec import (
    Component,
    InputArtifact,
    InputParameter,
    ParameterDefinition,
    PipelineSpec,
    TaskSpec,
)
from windlass.apps.pipelines.ir.types import is_literal, mismatch_in_pipeline
from windlass.kube.json import BadJson, is_list, parse

STRATEGIES = frozenset(
    {"", "TRIGGER_STRATEGY_UNSPECIFIED", "ALL_UPSTREAM_TASKS_SUCCEEDED", "ALL_UPSTREAM_TASKS_COMPLETED"}
)
_KEY = re.compile(r"[A-Za-z0-9_][-A-Za-z0-9_]*", re.ASCII)
"""No dots: they separate the parts of a task's path."""


def task_problems(key: str, task: TaskSpec, parent: Component, spec: PipelineSpec) -> Iterator[str]:
    """What is wrong with a task of the DAG of `parent`; each problem begins with the field."""
    if not _KEY.fullmatch(key):
        yield "name: must be letters, digits, '-' and '_'"
    component = spec.components.get(task.component_ref.name)
    if component is None:
        yield f"componentRef.name: there is no component {task.component_ref.name!r}"
    siblings = parent.dag.tasks if parent.dag is not None else {}
    for other in task.dependent_tasks:
        if other not in siblings:
            yield f"dependentTasks: there is no task {other!r}"
    for name, parameter in task.inputs.parameters.items():
        declared = component.input_definitions.parameters.get(name) if component is not None else None
        for problem in _parameter_problems(parameter, declared, parent, spec, is_items=name == _items_input(task)):
            yield f"inputs.parameters.{name}.{problem}"
    for name, artifact in task.inputs.artifacts.items():
        for problem in _artifact_problems(artifact, parent, spec):
            yield f"inputs.artifacts.{name}.{problem}"
    yield from _policy_problems(task)
    yield from _iterator_problems(task, component)


def declared_outputs(component: Component, kind: str) -> set[str]:
    """Names of the outputs that a component declares; `kind` is `parameters` or `artifacts`."""
    names = set(getattr(component.output_definitions, kind))
    return names | set(getattr(component.dag.outputs, kind)) if component.dag is not None else names


def _items_input(task: TaskSpec) -> str:
    """The input over whose items the task iterates; empty without one."""
    return task.parameter_iterator.items.input_parameter or "" if task.parameter_iterator is not None else ""


def _parameter_problems(
    parameter: InputParameter,
    declared: ParameterDefinition | None,
    parent: Component,
    spec: PipelineSpec,
    *,
    is_items: bool,
) -> Iterator[str]:
    if (output := parameter.task_output_parameter) is not None:
        yield from _output_problems(
            "taskOutputParameter", output.producer_task, "parameters", output.output_parameter_key, parent, spec
        )
    elif (status := parameter.task_final_status) is not None:
        if parent.dag is None or status.producer_task not in parent.dag.tasks:
            yield f"taskFinalStatus.producerTask: there is no task {status.producer_task!r}"
    elif (source := parameter.component_input_parameter) is not None:
        if source not in parent.input_definitions.parameters:
            yield f"componentInputParameter: the component has no input {source!r}"
    elif (value := parameter.runtime_value) is None:
        yield "runtimeValue: one source of the value is required"
    elif value.runtime_parameter:
        yield "runtimeValue.runtimeParameter: is not supported"
    elif declared is not None and not _is_computed(parameter, value.value):
        # Items may also be given as the text of a list.
        if not is_items and (problem := mismatch_in_pipeline(value.value, declared.parameter_type)):
            yield f"runtimeValue.constant: {problem}"
        elif declared.literals and value.value is not None and not is_literal(value.value, declared.literals):
            yield f"runtimeValue.constant: {value.value!r} is not one of the literals of the input"
    if parameter.parameter_expression_selector:
        try:
            check_selector(parameter.parameter_expression_selector)
        except ExpressionError as error:
            yield f"parameterExpressionSelector: {error}"


def _is_computed(parameter: InputParameter, constant: Any) -> bool:
    """Whether the value is made of the constant by a selector or by inputs in its text."""
    return bool(parameter.parameter_expression_selector) or (isinstance(constant, str) and "{{$" in constant)


def _artifact_problems(artifact: InputArtifact, parent: Component, spec: PipelineSpec) -> Iterator[str]:
    if (output := artifact.task_output_artifact) is not None:
        yield from _output_problems(
            "taskOutputArtifact", output.producer_task, "artifacts", output.output_artifact_key, parent, spec
        )
    elif (source := artifact.component_input_artifact) is not None:
        if source not in parent.input_definitions.artifacts:
            yield f"componentInputArtifact: the component has no input {source!r}"
    else:
        yield "taskOutputArtifact: one source of the artifact is required"


def _output_problems(
    field: str, producer: str, kind: str, key: str, parent: Component, spec: PipelineSpec
) -> Iterator[str]:
    if parent.dag is None or producer not in parent.dag.tasks:
        yield f"{field}.producerTask: there is no task {producer!r}"
        return
    component = spec.components.get(parent.dag.tasks[producer].component_ref.name)
    if component is not None and key not in declared_outputs(component, kind):
        yield f"{field}: task {producer!r} has no output {key!r}"


def _policy_problems(task: TaskSpec) -> Iterator[str]:
    if task.trigger_policy.strategy not in STRATEGIES:
        yield f"triggerPolicy.strategy: {task.trigger_policy.strategy!r} is not supported"
    if task.trigger_policy.condition:
        try:
            check_condition(task.trigger_policy.condition)
        except ExpressionError as error:
            yield f"triggerPolicy.condition: {error}"
    retry = task.retry_policy
    for field, text in (
        ("backoffDuration", retry.backoff_duration),
        ("backoffMaxDuration", retry.backoff_max_duration),
    ):
        try:
            seconds(text)
        except ValueError as error:
            yield f"retryPolicy.{field}: {error}"
    if retry.max_retry_count < 0:
        yield "retryPolicy.maxRetryCount: must not be negative"
    if retry.backoff_factor < 0:
        yield "retryPolicy.backoffFactor: must not be negative"
    if task.iterator_policy.parallelism_limit < 0:
        yield "iteratorPolicy.parallelismLimit: must not be negative"


def _iterator_problems(task: TaskSpec, component: Component | None) -> Iterator[str]:
    if not task.is_loop:
        return
    if task.parameter_iterator is not None and task.artifact_iterator is not None:
        yield "artifactIterator: a task has at most one iterator"
    field = "parameterIterator" if task.parameter_iterator is not None else "artifactIterator"
    if not task.item_input:
        yield f"{field}.itemInput: is required"
    if (iterator := task.parameter_iterator) is not None:
        if iterator.items.raw is not None:
            yield from _raw_items_problems(iterator.items.raw)
        elif not iterator.items.input_parameter:
            yield "parameterIterator.items: raw or inputParameter is required"
        elif not _has_input(task, component, iterator.items.input_parameter, "parameters"):
            yield f"parameterIterator.items.inputParameter: there is no input {iterator.items.input_parameter!r}"
    elif task.artifact_iterator is not None:
        source = task.artifact_iterator.items.input_artifact
        if not _has_input(task, component, source, "artifacts"):
            yield f"artifactIterator.items.inputArtifact: there is no input {source!r}"


def _has_input(task: TaskSpec, component: Component | None, name: str, kind: str) -> bool:
    if name in getattr(task.inputs, kind):
        return True
    return component is not None and name in getattr(component.input_definitions, kind)


def _raw_items_problems(raw: str) -> Iterator[str]:
    try:
        if not is_list(parse(raw)):
            yield "parameterIterator.items.raw: must be a JSON array"
    except BadJson:
        yield "parameterIterator.items.raw: is not JSON"
