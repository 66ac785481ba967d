"""Refuses a pipeline that could never run, naming the component, the task and the field."""

import re
from collections.abc import Iterator

from windlass.apps.pipelines.ir.check_task import declared_outputs, task_problems
from windlass.apps.pipelines.ir.dependencies import cycle, dependencies, pipeline_config
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.nesting import MAX_NESTING, is_too_deep
from windlass.apps.pipelines.ir.reading import read_spec
from windlass.apps.pipelines.ir.spec import Component, Dag, Executor, ParameterDefinition, PipelineSpec
from windlass.apps.pipelines.ir.types import KINDS, mismatch_in_pipeline
from windlass.kube.json import Object, is_object

SCHEMA_VERSION = "2.1.0"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,127}", re.ASCII)


def check_pipeline(document: Object, platform_spec: Object | None = None) -> PipelineSpec:
    """Read and check a specification and its platform document. Raises InvalidPipeline with every problem."""
    platform = platform_spec or {}
    if is_too_deep(document) or is_too_deep(platform):
        raise InvalidPipeline(f"more than {MAX_NESTING} lists or objects are nested in each other")
    spec = read_spec(document)
    problems = [*_header_problems(spec), *_platform_problems(platform)]
    if spec.root.dag is None:
        problems.append("root: dag is required")
    used = _used_components(spec)
    problems += _recursion_problems(spec, used)
    for name in used:
        problems += [f"{_place(name)}{problem}" for problem in _component_problems(_component(spec, name), spec)]
        if (dag := _component(spec, name).dag) is not None:
            problems += [f"{_place(name)}{problem}" for problem in _dag_problems(name, dag, spec, platform)]
    if problems:
        raise InvalidPipeline("; ".join(problems))
    return spec


def _component(spec: PipelineSpec, name: str) -> Component:
    return spec.components[name] if name else spec.root


def _place(name: str) -> str:
    return f"components.{name}." if name else "root."


def _header_problems(spec: PipelineSpec) -> Iterator[str]:
    if spec.schema_version != SCHEMA_VERSION:
        yield f"schemaVersion: must be {SCHEMA_VERSION}, not {spec.schema_version!r}"
    if not _NAME.fullmatch(spec.pipeline_info.name):
        yield (
            f"pipelineInfo.name: {spec.pipeline_info.name[:140]!r} must be lower-case letters, digits and '-', start "
            "with a letter or digit, and have at most 128 characters"
        )


def _platform_problems(platform: Object) -> Iterator[str]:
    if platform and not is_object(platform.get("platforms")):
        yield "platforms: must be an object"
    deadline = pipeline_config(platform).get("activeDeadlineSeconds", 0)
    if isinstance(deadline, bool) or not isinstance(deadline, int | float) or deadline < 0:
        yield "platforms.kubernetes.pipelineConfig.activeDeadlineSeconds: must be a number of seconds"


def _used_components(spec: PipelineSpec) -> list[str]:
    """Names of the components that the pipeline can reach; the empty name is the root's."""
    used, left = {"": None}, [""]
    while left:
        dag = _component(spec, left.pop()).dag
        for task in dag.tasks.values() if dag is not None else ():
            name = task.component_ref.name
            if name in spec.components and name not in used:
                used[name] = None
                left.append(name)
    return list(used)


def _recursion_problems(spec: PipelineSpec, used: list[str]) -> Iterator[str]:
    inner: dict[str, set[str]] = {}
    for name in used:
        dag = _component(spec, name).dag
        inner[name] = {task.component_ref.name for task in dag.tasks.values()} if dag is not None else set()
    if circle := cycle(inner):
        yield f"components.{circle[0]}: contains itself ({' → '.join([*circle, circle[0]])})"


def _component_problems(component: Component, spec: PipelineSpec) -> Iterator[str]:
    for name, definition in component.input_definitions.parameters.items():
        for problem in _definition_problems(definition):
            yield f"inputDefinitions.parameters.{name}.{problem}"
    for name, definition in component.output_definitions.parameters.items():
        for problem in _definition_problems(definition):
            yield f"outputDefinitions.parameters.{name}.{problem}"
    if component.dag is not None:
        if component.executor_label:
            yield "executorLabel: a component has either dag or executorLabel"
        return
    if not component.executor_label:
        yield "executorLabel: a component needs dag or executorLabel"
    elif component.executor_label not in spec.deployment_spec.executors:
        yield f"executorLabel: deploymentSpec.executors has no {component.executor_label!r}"
    else:
        executor = spec.deployment_spec.executors[component.executor_label]
        for problem in _executor_problems(executor, component):
            yield f"executorLabel: deploymentSpec.executors.{component.executor_label}{problem}"


def _definition_problems(definition: ParameterDefinition) -> Iterator[str]:
    if definition.parameter_type not in KINDS:
        yield f"parameterType: {definition.parameter_type!r} is not supported"
    elif problem := mismatch_in_pipeline(definition.default, definition.parameter_type):
        yield f"defaultValue: {problem}"
    elif definition.literals and definition.default not in (None, *definition.literals):
        yield f"defaultValue: {definition.default!r} is not one of its literals"


def _executor_problems(executor: Executor, component: Component) -> Iterator[str]:
    kinds = {
        "container": executor.container is not None,
        "importer": executor.importer is not None,
        "resolver": is_object(executor.resolver),
        "customJob": is_object(executor.custom_job),
    }
    for kind in ("customJob", "resolver"):
        if kinds[kind]:
            yield f".{kind}: is not supported"
    if sum(kinds.values()) != 1:
        yield ": needs either container or importer"
    elif executor.container is not None and not executor.container.image:
        yield ".container.image: is required"
    elif executor.importer is not None:
        if not executor.importer.artifact_uri.value and not executor.importer.artifact_uri.runtime_parameter:
            yield ".importer.artifactUri: is required"
        if len(component.output_definitions.artifacts) != 1:
            yield ".importer: its component needs exactly one output artifact"


def _dag_problems(name: str, dag: Dag, spec: PipelineSpec, platform: Object) -> Iterator[str]:
    component = _component(spec, name)
    for key, task in dag.tasks.items():
        for problem in task_problems(key, task, component, spec):
            yield f"dag.tasks.{key}.{problem}"
    if circle := cycle(dependencies(dag, spec, platform)):
        yield f"dag.tasks.{circle[0]}: waits for itself ({' → '.join([*circle, circle[0]])})"
    for key, output in dag.outputs.parameters.items():
        if not output.selectors:
            yield f"dag.outputs.parameters.{key}: needs valueFromParameter or valueFromOneof"
        for selector in output.selectors:
            yield from _selector_problems(
                dag, spec, f"parameters.{key}", selector.producer_subtask, "parameters", selector.output_parameter_key
            )
    for key, output in dag.outputs.artifacts.items():
        if not output.artifact_selectors:
            yield f"dag.outputs.artifacts.{key}.artifactSelectors: is required"
        for selector in output.artifact_selectors:
            yield from _selector_problems(
                dag, spec, f"artifacts.{key}", selector.producer_subtask, "artifacts", selector.output_artifact_key
            )


def _selector_problems(dag: Dag, spec: PipelineSpec, place: str, task: str, kind: str, key: str) -> Iterator[str]:
    if task not in dag.tasks:
        yield f"dag.outputs.{place}.producerSubtask: there is no task {task!r}"
        return
    component = spec.components.get(dag.tasks[task].component_ref.name)
    if component is not None and key not in declared_outputs(component, kind):
        yield f"dag.outputs.{place}: task {task!r} has no output {key!r}"
