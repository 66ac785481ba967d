"""Records of the history as nodes of the metadata store: artifacts, executions, contexts and events. Pure."""

from typing import Any, TypeAlias

from windlass.apps.pipelines.model import Artifact, Run, Task, TaskState, TaskType
from windlass.apps.pipelines.rows.metadata.node_queries import (
    CONTAINER_EXECUTION,
    DAG_EXECUTION,
    IMPORTER_EXECUTION,
    LIVE,
    NEW,
    PIPELINE_CONTEXT,
    RUN_CONTEXT,
    Link,
    PipelineSpan,
)
from windlass.apps.pipelines.rows.numbers import BITS, digest_number, number_of
from windlass.apps.pipelines.wire.metadata.node_types import type_id
from windlass.apps.pipelines.wire.metadata.node_values import integer, metadata_value, struct, text
from windlass.kube.json import Object, dig_object

Node: TypeAlias = Artifact | Task | Run | PipelineSpan
PIPELINE_NUMBERS = 1 << BITS
"""Added to the numbers of pipelines, so that they differ from those of runs, which are contexts too."""
RUN_NAME = "run/"
"""Before the id of a run: the name of the execution that is its root."""


def pipeline_number(name: str) -> int:
    return PIPELINE_NUMBERS + digest_number(name)


def number(node: Node) -> int:
    """The id of a node in the store; contexts, executions and artifacts have ids of their own."""
    match node:
        case Artifact():
            return number_of(node.artifact_id)
        case Task():
            return number_of(node.task_id)
        case Run():
            return number_of(node.run_id)
        case PipelineSpan():
            return pipeline_number(node.name)


def updated_at(node: Node) -> float:
    """When a node was last changed, as far as the history knows."""
    match node:
        case Artifact():
            return node.created_at
        case Task():
            return node.finished_at or node.started_at or node.created_at
        case Run():
            return node.finished_at or node.created_at
        case PipelineSpan():
            return node.updated_at


def milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def shown_artifact(artifact: Artifact) -> Object:
    metadata = {name: metadata_value(value) for name, value in artifact.metadata.items()}
    known = {name: value for name, value in metadata.items() if value is not None}
    return {
        "id": number(artifact),
        "name": artifact.artifact_id,
        "type_id": type_id(artifact.type),
        "type": artifact.type,
        "uri": artifact.uri,
        "custom_properties": {"display_name": text(artifact.name), "namespace": text(artifact.namespace), **known},
        "state": LIVE,
        **_times(artifact),
    }


def execution_type(task: Task) -> str:
    return {TaskType.RUNTIME: CONTAINER_EXECUTION, TaskType.IMPORTER: IMPORTER_EXECUTION}.get(task.type, DAG_EXECUTION)


def shown_execution(task: Task, run: Run, children: int) -> Object:
    """`children`: how many tasks are directly in a DAG."""
    type = execution_type(task)
    return {
        "id": number(task),
        "name": f"{RUN_NAME}{task.run_id}" if task.type is TaskType.ROOT else task.task_id,
        "type_id": type_id(type),
        "type": type,
        "last_known_state": NEW if task.state is TaskState.PENDING else task.state.value,
        "custom_properties": _execution_properties(task, run, children),
        **_times(task),
    }


def _execution_properties(task: Task, run: Run, children: int) -> Object:
    """What Kubeflow's driver and launcher write; values that are not known yet are left out."""
    component = component_at(run, task.path)
    is_dag = execution_type(task) == DAG_EXECUTION
    numbers = {
        "parent_dag_id": number_of(task.parent_id) if task.parent_id else None,
        "iteration_index": task.iteration if task.iteration >= 0 else None,
        "iteration_count": task.iteration_count if task.iteration_count >= 0 else None,
        "total_dag_tasks": children if is_dag else None,
    }
    texts = {
        "display_name": task.display_name or task.name,
        "task_name": task.name if task.type is not TaskType.ROOT else "",
        "namespace": run.namespace,
        "pod_name": task.pod_name,
        "pod_uid": task.pod_uid,
        "image": image_of(run, component),
        "cache_fingerprint": task.fingerprint,
        "cached_execution_id": str(number_of(task.cached_task_id)) if task.cached_task_id else "",
    }
    outputs = dig_object(component, "dag", "outputs") if is_dag else {}
    structs: dict[str, Any] = {
        "inputs": task.inputs.parameters,
        "outputs": task.outputs.parameters,
        "parameter_producer_task": dig_object(outputs, "parameters"),
        "artifact_producer_task": dig_object(outputs, "artifacts"),
    }
    return {
        **{name: text(value) for name, value in texts.items() if value},
        **{name: integer(value) for name, value in numbers.items() if value is not None},
        **{name: struct(value) for name, value in structs.items() if value},
    }


def component_at(run: Run, path: str) -> Object:
    """The component of the specification that a task runs; empty for tasks of v1 runs."""
    component = {} if run.is_argo else dig_object(run.spec, "root")
    for part in path.split(".")[1:]:
        tasks = dig_object(component, "dag", "tasks")
        if part.isdecimal() and part not in tasks:  # an iteration of a loop, which runs the loop's component
            continue
        reference = dig_object(tasks, part, "componentRef")
        component = dig_object(run.spec, "components", str(reference.get("name", "")))
    return component


def image_of(run: Run, component: Object) -> str:
    label = str(component.get("executorLabel", ""))
    return str(dig_object(run.spec, "deploymentSpec", "executors", label, "container").get("image", ""))


def shown_run(run: Run) -> Object:
    properties = {
        "namespace": run.namespace,
        "resource_name": run.resource_name,
        "pipeline_root": run.pipeline_root,
        "display_name": run.display_name,
    }
    return {
        "id": number(run),
        "name": run.run_id,
        "type_id": type_id(RUN_CONTEXT),
        "type": RUN_CONTEXT,
        "custom_properties": {name: text(value) for name, value in properties.items() if value},
        **_times(run),
    }


def shown_pipeline(pipeline: PipelineSpan) -> Object:
    return {
        "id": number(pipeline),
        "name": pipeline.name,
        "type_id": type_id(PIPELINE_CONTEXT),
        "type": PIPELINE_CONTEXT,
        **_times(pipeline),
    }


def shown_event(link: Link) -> Object:
    return {
        "artifact_id": number_of(link.artifact_id),
        "execution_id": number_of(link.task_id),
        "path": {"steps": [{"key": link.key}]},
        "type": "OUTPUT" if link.is_output else "INPUT",
        "milliseconds_since_epoch": milliseconds(link.at),
    }


def _times(node: Node) -> Object:
    return {
        "create_time_since_epoch": milliseconds(node.created_at),
        "last_update_time_since_epoch": milliseconds(updated_at(node)),
    }
