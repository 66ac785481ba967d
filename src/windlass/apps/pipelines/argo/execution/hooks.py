"""Hooks of tasks and steps: templates that run when an expression about the node holds, or once the node is over."""

from windlass.apps.pipelines.argo.execution.calls import Frame, run_call
from windlass.apps.pipelines.argo.execution.results import result_scope
from windlass.apps.pipelines.argo.language.expressions import ExpressionError, is_true
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.nodes import ERROR, has_failed, is_final
from windlass.kube.json import Object, dig_object

EXIT = "exit"


class Hooks:
    """The hooks of all nodes in a graph or in steps, as far as they have been run in this turn."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.open: set[str] = set()
        """Names of nodes whose hooks are not over."""
        self.failure: Object | None = None
        """The node of a hook that failed."""

    def run(self, spec: Object, node: Object, scope: Scope, prefix: str) -> None:
        """Run the hooks of a node; `prefix` is how expressions refer to it, such as `tasks.train`."""
        known = scope.merged(result_scope(prefix, node)).with_values({"workflow.status": "Running"})
        for name, hook in hooks_of(spec).items():
            self._run_one(name, hook, node, known)

    def _run_one(self, name: str, hook: Object, node: Object, scope: Scope) -> None:
        turn = self._frame.turn
        full_name = f"{node['name']}.onExit" if name == EXIT else f"{node['name']}.hooks.{name}"
        made = turn.node(full_name)
        if made is None and not self._is_due(name, hook, node, scope, full_name):
            return
        display = f"{node['displayName']}.{'onExit' if name == EXIT else f'hooks.{name}'}"
        made = turn.node(full_name) or run_call(self._frame, hook, scope, full_name, display)
        if made is not None and not is_final(made):
            made = run_call(self._frame, hook, scope, full_name, display)
        if made is not None:
            turn.connect(node, made)
        if has_failed(made):
            self.failure = made
        elif not is_final(made) and not (made is None and turn.is_halted(self._frame.child("", ""))):
            self.open.add(node["name"])

    def _is_due(self, name: str, hook: Object, node: Object, scope: Scope, full_name: str) -> bool:
        if name == EXIT and not is_final(node):
            return False
        expression = hook.get("expression")
        if not expression:
            return name == EXIT
        try:
            return is_true(str(expression), scope)
        except (ExpressionError, Unresolved) as error:
            call = self._frame.child(full_name, full_name)
            self._frame.turn.add(call, "Skipped", ERROR, f"hooks.{name}.expression: {error}")
            return True


def hooks_of(spec: Object) -> dict[str, Object]:
    """Hooks by name; `onExit` is the older form of the hook `exit`."""
    hooks: dict[str, Object] = {name: hook for name, hook in dig_object(spec, "hooks").items() if hook}
    if spec.get("onExit"):
        hooks.setdefault(EXIT, {"template": spec["onExit"]})
    return hooks
