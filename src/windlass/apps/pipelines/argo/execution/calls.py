"""Calls of templates by tasks and steps: conditions, loops, and the node that comes of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from windlass.apps.pipelines.argo.execution.loops import LOOPS, BadLoop, item_scope, items_of, label
from windlass.apps.pipelines.argo.execution.results import aggregated
from windlass.apps.pipelines.argo.execution.turn import Call, Turn
from windlass.apps.pipelines.argo.language.scope import Scope
from windlass.apps.pipelines.argo.language.tags import TagError, substitute, substitute_text
from windlass.apps.pipelines.argo.language.when import BadWhen, is_met
from windlass.apps.pipelines.argo.naming import node_id
from windlass.apps.pipelines.argo.nodes import (
    ERROR,
    FAILED,
    FAILURES,
    RUNNING,
    SKIPPED,
    SUCCEEDED,
    is_done,
    is_final,
)
from windlass.apps.pipelines.argo.templates import NoTemplate
from windlass.kube.json import Object, dig_object

Execute: TypeAlias = Callable[[Turn, Call], Object | None]
EMPTY_LOOP = "Skipped, empty params"


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The graph or the steps in which a call is made."""

    turn: Turn
    execute: Execute
    parent: Call
    node: Object
    parallelism: int = 0

    def child(self, name: str, display: str) -> Call:
        """A call inside this frame, of a template that is not known yet."""
        parent = self.parent
        return Call(
            name=name,
            display=display,
            template={},
            home=parent.home,
            arguments={},
            scope=Scope(),
            boundary=self.node["id"],
            depth=parent.depth + 1,
            is_exit=parent.is_exit,
            deadline=parent.deadline,
            parallelism=self.parallelism,
        )


def run_call(frame: Frame, spec: Object, scope: Scope, name: str, display: str) -> Object | None:
    """Run a task or step that is no loop. Returns its node; None if it may not start yet."""
    turn = frame.turn
    node = turn.node(name)
    if is_final(node):
        return node
    call = frame.child(name, display)
    try:
        if node is None and spec.get("when"):
            condition = substitute_text(str(spec["when"]), scope)
            if not is_met(condition):
                return turn.add(call, "Skipped", SKIPPED, f"when '{condition}' evaluated false")
        wanted = {field: spec[field] for field in ("template", "templateRef", "arguments") if field in spec}
        resolved: Object = substitute(wanted, scope)
        if spec.get("inline"):
            resolved["inline"] = substitute(spec["inline"], scope, allow_unresolved=True)
        home, template = turn.templates.find(resolved, frame.parent.home)
    except (TagError, BadWhen, NoTemplate) as error:
        return _failed(turn, call, node, str(error))
    arguments = dig_object(resolved, "arguments")
    return frame.execute(turn, replace(call, template=template, home=home, arguments=arguments, scope=scope))


def _failed(turn: Turn, call: Call, node: Object | None, message: str) -> Object:
    return turn.add(call, "Skipped", ERROR, message) if node is None else turn.finish(node, ERROR, message)


def run_loop(frame: Frame, spec: Object, scope: Scope, name: str) -> Object | None:
    """Run a task of a graph that is a loop: a group node, and one node for each item."""
    turn, display = frame.turn, str(spec["name"])
    group = turn.node(name)
    if is_final(group):
        return group
    call = frame.child(name, display)
    if group is None and (turn.is_suspended or turn.is_halted(call)):
        return None
    try:
        bodies = loop_bodies(spec, scope)
    except (BadLoop, TagError) as error:
        return _failed(turn, call, group, str(error))
    if not bodies:
        return turn.add(call, "Skipped", SKIPPED, EMPTY_LOOP)
    if group is None:
        group = turn.add(call, "TaskGroup", RUNNING)
    children = run_iterations(frame, group, bodies, name, display)
    return finish_group(frame, group, children)


def loop_bodies(spec: Object, scope: Scope) -> list[tuple[str, Object, Scope]]:
    """The name's suffix, the body and the scope of each iteration. Raises BadLoop and TagError."""
    loop = substitute({field: spec[field] for field in LOOPS if spec.get(field) is not None}, scope)
    body = {field: value for field, value in spec.items() if field not in LOOPS}
    return [
        (f"({index}:{label(item)})", body, scope.merged(item_scope(item))) for index, item in enumerate(items_of(loop))
    ]


def run_iterations(
    frame: Frame, group: Object, bodies: Iterable[tuple[str, Object, Scope]], name: str, display: str
) -> list[Object | None]:
    children: list[Object | None] = []
    is_full = False
    for suffix, body, scope in bodies:
        full_name = f"{name}{suffix}"
        if is_full and frame.turn.node(full_name) is None:  # what one item has to wait for, all later ones have
            children.append(None)
            continue
        child = run_call(frame, body, scope, full_name, f"{display}{suffix}")
        if child is not None:
            frame.turn.connect(group, child)
        is_locked = node_id(frame.turn.name, full_name) in frame.turn.lock_requests
        is_full = is_full or (child is None and not is_locked)
        children.append(child)
    return children


def finish_group(frame: Frame, group: Object, children: list[Object | None]) -> Object:
    """End a group once all its nodes are final, or once nothing runs in it and nothing more may start."""
    turn = frame.turn
    known = [child for child in children if child is not None]
    if not all(is_done(child) for child in known):
        return group
    if len(known) < len(children):
        is_halted = turn.is_halted(frame.child(group["name"], ""))
        return turn.finish(group, FAILED, turn.stop_message) if is_halted else group
    phase = next((child["phase"] for child in known if child["phase"] in FAILURES), SUCCEEDED)
    return turn.finish(group, phase, outputs=aggregated(known))
