"""Evaluates the x-kubernetes-validations of a schema on an object, and on an update of an object.

Rules are attached to a tree that mirrors the schema and has only the branches that lead to rules. A rule that names
`oldSelf` is a transition rule: it runs on updates, where the old object has a value at the same path (by property, by
map key, or by the keys of a list of type map). Failures read as in Kubernetes 1.35: simple values are shown, objects
and lists are not.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic
from typing import Any, TypeAlias

from windlass.apiserver.cel.fields import has_moments, with_moments
from windlass.apiserver.cel.runtime import CompileError, EvaluationError, Program, Variables, compiled, environment
from windlass.apiserver.cel.values import View, compile_view, type_name
from windlass.kube.errors import Cause
from windlass.kube.json import Json, Object, dig_list, dig_object, encode, is_list, is_object

Path: TypeAlias = tuple[Any, str] | None
_BUDGET_SECONDS = 2.0  # seconds for all rules on one object; Kubernetes counts cost instead
_OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
_OLD, _HAS_OLD = "__windlass_old", "__windlass_has_old"
_WRAPPED = f"cel.bind(oldSelf, {_HAS_OLD} ? optional.of({_OLD}) : optional.none(), (%s\n))"
_LONGEST_MESSAGE = 5 * 1024
_IMMUTABLE = frozenset({"self == oldSelf", "oldSelf == self"})


class _Missing(Enum):
    MISSING = 0


MISSING = _Missing.MISSING


class Which(Enum):
    """Which rules to run."""

    CREATE = 0
    TRANSITION = 1
    UPDATE = 2


@dataclass(slots=True)
class Rule:
    """A compiled rule; `failure` is the error if it could not be compiled."""

    source: str
    message: str
    reason: str
    field_path: str
    optional_old: bool
    uses_old: bool = False
    program: Program | None = None
    message_program: Program | None = None
    failure: str = ""
    immutable: bool = False
    """Whether the rule only requires that a scalar does not change, which needs no program."""

    @property
    def label(self) -> str:
        return self.message.strip() or self.source.strip()


@dataclass(slots=True)
class Node:
    """A node of the schema: its own rules, and the descendants that have rules."""

    kind: str
    rules: list[Rule]
    variables: Variables
    view: View | None
    properties: dict[str, "Node"] = field(default_factory=dict[str, "Node"])
    values: "Node | None" = None
    items: "Node | None" = None
    keys: tuple[str, ...] = ()

    @property
    def leads_anywhere(self) -> bool:
        return bool(self.rules or self.properties or self.values or self.items)


class OutOfBudget(Exception):
    """The rules of this object exceeded their total time budget."""


def compile_rules(schema: Object) -> "Rules":
    return Rules(_node(schema, root=True))


class Rules:
    """All rules of a schema."""

    def __init__(self, root: Node) -> None:
        self._root = root

    def check(self, obj: Object) -> list[Cause]:
        """Validate a new object: all rules except transition rules."""
        return self._run(obj, MISSING, Which.CREATE)

    def check_transition(self, new: Object, old: Object) -> list[Cause]:
        """Evaluate transition rules only."""
        return self._run(new, old, Which.TRANSITION)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        """Validate an update: transition rules, and other rules where something changed."""
        return self._run(new, old, Which.UPDATE)

    def _run(self, new: Json, old: Json, which: Which) -> list[Cause]:
        walk = _Walk(which)
        with suppress(OutOfBudget):
            walk.visit(self._root, new, old, None)
        return walk.causes


# compiling


def _node(schema: Object, *, root: bool = False) -> Node:
    kind = type_name(schema)
    variables: Variables = (("oldSelf", kind), ("self", kind))
    rules = [compile_rule(rule, schema) for rule in dig_list(schema, "x-kubernetes-validations") if is_object(rule)]
    node = Node(str(schema.get("type") or ""), rules, variables, compile_view(schema) if rules else None)
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub) and not (root and name == "metadata") and (below := _node(sub)).leads_anywhere:
            node.properties[name] = below
    if is_object(rest := schema.get("additionalProperties")) and (below := _node(rest)).leads_anywhere:
        node.values = below
    if is_object(items := schema.get("items")) and (below := _node(items)).leads_anywhere:
        node.items = below
        if schema.get("x-kubernetes-list-type") == "map":
            node.keys = tuple(str(key) for key in dig_list(schema, "x-kubernetes-list-map-keys"))
    return node


def compile_rule(rule: Object, schema: Object) -> Rule:
    """Compile a rule for a `self` of this schema; a compile error is kept and raised on evaluation."""
    made = Rule(
        source=str(rule.get("rule") or ""),
        message=str(rule.get("message") or ""),
        reason=str(rule.get("reason") or "FieldValueInvalid"),
        field_path=str(rule.get("fieldPath") or ""),
        optional_old=rule.get("optionalOldSelf") is True,
    )
    expression = str(rule.get("messageExpression") or "")
    if is_immutability(rule, schema):
        made.immutable = made.uses_old = True
        return made
    try:
        made.program, made.uses_old = _program(made.source, schema, made.optional_old)
        if expression:
            made.message_program = _program(expression, schema, made.optional_old)[0]
    except CompileError as error:
        made.failure = str(error)
    return made


def is_immutability(rule: Object, schema: Object) -> bool:
    """Whether a rule requires that a scalar does not change: the most common rule, evaluated without CEL."""
    return (
        str(rule.get("rule") or "").strip() in _IMMUTABLE
        and schema.get("type") in ("string", "integer", "boolean")
        and not schema.get("format")
        and not rule.get("messageExpression")
        and rule.get("optionalOldSelf") is not True
    )


def _program(source: str, schema: Object, optional_old: bool) -> tuple[Program, bool]:
    """The program, and whether it uses oldSelf (then it compiles only with that variable)."""
    kind = type_name(schema)
    both: Variables = (("oldSelf", kind), ("self", kind))
    with_old: Variables = (("oldSelf", "dyn"), ("self", kind)) if optional_old else both
    plain = compiled(source, with_old)  # an error must show the expression as it was written
    if has_moments(schema):
        source = with_moments(plain.serialised(), source, schema)
    try:
        compiled(source, (("self", kind),))
    except CompileError:
        if not optional_old:
            return compiled(source, both), True
    else:
        return compiled(source, both), False
    return compiled(_WRAPPED % source, _optional_variables(kind)), True


def _optional_variables(kind: str) -> Variables:
    return ((_HAS_OLD, "bool"), (_OLD, "dyn"), ("self", kind))


# evaluating


class _Walk:
    """One evaluation of a tree of rules; collects `causes`."""

    def __init__(self, which: Which) -> None:
        self.causes: list[Cause] = []
        self._which = which
        self._until = monotonic() + _BUDGET_SECONDS

    def visit(self, node: Node, value: Json, old: Json, at: Path) -> None:
        if value is None:
            return
        if node.rules:
            self._rules(node, value, MISSING if old is None else old, at)
        if is_object(value):
            self._object(node, value, old if is_object(old) else {}, at)
        elif node.items is not None and is_list(value):
            self._list(node.items, node.keys, value, old if is_list(old) else [], at)

    def _object(self, node: Node, value: Object, old: Object, at: Path) -> None:
        for name, below in node.properties.items():
            if name in value:
                self.visit(below, value[name], old.get(name, MISSING), (at, f".{name}"))
        if node.values is not None:
            for name, item in value.items():
                self.visit(node.values, item, old.get(name, MISSING), (at, f"[{name}]"))

    def _list(self, below: Node, keys: tuple[str, ...], value: list[Any], old: list[Any], at: Path) -> None:
        known: dict[bytes, Any] = {}
        if keys and old:
            known = {_identity(item, keys): item for item in old if is_object(item)}
        for index, item in enumerate(value):
            before = known.get(_identity(item, keys), MISSING) if known and is_object(item) else MISSING
            self.visit(below, item, before, (at, f"[{index}]"))

    def _rules(self, node: Node, value: Json, old: Json, at: Path) -> None:
        chosen = [rule for rule in node.rules if self._runs(rule, value, old)]
        if not chosen:
            return
        if monotonic() > self._until:
            self.causes.append(_wrong(at, node.kind, _OUT_OF_BUDGET))
            raise OutOfBudget
        current = node.view(value) if node.view else value
        before = node.view(old) if node.view and old is not MISSING else old
        bound: dict[bool, Any] = {}
        for rule in chosen:
            self._rule(node, rule, value, current, before, bound, at)

    def _runs(self, rule: Rule, value: Json, old: Json) -> bool:
        if rule.uses_old:
            return rule.optional_old or (old is not MISSING and self._which is not Which.CREATE)
        if self._which is Which.TRANSITION:
            return False
        return self._which is Which.CREATE or old is MISSING or value != old

    def _rule(
        self, node: Node, rule: Rule, value: Json, current: Any, before: Any, bound: dict[bool, Any], at: Path
    ) -> None:
        if rule.immutable:
            if current != before:
                self.causes.append(failure(rule, value, node.kind, self._detail(rule, None), text_of(at)))
            return
        if rule.program is None:
            self.causes.append(_wrong(at, node.kind, f"rule compile error: compilation failed: {rule.failure}"))
            return
        optional = rule.optional_old and rule.uses_old
        if optional not in bound:
            bound[optional] = bind(node.variables, current, before, optional=optional)
        try:
            passed = rule.program.run(bound[optional])
        except EvaluationError as error:
            self._failed(node, rule, error, at)
            return
        if passed is not True:
            detail = self._detail(rule, bound[optional])
            self.causes.append(failure(rule, value, node.kind, detail, text_of(at)))

    def _failed(self, node: Node, rule: Rule, error: EvaluationError, at: Path) -> None:
        if str(error) == "no such overload":
            words = "call arguments did not match a supported operator, function or macro signature for rule"
            self.causes.append(_wrong(at, node.kind, f"'{error}': {words}: {rule.label}"))
        elif error.is_exhausted:
            words = "no further validation rules will be run due to call cost exceeds limit for rule"
            self.causes.append(_wrong(at, node.kind, f"'{error}': {words}: {rule.label}"))
            raise OutOfBudget
        else:
            self.causes.append(_wrong(at, node.kind, f"{error} evaluating rule: {rule.label}"))

    def _detail(self, rule: Rule, bound: Any) -> str:
        if rule.message_program is not None:
            try:
                made = rule.message_program.run(bound)
            except EvaluationError:
                made = None
            if isinstance(made, str) and (text := made.strip()) and "\n" not in text and len(text) <= _LONGEST_MESSAGE:
                return text
        return rule.message.strip() or f"failed rule: {rule.label}"


def bind(variables: Variables, current: Any, before: Any, *, optional: bool) -> Any:
    kind = variables[-1][1]
    if optional:
        has = before is not MISSING
        return environment(_optional_variables(kind)).bind(
            {"self": current, _HAS_OLD: has, _OLD: before if has else None}
        )
    values: Mapping[str, Any] = {"self": current} if before is MISSING else {"self": current, "oldSelf": before}
    return environment(variables).bind(values)


def failure(rule: Rule, value: Json, kind: str, detail: str, field_text: str) -> Cause:
    """The error of a rule that is false."""
    at = field_text + normalized(rule.field_path) if field_text else normalized(rule.field_path).lstrip(".")
    at = at or "<nil>"
    shown = "" if kind in ("object", "array") else f"{encode(value).decode()}"
    if rule.reason == "FieldValueForbidden":
        return Cause(at, f"Forbidden: {detail}", rule.reason)
    if rule.reason == "FieldValueRequired":
        return Cause(at, f"Required value: {detail}", rule.reason)
    if rule.reason == "FieldValueDuplicate":
        return Cause(at, f"Duplicate value: {shown}" if shown else "Duplicate value", rule.reason)
    return Cause(at, f"Invalid value: {shown}: {detail}" if shown else f"Invalid value: {detail}")


def normalized(field_path: str) -> str:
    """Convert `.a['b.c']` to the form of field errors: `.a[b.c]`."""
    return field_path.replace("['", "[").replace("']", "]")


def text_of(at: Path) -> str:
    steps: list[str] = []
    while at is not None:
        at, step = at
        steps.append(step)
    return "".join(reversed(steps)).lstrip(".")


def _wrong(at: Path, kind: str, why: str) -> Cause:
    return Cause(text_of(at) or "<nil>", f'Invalid value: "{kind}": {why}')


def _identity(item: Object, keys: tuple[str, ...]) -> bytes:
    return encode([item.get(key) for key in keys])
