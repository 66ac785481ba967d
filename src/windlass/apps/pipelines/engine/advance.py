"""Advances the tasks of a run: which start, what they become, and what that means for the tasks around them.

Deterministic, and driven by two queues: tasks that may start, and tasks that have just become final. Each task passes
through them once for each attempt, so a turn costs what it changes.
"""

from collections import deque
from heapq import heappop, heappush

from msgspec.structs import replace

from windlass.apps.pipelines.engine.dag_outputs import dag_outputs, loop_outputs
from windlass.apps.pipelines.engine.definition import Definition, Kind, Pipeline
from windlass.apps.pipelines.engine.effects import AnyEffect, StopPod
from windlass.apps.pipelines.engine.loops import item_inputs, items_of, merged_inputs
from windlass.apps.pipelines.engine.nodes import Awaiting, Node, new_iteration, new_task
from windlass.apps.pipelines.engine.resolve import Resolver
from windlass.apps.pipelines.engine.retries import next_attempt_at
from windlass.apps.pipelines.engine.states import (
    CANCELLED,
    INTERNAL,
    INVALID_ARGUMENT,
    ended,
    reset,
    started,
    waiting_for_retry,
)
from windlass.apps.pipelines.engine.turn import Changes
from windlass.apps.pipelines.ir.expressions import is_met
from windlass.apps.pipelines.ir.spec import TaskSpec
from windlass.apps.pipelines.model import NOT_YET, Error, Task, TaskState, Values


