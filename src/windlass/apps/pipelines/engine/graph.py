"""The tasks of a DAG and which wait for which, computed once for each component."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from windlass.apps.pipelines.ir.dependencies import dependencies
from windlass.apps.pipelines.ir.spec import Dag, PipelineSpec, TaskSpec
from windlass.kube.json import Object


@dataclass(frozen=True)
class Graph:
    tasks: Mapping[str, TaskSpec]
    upstream: Mapping[str, tuple[str, ...]]
    """The tasks that must be final before a task."""
    downstream: Mapping[str, tuple[str, ...]]
    """The tasks that wait for a task."""
    after_failure: frozenset[str]
    """Tasks that may still start once a task of the DAG has failed: those that run after failures, such as exit tasks,
    and what waits for them."""

    @classmethod
    def of(cls, dag: Dag | None, spec: PipelineSpec, platform_spec: Object) -> "Graph":
        """The graph of a DAG; empty for a component that is none."""
        if dag is None:
            return cls({}, {}, {}, frozenset())
        upstream = {name: tuple(sorted(names)) for name, names in dependencies(dag, spec, platform_spec).items()}
        downstream: dict[str, list[str]] = {name: [] for name in upstream}
        for name, names in upstream.items():
            for other in names:
                downstream[other].append(name)
        late = reachable((name for name, task in dag.tasks.items() if task.runs_after_failure), downstream)
        return cls(dag.tasks, upstream, {name: tuple(names) for name, names in downstream.items()}, frozenset(late))


def reachable(starts: Iterable[str], downstream: Mapping[str, Iterable[str]]) -> set[str]:
    """The given tasks and all that wait for them, directly or not."""
    reached = set(starts)
    left = list(reached)
    while left:
        for name in downstream[left.pop()]:
            if name not in reached:
                reached.add(name)
                left.append(name)
    return reached
