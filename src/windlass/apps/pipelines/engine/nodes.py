"""The tasks of a run in memory: their records, as a tree, with what is counted to find the next step quickly."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from windlass.apps.pipelines.engine.definition import Definition, Kind
from windlass.apps.pipelines.ir.spec import TaskSpec
from windlass.apps.pipelines.model import Task, TaskState, TaskType

ROOT = "root"


class Awaiting(Enum):
    """Which answer a running task waits for."""

    NOTHING = auto()
    CACHE = auto()
    POD_CREATION = auto()
    POD = auto()
    OPERATION = auto()


@dataclass(eq=False)
class Node:
    """A task, and below a DAG or a loop those in it. Everything but the record follows from the records of the run."""

    task: Task
    spec: TaskSpec
    """Of an iteration, that of its loop; of the root, an empty one."""
    definition: Definition
    parent: "Node | None" = None
    children: "dict[str, Node]" = field(default_factory=dict[str, "Node"])
    """By their keys in the DAG; iterations by their indexes."""
    waiting: int = 0
    """How many tasks that it depends on are not final."""
    open: int = 0
    """How many of the children are not final; of a loop, how many iterations run."""
    has_failed: bool = False
    """Whether one of the children has failed."""
    next_index: int = 0
    """The first iteration of a loop that has not been considered."""
    awaiting: Awaiting = Awaiting.NOTHING
    items: list[Any] | None = None
    """The items of a loop, once they were read."""

    @property
    def is_iteration(self) -> bool:
        return self.task.iteration >= 0

    @property
    def is_loop(self) -> bool:
        return self.spec.is_loop and not self.is_iteration

    @property
    def is_dag(self) -> bool:
        return self.definition.kind is Kind.DAG and not self.is_loop

    @property
    def is_leaf(self) -> bool:
        return not self.is_loop and self.definition.kind is not Kind.DAG

    @property
    def key(self) -> str:
        """The key in the parent's children."""
        return str(self.task.iteration) if self.is_iteration else self.task.name

    @property
    def state(self) -> TaskState:
        return self.task.state

    def below(self) -> "Iterator[Node]":
        """All nodes below, parents before their children."""
        left = list(self.children.values())
        while left:
            node = left.pop()
            yield node
            left.extend(node.children.values())


def task_id_of(run_id: str, path: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{run_id}/{path}"))


def new_task(parent: Node, key: str, spec: TaskSpec, definition: Definition, now: float) -> Task:
    """The record of a task that nothing is known of but its place in a DAG."""
    path = f"{parent.task.path}.{key}"
    return _task(
        parent.task.run_id,
        path,
        name=key,
        display_name=spec.task_info.name or key,
        parent_id=parent.task.task_id,
        type=task_type(spec, definition),
        now=now,
    )


def new_iteration(loop: Node, index: int, now: float) -> Task:
    return _task(
        loop.task.run_id,
        f"{loop.task.path}.{index}",
        name=loop.task.name,
        display_name=f"{loop.task.display_name} [{index}]",
        parent_id=loop.task.task_id,
        type=TaskType.DAG if loop.definition.kind is Kind.DAG else leaf_type(loop.definition),
        iteration=index,
        now=now,
    )


def new_root(run_id: str, name: str, now: float) -> Task:
    return _task(run_id, ROOT, name=ROOT, display_name=name, type=TaskType.ROOT, now=now)


def _task(run_id: str, path: str, *, now: float, **fields: Any) -> Task:
    return Task(
        task_id=task_id_of(run_id, path),
        run_id=run_id,
        path=path,
        created_at=now,
        state_history=[(now, TaskState.PENDING)],
        **fields,
    )


def task_type(spec: TaskSpec, definition: Definition) -> TaskType:
    """What the API calls a task. Kubeflow's compiler marks branches and exit handlers by the names of components."""
    if spec.is_loop:
        return TaskType.LOOP
    if definition.kind is not Kind.DAG:
        return leaf_type(definition)
    if spec.trigger_policy.condition:
        return TaskType.CONDITION
    if spec.component_ref.name.startswith("comp-condition-branches-"):
        return TaskType.CONDITION_BRANCH
    if spec.component_ref.name.startswith("comp-exit-handler-"):
        return TaskType.EXIT_HANDLER
    return TaskType.DAG


def leaf_type(definition: Definition) -> TaskType:
    return TaskType.IMPORTER if definition.kind is Kind.IMPORTER else TaskType.RUNTIME