class Advancer:
    """The tree of tasks. A subclass starts the tasks that are neither DAGs nor loops."""

    def __init__(self, pipeline: Pipeline, resolver: Resolver, *, is_fail_fast: bool) -> None:
        self.pipeline, self.resolver = pipeline, resolver
        self.nodes: dict[str, Node] = {}
        self.changes = Changes(NOT_YET)
        self.ending: str | None = None
        """Why the run is being ended: nothing starts any more."""
        self._is_fail_fast = is_fail_fast
        self._ready: deque[Node] = deque()
        self._final: deque[Node] = deque()
        self._retries: list[tuple[float, str]] = []

    def begin_leaf(self, node: Node) -> None:
        """Begin a task whose inputs are resolved. Raises ValueError."""
        raise NotImplementedError

    @property
    def now(self) -> float:
        return self.changes.now

    def add(self, task: Task, spec: TaskSpec, definition: Definition, parent: Node | None) -> Node:
        """Put a record into the tree."""
        node = Node(task=task, spec=spec, definition=definition, parent=parent)
        self.nodes[task.task_id] = node
        if parent is not None:
            parent.children[node.key] = node
        return node

    def record(self, node: Node, task: Task) -> None:
        """Replace the record of a node."""
        node.task = task
        self.changes.tasks[task.task_id] = task

    def effect(self, effect: AnyEffect) -> None:
        self.changes.effects.append(effect)

    def run_queues(self) -> None:
        """Advance until nothing more follows from what is known."""
        while True:
            if self._final:  # before anything starts: a failure may forbid it
                self._propagate(self._final.popleft())
            elif self._ready:
                self._evaluate(self._ready.popleft())
            elif self._retries and self._retries[0][0] <= self.now:
                self._try_again(*heappop(self._retries))
            else:
                return

    def wake_at(self) -> float | None:
        while self._retries and not self._is_due_then(*self._retries[0]):
            heappop(self._retries)
        return self._retries[0][0] if self._retries else None

    # --- a task starts

    def _evaluate(self, node: Node) -> None:
        """Decide about a task whose dependencies are final: start it, skip it, or fail it."""
        if node.parent is None or node.parent.state is not TaskState.RUNNING:
            return
        if node.state is not TaskState.PENDING or node.task.retry_at != NOT_YET or node.waiting:
            return
        if self.ending is not None or not self._is_triggered(node):
            self.cancel(node)
            return
        try:
            inputs = self.resolver.inputs(node)
            condition = node.spec.trigger_policy.condition
            if condition and not is_met(condition, self._condition_values(node, inputs)):
                self.cancel(node)
                return
        except ValueError as error:
            self.fail(node, Error(code=INVALID_ARGUMENT, message=str(error)))
            return
        self.begin(node, inputs)

    def _is_triggered(self, node: Node) -> bool:
        if node.spec.runs_after_failure or node.parent is None:
            return True
        siblings, upstream = node.parent.children, node.parent.definition.graph.upstream[node.task.name]
        return all(siblings[name].state.is_success for name in upstream)

    def _condition_values(self, node: Node, inputs: Values) -> dict[str, object]:
        """The inputs that a condition sees: a declared one that has no value is its default, or null."""
        declared = node.definition.component.input_definitions.parameters
        return {name: definition.default for name, definition in declared.items()} | inputs.parameters

    def begin(self, node: Node, inputs: Values) -> None:
        """Start a task, or try it again, with its resolved inputs."""
        self.record(node, started(node.task, self.now, inputs=inputs, error=None))
        try:
            if node.is_loop:
                self._open_loop(node)
            elif node.is_dag:
                self.open_dag(node)
            else:
                self.begin_leaf(node)
        except ValueError as error:
            self.fail(node, Error(code=INVALID_ARGUMENT, message=str(error)))

    # --- DAGs and loops

    def open_dag(self, node: Node) -> None:
        """Make the tasks of a DAG known. Some may have succeeded before a retry: these are kept."""
        graph = node.definition.graph
        for name, spec in graph.tasks.items():
            if name not in node.children:
                definition = self.pipeline.definition(spec.component_ref.name)
                child = self.add(new_task(node, name, spec, definition, self.now), spec, definition, node)
                self.record(child, child.task)
        self.count(node)
        self._ready.extend(child for child in node.children.values() if not child.waiting)
        self._conclude_if_done(node)

    def count(self, node: Node) -> None:
        """Count what is open in a DAG or a loop, from the states of its tasks."""
        children = node.children
        node.has_failed = any(child.state is TaskState.FAILED for child in children.values())
        if node.is_loop:
            node.next_index = 0
            node.open = sum(child.state is TaskState.RUNNING or child.task.retry_at > 0 for child in children.values())
            return
        node.open = sum(not child.state.is_final for child in children.values())
        for name, names in node.definition.graph.upstream.items():
            children[name].waiting = sum(not children[other].state.is_final for other in names)

    def _open_loop(self, loop: Node) -> None:
        loop.items = None
        count = len(items_of(loop))
        self.record(loop, replace(loop.task, iteration_count=count))
        for child in list(loop.children.values()):
            if child.task.iteration >= count:  # of an earlier attempt, which had more items
                self._cancel_all(child)
        self.count(loop)
        self._continue_loop(loop)

    def _continue_loop(self, loop: Node) -> None:
        """Start iterations, as many as may run at once."""
        limit, count = loop.spec.iterator_policy.parallelism_limit, len(items_of(loop))
        while loop.next_index < count and (not limit or loop.open < limit) and not self._is_stopping(loop):
            index = loop.next_index
            loop.next_index += 1
            child = loop.children.get(str(index))
            if child is None:
                child = self.add(new_iteration(loop, index, self.now), loop.spec, loop.definition, loop)
            elif child.state is not TaskState.PENDING or child.task.retry_at != NOT_YET:
                continue
            loop.open += 1
            self.begin(child, item_inputs(loop, index) if child.is_dag else merged_inputs(loop, index))
        if not loop.open and (loop.next_index >= count or self._is_stopping(loop)):
            self._conclude(loop)

    def _is_stopping(self, node: Node) -> bool:
        return self.ending is not None or (node.has_failed and self._is_fail_fast)

    def _conclude_if_done(self, node: Node) -> None:
        if node.is_loop:
            self._continue_loop(node)
        elif not node.open:
            self._conclude(node)

    def _conclude(self, node: Node) -> None:
        """End a DAG or a loop in which nothing is open."""
        if node.has_failed or (self.ending is not None and _is_cut_off(node)):
            outputs = Values() if node.is_loop else dag_outputs(node)
            self._fail_or_retry(node, self._error_of(node), outputs)
        else:
            self.finish(node, TaskState.COMPLETE, outputs=loop_outputs(node) if node.is_loop else dag_outputs(node))

    def _error_of(self, node: Node) -> Error:
        """The error of the first task that failed, with its place below the node."""
        failed = [child for child in node.children.values() if child.state is TaskState.FAILED]
        if not failed:
            return Error(code=CANCELLED, message=self.ending or "")
        first = min(failed, key=lambda child: (child.task.finished_at, child.task.iteration, child.key))
        error = first.task.error or Error(code=INTERNAL)
        return Error(code=error.code, message=f"{first.key}{': ' if first.is_leaf else '.'}{error.message}")

    # --- a task ends

    def finish(self, node: Node, state: TaskState, **changes: object) -> None:
        node.awaiting = Awaiting.NOTHING
        self.record(node, ended(node.task, state, self.now, **changes))
        self._final.append(node)

    def cancel(self, node: Node) -> None:
        """Skip a task: it is not triggered."""
        self._cancel_below(node)
        self.finish(node, TaskState.CANCELED, error=None)

    def fail(self, node: Node, error: Error, outputs: Values | None = None) -> None:
        self._cancel_below(node)
        self.finish(node, TaskState.FAILED, error=error, outputs=outputs or Values())

    def fail_attempt(self, node: Node, error: Error) -> None:
        """End an attempt of a container; another may follow."""
        self._fail_or_retry(node, error, Values())

    def _fail_or_retry(self, node: Node, error: Error, outputs: Values) -> None:
        retry_at = None if self.ending is not None or not self._may_retry(node) else self._retry_at(node)
        if retry_at is None:
            self.fail(node, error, outputs)
            return
        node.awaiting = Awaiting.NOTHING
        for child in node.below():
            self.record(child, reset(child.task, self.now))
        self.record(node, waiting_for_retry(node.task, self.now, retry_at, error))
        self.wait_for_retry(node)

    def _may_retry(self, node: Node) -> bool:
        """A policy on a loop of DAGs is for the whole loop; on a loop of containers, for each."""
        if node.is_leaf:
            return bool(node.task.pod_name)
        return not node.is_iteration and node.definition.kind is Kind.DAG

    def _retry_at(self, node: Node) -> float | None:
        failures = len(node.task.failed_pods) if node.is_leaf else node.task.attempt
        return next_attempt_at(node.spec.retry_policy, failures + 1, node.task.started_at, self.now)

    def wait_for_retry(self, node: Node) -> None:
        heappush(self._retries, (node.task.retry_at, node.task.task_id))

    def _is_due_then(self, at: float, task_id: str) -> bool:
        task = self.nodes[task_id].task
        return task.state is TaskState.PENDING and task.retry_at == at

    def _try_again(self, at: float, task_id: str) -> None:
        if self._is_due_then(at, task_id):
            self.begin(self.nodes[task_id], self.nodes[task_id].task.inputs)

    def _propagate(self, node: Node) -> None:
        """Update the tasks around one that is final."""
        parent = node.parent
        if parent is None or parent.state is not TaskState.RUNNING:
            return
        parent.open -= 1
        if node.state is TaskState.FAILED and not parent.has_failed:
            parent.has_failed = True
            if self._is_fail_fast and not parent.is_loop:
                self._cancel_rest(parent)
        if not parent.is_loop:
            for name in parent.definition.graph.downstream[node.task.name]:
                dependent = parent.children[name]
                dependent.waiting -= 1
                if not dependent.waiting:
                    self._ready.append(dependent)
        self._conclude_if_done(parent)

    def _cancel_rest(self, node: Node) -> None:
        """Skip what has not started in a DAG that fails, but for tasks that run after failures."""
        for name, child in node.children.items():
            has_started = child.state is not TaskState.PENDING or child.task.retry_at != NOT_YET
            if not has_started and name not in node.definition.graph.after_failure:
                self.cancel(child)

    def _cancel_below(self, node: Node) -> None:
        """Skip tasks of an earlier attempt that this one will not reach."""
        for child in node.below():
            if not child.state.is_final:
                self.record(child, ended(child.task, TaskState.CANCELED, self.now, error=None))

    def _cancel_all(self, node: Node) -> None:
        self._cancel_below(node)
        if not node.state.is_final:
            self.record(node, ended(node.task, TaskState.CANCELED, self.now, error=None))

    # --- the whole run

    def end(self, message: str) -> None:
        """End the run: stop pods, and skip what has not started. Running pods are waited for."""
        self.ending = message
        error = Error(code=CANCELLED, message=message)
        for node in list(self.nodes.values()):
            if node.state is TaskState.PENDING:
                if node.task.retry_at != NOT_YET:
                    self.fail(node, error)
                else:
                    self.cancel(node)
            elif node.state is TaskState.RUNNING and node.is_leaf:
                if node.awaiting is Awaiting.POD:
                    self.effect(StopPod(task_id=node.task.task_id, pod_name=node.task.pod_name))
                elif node.awaiting is not Awaiting.POD_CREATION:
                    self.fail(node, error)

    def resume(self, node: Node) -> None:
        """Take up a task that is recorded as not final."""
        if node.task.retry_at != NOT_YET and node.state is TaskState.PENDING:
            self.wait_for_retry(node)
        elif node.state is TaskState.RUNNING and not node.is_leaf:
            self._ready.extend(child for child in node.children.values() if not child.waiting and not node.is_loop)
            self._conclude_if_done(node)


def _is_cut_off(node: Node) -> bool:
    """Whether something is missing in a DAG or a loop because the run is being ended."""
    if node.parent is None or (node.is_loop and len(node.children) < len(items_of(node))):
        return True
    return any(not child.state.is_success for child in node.children.values())
