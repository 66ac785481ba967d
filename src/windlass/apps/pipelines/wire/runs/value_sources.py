"""Where the inputs of tasks come from and what kind of outputs they have, in the words of the API. Pure.

A record holds values alone. Where they come from follows from the specification of the run and the path of the task.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.apps.pipelines.ir.reading import read_spec
from windlass.apps.pipelines.ir.spec import Component, InputArtifact, InputParameter, PipelineSpec, TaskSpec
from windlass.apps.pipelines.model import Run, Task

OUTPUT = "OUTPUT"
TASK_OUTPUT = "TASK_OUTPUT_INPUT"
LINK_TYPES = (
    "COMPONENT_DEFAULT_INPUT",
    TASK_OUTPUT,
    "COMPONENT_INPUT",
    "RUNTIME_VALUE_INPUT",
    "COLLECTED_INPUTS",
    "ITERATOR_INPUT",
    "ITERATOR_INPUT_RAW",
    "ITERATOR_OUTPUT",
    OUTPUT,
    "ONE_OF_OUTPUT",
    "TASK_FINAL_STATUS_OUTPUT",
)
"""How an artifact may be linked with a task, in the words of the API."""


@dataclass(frozen=True)
class Source:
    type: str = ""
    producer: str = ""
    """The task beside it that is read; empty if none is."""


@dataclass(frozen=True)
class Sources:
    """By the names of inputs and outputs. Those that are missing are the defaults of their component."""

    parameters: Mapping[str, Source] = field(default_factory=dict[str, Source])
    artifacts: Mapping[str, Source] = field(default_factory=dict[str, Source])
    output_parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    output_artifacts: Mapping[str, str] = field(default_factory=dict[str, str])
    default: Source = Source("COMPONENT_DEFAULT_INPUT")

    def parameter(self, name: str) -> Source:
        return self.parameters.get(name, self.default)

    def artifact(self, name: str) -> Source:
        return self.artifacts.get(name, Source(TASK_OUTPUT))

    def link(self, name: str, *, is_output: bool) -> str:
        """The type of the link between a task and an artifact of that name."""
        return self.output_artifacts.get(name, OUTPUT) if is_output else self.artifact(name).type


UNKNOWN = Sources(default=Source())
"""Of a task that is not in the specification, and of all tasks of a v1 run."""


class RunSources:
    """The sources of the tasks of one run. Tasks of the same component are computed once."""

    def __init__(self, run: Run) -> None:
        self._given = {name for name, value in run.parameters.items() if value is not None}
        self._known: dict[tuple[str, ...], Sources] = {}
        try:
            self._spec = None if run.is_argo else read_spec(run.spec)
        except InvalidPipeline:
            self._spec = None

    def of(self, task: Task) -> Sources:
        return self.at(task.path)

    def at(self, path: str) -> Sources:
        """The sources of the task with that path."""
        if self._spec is None:
            return UNKNOWN
        # The number of an iteration changes nothing: all of them are one entry.
        parts = tuple("" if part.isdecimal() else part for part in path.split(".")[1:])
        if parts not in self._known:
            self._known[parts] = self._sources(self._spec, parts)
        return self._known[parts]

    def _sources(self, spec: PipelineSpec, parts: tuple[str, ...]) -> Sources:
        if not parts:
            given = {name: Source("RUNTIME_VALUE_INPUT") for name in self._given}
            return replace(_outputs(spec.root), parameters=given)
        component, parent, task, is_iteration = spec.root, spec.root, TaskSpec(), False
        for part in parts:
            if part == "" and task.is_loop and not is_iteration:
                is_iteration = True
                continue
            parent, is_iteration = component, False
            if component.dag is None or part not in component.dag.tasks:
                return UNKNOWN
            task = component.dag.tasks[part]
            component = spec.components.get(task.component_ref.name, Component())
        inputs = {name: _parameter(source, parent) for name, source in task.inputs.parameters.items()}
        artifacts = {name: _artifact(source, parent) for name, source in task.inputs.artifacts.items()}
        is_loop = task.is_loop and not is_iteration
        if is_iteration:
            (artifacts if task.artifact_iterator is not None else inputs)[task.item_input] = _item(task)
        return replace(_outputs(component, is_loop=is_loop), parameters=inputs, artifacts=artifacts)


def _parameter(spec: InputParameter, parent: Component) -> Source:
    if spec.component_input_parameter is not None:
        return Source("COMPONENT_INPUT")
    if spec.task_final_status is not None:
        return Source("TASK_FINAL_STATUS_OUTPUT", spec.producer)
    if spec.task_output_parameter is not None:
        return _of_task(spec.producer, parent)
    return Source("RUNTIME_VALUE_INPUT")


def _artifact(spec: InputArtifact, parent: Component) -> Source:
    if spec.task_output_artifact is None:
        return Source("COMPONENT_INPUT")
    return _of_task(spec.task_output_artifact.producer_task, parent)


def _of_task(producer: str, parent: Component) -> Source:
    """The output of a task; of a loop it is collected from the iterations."""
    tasks = parent.dag.tasks if parent.dag is not None else {}
    is_loop = producer in tasks and tasks[producer].is_loop
    return Source("COLLECTED_INPUTS" if is_loop else TASK_OUTPUT, producer)


def _item(loop: TaskSpec) -> Source:
    """Of the input of an iteration that has its item."""
    iterator = loop.parameter_iterator
    is_raw = iterator is not None and iterator.items.raw is not None
    return Source("ITERATOR_INPUT_RAW" if is_raw else "ITERATOR_INPUT")


def _outputs(component: Component, *, is_loop: bool = False) -> Sources:
    """The kinds of a component's outputs; those of a component that is no DAG are all alike."""
    if component.dag is None:
        return Sources()

    def kind(selectors: Sequence[object]) -> str:
        return "ITERATOR_OUTPUT" if is_loop else "ONE_OF_OUTPUT" if len(selectors) > 1 else OUTPUT

    declared = component.dag.outputs
    return Sources(
        output_parameters={name: kind(output.selectors) for name, output in declared.parameters.items()},
        output_artifacts={name: kind(output.artifact_selectors) for name, output in declared.artifacts.items()},
    )
