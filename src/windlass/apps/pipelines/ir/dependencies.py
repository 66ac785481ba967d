"""Which tasks of a DAG wait for which: by `dependentTasks`, by their inputs, and by their platform configuration."""

from collections.abc import Iterator, Mapping
from typing import Any

from windlass.apps.pipelines.ir.spec import Dag, PipelineSpec, TaskSpec
from windlass.kube.json import Object, dig, dig_object, is_list, is_object


def platform_config(platform_spec: Object, executor_label: str) -> Object:
    """The KubernetesExecutorConfig of an executor; empty without one."""
    return dig_object(platform_spec, "platforms", "kubernetes", "deploymentSpec", "executors", executor_label)


def pipeline_config(platform_spec: Object) -> Object:
    return dig_object(platform_spec, "platforms", "kubernetes", "pipelineConfig")


def dependencies(dag: Dag, spec: PipelineSpec, platform_spec: Object) -> dict[str, set[str]]:
    """For each task of the DAG the tasks that must be final before it. Names that the DAG does not have are included,
    except those of the platform document, which may be shared by tasks of several DAGs."""
    waits: dict[str, set[str]] = {}
    for name, task in dag.tasks.items():
        component = spec.components.get(task.component_ref.name)
        config = platform_config(platform_spec, component.executor_label) if component else {}
        platform = {producer for producer in _producers_in(config) if producer in dag.tasks and producer != name}
        waits[name] = {*task.dependent_tasks, *producers(task), *platform}
    return waits


def producers(task: TaskSpec) -> Iterator[str]:
    """Names of the tasks that a task reads."""
    for parameter in task.inputs.parameters.values():
        if parameter.producer:
            yield parameter.producer
    for artifact in task.inputs.artifacts.values():
        if artifact.task_output_artifact is not None:
            yield artifact.task_output_artifact.producer_task


def cycle(waits: Mapping[str, set[str]]) -> list[str]:
    """Names that wait for each other in a circle; empty if there are none."""
    left = {name: {other for other in others if other in waits} for name, others in waits.items()}
    readers: dict[str, list[str]] = {}
    for name, others in left.items():
        for other in others:
            readers.setdefault(other, []).append(name)
    free = [name for name, others in left.items() if not others]
    while free:
        name = free.pop()
        del left[name]
        for reader in readers.get(name, []):
            left[reader].discard(name)
            if not left[reader]:
                free.append(reader)
    if not left:
        return []
    # Every name that is left waits for another such name: following these leads into a circle.
    path = [min(left)]
    while (following := min(left[path[-1]])) not in path:
        path.append(following)
    return path[path.index(following) :]


def _producers_in(value: Any) -> Iterator[str]:
    if is_object(value):
        producer = dig(value, "taskOutputParameter", "producerTask")
        if isinstance(producer, str) and producer:
            yield producer
        for item in value.values():
            yield from _producers_in(item)
    elif is_list(value):
        for item in value:
            yield from _producers_in(item)
