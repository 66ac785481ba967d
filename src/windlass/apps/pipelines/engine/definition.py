"""The specification of a run, and what the engine derives from it once: graphs, and what each component is."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from windlass.apps.pipelines.engine.graph import Graph
from windlass.apps.pipelines.ir.check import check_pipeline
from windlass.apps.pipelines.ir.dependencies import pipeline_config, platform_config
from windlass.apps.pipelines.ir.reading import without_nulls
from windlass.apps.pipelines.ir.spec import CREATE_CLAIM_IMAGE, DELETE_CLAIM_IMAGE, Component, Executor
from windlass.apps.pipelines.model import Run
from windlass.kube.json import Object, dig_object


class Kind(Enum):
    """How a component is executed."""

    DAG = auto()
    CONTAINER = auto()
    IMPORTER = auto()
    CREATE_CLAIM = auto()
    DELETE_CLAIM = auto()


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A component, with its executor and its platform configuration. The raw forms are for the executor's modules."""

    kind: Kind
    component: Component
    executor: Executor
    raw_component: Object
    raw_executor: Object
    platform: Object
    graph: Graph


class Pipeline:
    """The parsed specification of a run. Raises InvalidPipeline if it could never run."""

    def __init__(self, run: Run) -> None:
        self._document, self._platform = without_nulls(run.spec), without_nulls(run.platform_spec)
        self._spec = check_pipeline(self._document, self._platform)
        self._definitions: dict[str, Definition] = {}
        self.config = pipeline_config(self._platform)
        self.root = self._define(self._spec.root, dig_object(self._document, "root"))

    def definition(self, component: str) -> Definition:
        """The definition of a component by its name."""
        if component not in self._definitions:
            raw = dig_object(self._document, "components", component)
            self._definitions[component] = self._define(self._spec.components[component], raw)
        return self._definitions[component]

    def _define(self, component: Component, raw: Object) -> Definition:
        label = component.executor_label
        executor = self._spec.deployment_spec.executors.get(label, Executor())
        return Definition(
            kind=_kind(component, executor),
            component=component,
            executor=executor,
            raw_component=raw,
            raw_executor=dig_object(self._document, "deploymentSpec", "executors", label),
            platform=platform_config(self._platform, label) if label else {},
            graph=Graph.of(component.dag, self._spec, self._platform),
        )


_OPERATIONS: Mapping[str, Kind] = {CREATE_CLAIM_IMAGE: Kind.CREATE_CLAIM, DELETE_CLAIM_IMAGE: Kind.DELETE_CLAIM}


def _kind(component: Component, executor: Executor) -> Kind:
    if component.dag is not None:
        return Kind.DAG
    if executor.importer is not None:
        return Kind.IMPORTER
    image = executor.container.image if executor.container is not None else ""
    return _OPERATIONS.get(image, Kind.CONTAINER)
