"""Makes the tree of tasks from saved records, and resets what a user's retry runs again."""

from collections import deque
from collections.abc import Iterable

from windlass.apps.pipelines.engine.advance import Advancer
from windlass.apps.pipelines.engine.definition import Kind
from windlass.apps.pipelines.engine.effects import StopPod
from windlass.apps.pipelines.engine.graph import reachable
from windlass.apps.pipelines.engine.nodes import ROOT, Awaiting, Node
from windlass.apps.pipelines.engine.states import reset
from windlass.apps.pipelines.ir.spec import TaskSpec
from windlass.apps.pipelines.model import Task, TaskState


def rebuild(advancer: Advancer, tasks: Iterable[Task]) -> Node | None:
    """Add the saved tasks. Answers the root, if there is one."""
    below: dict[str, list[Task]] = {}
    for task in tasks:
        below.setdefault(task.parent_id, []).append(task)
    root: Node | None = None
    left: deque[tuple[Task, Node | None]] = deque((task, None) for task in below.get("", []) if task.path == ROOT)
    while left:
        task, parent = left.popleft()
        node = _add(advancer, task, parent)
        root = root or node
        left.extend((child, node) for child in _in_order(node, below.get(task.task_id, [])))
    for node in advancer.nodes.values():
        node.awaiting = _awaiting(node)
        if not node.is_leaf and node.state is TaskState.RUNNING:
            advancer.count(node)
    return root


def _in_order(parent: Node, tasks: list[Task]) -> list[Task]:
    """Tasks in the order of the specification, so that a restart starts them in the same order."""
    places = {name: place for place, name in enumerate(parent.definition.graph.tasks)}
    return sorted(tasks, key=lambda task: (task.iteration, places.get(task.name, 0)))


def _add(advancer: Advancer, task: Task, parent: Node | None) -> Node:
    if parent is None:
        return advancer.add(task, TaskSpec(), advancer.pipeline.root, None)
    if task.iteration >= 0:
        return advancer.add(task, parent.spec, parent.definition, parent)
    spec = parent.definition.graph.tasks[task.name]
    return advancer.add(task, spec, advancer.pipeline.definition(spec.component_ref.name), parent)


def _awaiting(node: Node) -> Awaiting:
    task = node.task
    if not node.is_leaf or task.state is not TaskState.RUNNING:
        return Awaiting.NOTHING
    if task.pod_name:
        return Awaiting.POD
    if task.fingerprint:
        return Awaiting.CACHE
    return Awaiting.POD_CREATION if node.definition.kind is Kind.CONTAINER else Awaiting.OPERATION


def reset_failed(advancer: Advancer, root: Node) -> list[StopPod]:
    """Reset what did not succeed, and what depends on it. Answers the pods that have failed, to be removed.

    A DAG or loop that succeeded is kept whole; in one that failed, the tasks that succeeded are kept. Exit tasks depend
    on what failed, so they run again.
    """
    stops: list[StopPod] = []
    for node in _nodes_to_reset(root):
        task = node.task
        if task.state is TaskState.FAILED:
            pods = [*task.failed_pods, task.pod_name]
            stops += [StopPod(task_id=task.task_id, pod_name=pod) for pod in pods if pod]
        advancer.record(node, reset(task, advancer.now))
    return stops


def _nodes_to_reset(root: Node) -> list[Node]:
    nodes, left = [root], [root]
    while left:
        node = left.pop()
        unsuccessful = {key: child for key, child in node.children.items() if not child.state.is_success}
        dependent = _dependents(node, unsuccessful)
        for key, child in unsuccessful.items():
            if key not in dependent:  # its inputs stay the same, and so do its tasks that succeeded
                nodes.append(child)
                left.append(child)
        for key in dependent:
            nodes += [node.children[key], *node.children[key].below()]
    return nodes


def _dependents(node: Node, keys: Iterable[str]) -> set[str]:
    """The tasks of a DAG that wait for those."""
    if not node.is_dag:
        return set()
    downstream = node.definition.graph.downstream
    return reachable((name for key in keys for name in downstream[key]), downstream)
