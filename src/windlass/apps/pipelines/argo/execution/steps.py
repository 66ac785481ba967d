"""Runs groups of steps, one group after the other; the steps of a group run in parallel."""

from windlass.apps.pipelines.argo.execution.calls import EMPTY_LOOP, Frame, loop_bodies, run_call, run_iterations
from windlass.apps.pipelines.argo.execution.hooks import Hooks, hooks_of
from windlass.apps.pipelines.argo.execution.loops import BadLoop, is_loop
from windlass.apps.pipelines.argo.execution.results import aggregated, result_scope
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import TagError
from windlass.apps.pipelines.argo.nodes import (
    ERROR,
    FAILED,
    FAILURES,
    RUNNING,
    SKIPPED,
    SUCCEEDED,
    is_done,
    is_final,
    outbound,
)
from windlass.kube.json import Object, dig, dig_list


class StepsRun:
    """The groups of one template. After `advance`, `scope` has the results of all steps that are over."""

    def __init__(self, frame: Frame, template: Object, scope: Scope) -> None:
        self._frame, self.scope = frame, scope
        self._turn = frame.turn
        self._groups: list[list[Object]] = dig_list(template, "steps")
        self._last: Object | None = None
        self._hooks = Hooks(frame)

    def advance(self) -> tuple[str, str]:
        """Run what can run. Returns phase and message of the steps; an empty phase while they run."""
        for index, steps in enumerate(self._groups):
            self.scope = self._turn.globals.merged(self.scope)  # with what steps have exported since
            group = self._group(index)
            if group is None:
                halted = self._turn.is_halted(self._frame.child("", ""))
                return (FAILED, self._turn.stop_message) if halted else ("", "")
            children = [self._step(group, step) for step in steps]
            self._run_hooks(steps, children)
            if not is_final(group):
                self._finish(group, steps, children)
            self._last = group
            if not is_final(group):
                return "", ""
            if group["phase"] in FAILURES:
                return group["phase"], str(group.get("message", ""))
            self._add_results(group, steps, children)
        return SUCCEEDED, ""

    def _run_hooks(self, steps: list[Object], children: list[list[Object | None]]) -> None:
        for step, nodes in zip(steps, children, strict=True):
            for node in nodes if hooks_of(step) else []:
                if node is not None:
                    self._hooks.run(step, node, self.scope, f"steps.{step['name']}")

    def _group(self, index: int) -> Object | None:
        """The node of a group, which is started once the groups before it have succeeded."""
        turn, name = self._turn, f"{self._frame.parent.name}[{index}]"
        group = turn.node(name)
        if group is not None:
            return group
        call = self._frame.child(name, f"[{index}]")
        if turn.is_suspended or turn.is_halted(call):
            return None
        group = turn.add(call, "StepGroup", RUNNING)
        parents = [self._frame.node["id"]] if self._last is None else outbound(turn.nodes, self._last)
        for parent in parents:
            turn.connect(turn.nodes[parent], group)
        return group

    def _step(self, group: Object, step: Object) -> list[Object | None]:
        """The nodes of a step: one, or one for each item."""
        name, display = f"{group['name']}.{step['name']}", str(step["name"])
        if not is_loop(step):
            return self._connected(group, [run_call(self._frame, step, self.scope, name, display)])
        try:
            bodies = loop_bodies(step, self.scope)
        except (BadLoop, TagError) as error:
            return self._connected(group, [self._other(name, display, ERROR, str(error))])
        if not bodies:
            return self._connected(group, [self._other(name, display, SKIPPED, EMPTY_LOOP)])
        return run_iterations(self._frame, group, bodies, name, display)

    def _other(self, name: str, display: str, phase: str, message: str) -> Object:
        return self._turn.node(name) or self._turn.add(self._frame.child(name, display), "Skipped", phase, message)

    def _connected(self, group: Object, nodes: list[Object | None]) -> list[Object | None]:
        for node in nodes:
            if node is not None:
                self._turn.connect(group, node)
        return nodes

    def _finish(self, group: Object, steps: list[Object], children: list[list[Object | None]]) -> None:
        nodes = [node for many in children for node in many]
        known = [node for node in nodes if node is not None]
        if not all(is_done(node) for node in known) or self._hooks.open:
            return
        failed = self._failure(steps, children) or self._hooks.failure
        if len(known) < len(nodes):
            if self._turn.is_halted(self._frame.child("", "")):
                self._turn.finish(group, FAILED, self._turn.stop_message or "a step failed")
        elif failed is not None:
            self._turn.finish(group, failed["phase"], f"child '{failed['id']}' failed")
        else:
            self._turn.finish(group, SUCCEEDED)

    def _failure(self, steps: list[Object], children: list[list[Object | None]]) -> Object | None:
        """A node that failed, and that the steps do not continue on."""
        for step, nodes in zip(steps, children, strict=True):
            allowed = {FAILED: dig(step, "continueOn", "failed"), ERROR: dig(step, "continueOn", "error")}
            for node in nodes:
                if node is not None and node["phase"] in FAILURES and not allowed[node["phase"]]:
                    return node
        return None

    def _add_results(self, group: Object, steps: list[Object], children: list[list[Object | None]]) -> None:
        for step, nodes in zip(steps, children, strict=True):
            known = [node for node in nodes if node is not None]
            if is_loop(step) and not (len(known) == 1 and known[0]["type"] == "Skipped"):
                result: Object = {**group, "outputs": aggregated(known)}
            else:
                result = known[0]
            self.scope = self.scope.merged(result_scope(f"steps.{step['name']}", result))

    def outbound(self) -> list[str]:
        return outbound(self._turn.nodes, self._last) if self._last is not None else []
