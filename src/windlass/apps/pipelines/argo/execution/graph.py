"""Runs the tasks of a graph (`dag`), each once the tasks that it depends on are over."""

from collections.abc import Iterator

from windlass.apps.pipelines import depends
from windlass.apps.pipelines.argo.execution.calls import Frame, run_call, run_loop
from windlass.apps.pipelines.argo.execution.hooks import Hooks, hooks_of
from windlass.apps.pipelines.argo.execution.loops import is_loop
from windlass.apps.pipelines.argo.execution.results import result_scope
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import TagError, substitute_text
from windlass.apps.pipelines.argo.naming import node_id
from windlass.apps.pipelines.argo.nodes import (
    ERROR,
    FAILED,
    FAILURES,
    OMITTED,
    SUCCEEDED,
    has_failed,
    is_done,
    is_final,
    outbound,
)
from windlass.apps.pipelines.validation import needed_tasks
from windlass.kube.json import Object, dig, dig_list

NOT_MET = "omitted: depends condition not met"


class Graph:
    """The tasks of one graph, in an order in which each comes after those that it needs."""

    def __init__(self, frame: Frame, template: Object, scope: Scope) -> None:
        """Raises BadDepends, and TagError for a target that cannot be resolved."""
        self._frame, self._scope = frame, scope
        self._turn = frame.turn
        self._tasks: dict[str, Object] = {str(task["name"]): task for task in dig_list(template, "dag", "tasks")}
        self._needs = {name: [*dict.fromkeys(needed_tasks(task))] for name, task in self._tasks.items()}
        self._fails_fast = dig(template, "dag", "failFast") is not False
        self._targets = self._named_targets(str(dig(template, "dag", "target") or "")) or self._leaves()
        self._effective: dict[str, str] = {}
        self._hooks = Hooks(frame)

        self._check_names()

    def _named_targets(self, text: str) -> list[str]:
        try:
            return [*dict.fromkeys(substitute_text(text, self._scope).split())]
        except TagError as error:
            raise TagError(f"dag.target: {error}") from None

    def _check_names(self) -> None:
        """Raise BadDepends for a name that is no task's: what waits for it would wait for ever."""
        if unknown := next((name for name in self._targets if name not in self._tasks), ""):
            raise depends.BadDepends(f"dag.target: there is no task {unknown!r}")
        for name, needs in self._needs.items():
            if unknown := next((need for need in needs if need not in self._tasks), ""):
                raise depends.BadDepends(f"the task {name!r} depends on {unknown!r}, which does not exist")

    def _leaves(self) -> list[str]:
        needed = {need for needs in self._needs.values() for need in needs}
        return [name for name in self._tasks if name not in needed]

    def node(self, task: str) -> Object | None:
        return self._turn.node(f"{self._frame.parent.name}.{task}")

    def advance(self) -> str:
        """Run what can run. Returns the phase of the graph, or an empty string while it runs."""
        for name in self._order():
            self._run(name)
        return self._phase()

    def _order(self) -> list[str]:
        """Targets and what they need, dependencies first."""
        order: dict[str, None] = {}
        stack: list[tuple[str, Iterator[str]]] = []
        for target in self._targets:
            stack.append((target, iter(self._needs.get(target, []))))
            while stack:
                name, needs = stack[-1]
                following = next((need for need in needs if need not in order), None)
                if following is None:
                    order.setdefault(name)
                    stack.pop()
                elif len(stack) > len(self._tasks):
                    raise depends.BadDepends("the tasks wait for each other")
                else:
                    stack.append((following, iter(self._needs.get(following, []))))
        return [name for name in order if name in self._tasks]

    def _run(self, name: str) -> None:
        node = self.node(name)
        if node is not None and is_final(node):
            self._run_hooks(name, node)
            return
        if not all(self._is_over(need) for need in self._needs[name]):
            return
        turn, task, full_name = self._turn, self._tasks[name], f"{self._frame.parent.name}.{name}"
        if node is None:
            call = self._frame.child(full_name, name)
            if turn.is_halted(call):
                return
            if not self._depends_holds(task):
                self._connect(name, turn.add(call, "Skipped", OMITTED, NOT_MET))
                return
        scope = self._scope_of(name)
        if is_loop(task):
            made = run_loop(self._frame, task, scope, full_name)
        else:
            made = run_call(self._frame, task, scope, full_name, name)
        if made is not None:
            self._connect(name, made)
            self._run_hooks(name, made)

    def _is_over(self, name: str) -> bool:
        """Whether a task and its hooks are over."""
        node = self.node(name)
        return is_done(node) and node is not None and node["name"] not in self._hooks.open

    def _run_hooks(self, name: str, node: Object) -> None:
        if hooks_of(self._tasks[name]):
            self._hooks.run(self._tasks[name], node, self._scope_of(name), f"tasks.{name}")

    def _connect(self, name: str, node: Object) -> None:
        """Show a node after the last nodes of the tasks that it needs."""
        needed = [found for need in self._needs[name] if (found := self.node(need)) is not None]
        parents = [last for found in needed for last in outbound(self._turn.nodes, found)]
        for parent in parents or [self._frame.node["id"]]:
            self._turn.connect(self._turn.nodes[parent], node)

    def _scope_of(self, name: str) -> Scope:
        """What a task may refer to: the results of all tasks before it."""
        scope = self._turn.globals.merged(self._scope)  # with what tasks have exported since
        for ancestor in self._ancestors(name):
            node = self.node(ancestor)
            if node is not None:
                scope = scope.merged(result_scope(f"tasks.{ancestor}", node))
        return scope

    def _ancestors(self, name: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = list(self._needs[name])
        while waiting:
            need = waiting.pop()
            if need not in found:
                found[need] = None
                waiting += self._needs.get(need, [])
        return list(found)

    # --- results

    def _depends_holds(self, task: Object) -> bool:
        expression = task.get("depends")
        tree = (
            depends.parse(str(expression))
            if expression
            else depends.of_dependencies([str(need) for need in dig_list(task, "dependencies")])
        )
        return depends.holds(tree, self._has_result)

    def _has_result(self, name: str, result: str) -> bool:
        node = self.node(name)
        if node is None:
            return False
        phase = node["phase"]
        children = [self._turn.nodes[child] for child in dig_list(node, "children")] if _is_group(node) else [node]
        match result:
            case "Succeeded":  # a failure that the task may continue on counts as success
                return phase == SUCCEEDED or self._continues(name, phase)
            case "Daemoned":
                return bool(node.get("daemoned"))
            case "Errored":
                return phase == ERROR
            case "AnySucceeded":
                return any(child["phase"] == SUCCEEDED for child in children)
            case "AllFailed":
                return all(has_failed(child) for child in children)
            case _:
                return phase == result

    def _continues(self, name: str, phase: str) -> bool:
        task = self._tasks.get(name, {})
        is_allowed = {FAILED: dig(task, "continueOn", "failed"), ERROR: dig(task, "continueOn", "error")}
        return bool(is_allowed.get(phase))

    def effective(self, name: str) -> str:
        """The phase that a task contributes: a failure that is continued on is success, and what did not run
        contributes what came before it. Empty for a task that is not over."""
        if name not in self._effective:
            node = self.node(name)
            self._effective[name] = "" if node is None or not is_done(node) else self._effective_of(name, node["phase"])
        return self._effective[name]

    def _effective_of(self, name: str, phase: str) -> str:
        if phase in FAILURES:
            return SUCCEEDED if self._continues(name, phase) else phase
        if phase == SUCCEEDED:
            return phase
        before = [self.effective(need) for need in self._needs.get(name, [])]
        return next((one for one in before if one in FAILURES), SUCCEEDED)

    def _phase(self) -> str:
        """The phase, or an empty string while anything in the graph runs.

        A failure stops no task that can start: else the order in which pods end would decide which tasks run. Failing
        fast ends a graph in which nothing runs although tasks are left, since a limit of parallelism keeps them out.
        """
        self._effective.clear()
        known = [node for name in self._tasks if (node := self.node(name)) is not None]
        if not all(is_done(node) for node in known) or self._hooks.open or self._waits_for_locks():
            return ""
        if self._hooks.failure is not None:
            return str(self._hooks.failure["phase"])
        phases = [self.effective(target) for target in self._targets]
        failure = next((phase for phase in phases if phase in FAILURES), "")
        is_halted = self._turn.is_halted(self._frame.child("", ""))
        fails_fast = self._fails_fast and not self._turn.is_suspended
        if failure and (fails_fast or is_halted or "" not in phases):
            return failure
        if "" in phases:
            return FAILED if is_halted else ""
        return failure or SUCCEEDED

    def _waits_for_locks(self) -> bool:
        """Whether a task is kept from starting by locks that others hold."""
        names = (f"{self._frame.parent.name}.{name}" for name in self._tasks)
        return any(node_id(self._turn.name, name) in self._turn.lock_requests for name in names)

    def outbound(self) -> list[str]:
        """Ids of the last nodes of the graph."""
        nodes = [node for target in self._targets if (node := self.node(target)) is not None]
        return list(dict.fromkeys(last for node in nodes for last in outbound(self._turn.nodes, node)))

    def scope(self) -> Scope:
        """What the outputs of the template may refer to."""
        scope = self._scope
        for name in self._tasks:
            node = self.node(name)
            if node is not None:
                scope = scope.merged(result_scope(f"tasks.{name}", node))
        return scope


def _is_group(node: Object) -> bool:
    return node["type"] == "TaskGroup"
