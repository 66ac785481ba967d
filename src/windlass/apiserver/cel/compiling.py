"""Validation of the x-kubernetes-validations in the schema of a CustomResourceDefinition."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from windlass.apiserver.cel import cost
from windlass.apiserver.cel.fields import undefined_fields
from windlass.apiserver.cel.rules import compile_rule, is_immutability
from windlass.apiserver.cel.runtime import CompileError, compiled
from windlass.apiserver.cel.values import type_name
from windlass.kube.errors import Cause, forbidden, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object
from windlass.kube.schema import shared

_TOTAL = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
_CONTRIBUTED = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_MAX_REPORTED = 4
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def rule_causes(schema: Object, path: str) -> Iterator[Cause]:
    """Return every rule in the schema that Kubernetes would refuse, including compile errors."""
    costs: dict[str, int] = {}
    yield from _rules_below(schema, path, _Place(costs))
    if excess := cost.excess(sum(costs.values()), cost.TOTAL_BUDGET, _TOTAL):
        most_expensive = sorted((at for at in costs if costs[at] >= cost.TOTAL_BUDGET / 100), key=costs.__getitem__)
        for at in reversed(most_expensive[-_MAX_REPORTED:]):
            yield forbidden(at, _CONTRIBUTED)
        yield forbidden(path, excess)


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of rules in a schema, and what is known about the values there."""

    costs: dict[str, int]
    """The estimated cost of each rule so far, by its path."""
    uncorrelatable: str = ""
    """The path of the enclosing list or map whose items cannot be correlated across updates."""
    count: int | None = 1
    """The maximum number of values that an object may have here; None if unlimited."""
    is_root: bool = True


def _rules_below(schema: Object, path: str, place: _Place) -> Iterator[Cause]:
    if shared.is_kept(schema):  # a type of Kubernetes' own, which has no rules
        return
    for index, rule in enumerate(dig_list(schema, "x-kubernetes-validations")):
        if is_object(rule):
            at = f"{path}.x-kubernetes-validations[{index}]"
            problems = list(_shape(rule, schema, at))
            yield from problems
            if not problems:
                yield from _compiles(rule, schema, at, place)
    is_atomic = schema.get("x-kubernetes-map-type") == "atomic"
    below = replace(place, is_root=False, uncorrelatable=place.uncorrelatable or (path if is_atomic else ""))
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub):
            yield from _rules_below(sub, f"{path}.properties[{name}]", below)
    limit = cost.max_items(schema)
    within = None if place.count is None or limit is None else place.count * limit
    if is_object(rest := schema.get("additionalProperties")):
        yield from _rules_below(rest, f"{path}.additionalProperties", replace(place, is_root=False, count=within))
    if is_object(items := schema.get("items")):
        apart = place.uncorrelatable or ("" if schema.get("x-kubernetes-list-type") == "map" else path)
        yield from _rules_below(items, f"{path}.items", _Place(place.costs, apart, within, is_root=False))


def _shape(rule: Object, schema: Object, at: str) -> Iterator[Cause]:
    source, message = str(rule.get("rule") or ""), str(rule.get("message") or "")
    if not source.strip():
        yield required(f"{at}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{at}.message", message, "message must be non-empty if specified")
    elif _has_line_breaks(message.strip()):
        yield invalid(f"{at}.message", message, "message must not contain line breaks")
    elif _has_line_breaks(source.strip()) and not message.strip():
        yield required(f"{at}.message", "message must be specified if rule contains line breaks")
    expression = rule.get("messageExpression")
    if isinstance(expression, str) and expression and not expression.strip():
        yield required(f"{at}.messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(f"{at}.reason", reason, _REASONS)
    if where := str(rule.get("fieldPath") or ""):
        yield from _field_path(where, schema, f"{at}.fieldPath")


def _has_line_breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _field_path(where: str, schema: Object, at: str) -> Iterator[Cause]:
    if not where.strip():
        yield invalid(at, where, "fieldPath must be non-empty if specified")
    if _has_line_breaks(where):
        yield invalid(at, where, "fieldPath must not contain line breaks")
    declared: Json = schema if where.startswith((".", "[")) else None
    for step in where.replace("['", ".").replace("']", "").strip(".").split("."):
        named = dig(declared, "properties", step)
        declared = named if is_object(named) else dig(declared, "additionalProperties")
    if not is_object(declared):
        yield invalid(at, where, "fieldPath must be a valid path")


def _compiles(rule: Object, schema: Object, at: str, place: _Place) -> Iterator[Cause]:
    if is_immutability(rule, schema):
        yield from _correlatable(rule, at, place.uncorrelatable)
        return
    kind = type_name(schema)
    made = compile_rule({**rule, "messageExpression": ""}, schema)
    if made.program is None:
        yield invalid(f"{at}.rule", rule, f"compilation failed: {made.failure}")
        return
    serialised = compiled(made.source, (("oldSelf", "dyn" if made.optional_old else kind), ("self", kind))).serialised()
    problem = undefined_fields(serialised, made.source, schema, root=place.is_root, optional_old=made.optional_old)
    if problem:
        yield invalid(f"{at}.rule", rule, f"compilation failed: {problem}")
        return
    place.costs[f"{at}.rule"] = cost.estimate(serialised, schema, place.count)
    if excess := cost.excess(place.costs[f"{at}.rule"]):
        yield forbidden(f"{at}.rule", excess)
    if made.program.returns not in ("BOOL", "DYN"):
        yield invalid(f"{at}.rule", rule, "cel expression must evaluate to a bool")
    if made.uses_old:
        yield from _correlatable(rule, at, place.uncorrelatable)
    elif rule.get("optionalOldSelf") is not None:
        why = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{at}.optionalOldSelf", rule["optionalOldSelf"], why)
    yield from _message_compiles(rule, kind, at)


def _correlatable(rule: Object, at: str, uncorrelatable: str) -> Iterator[Cause]:
    if uncorrelatable:
        why = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
        yield invalid(f"{at}.rule", rule.get("rule"), why)


def _message_compiles(rule: Object, kind: str, at: str) -> Iterator[Cause]:
    expression = str(rule.get("messageExpression") or "")
    if not expression.strip():
        return
    try:
        program = compiled(expression, (("oldSelf", kind), ("self", kind)))
    except CompileError as error:
        yield invalid(f"{at}.messageExpression", rule, f"messageExpression compilation failed: {error}")
        return
    if program.returns not in ("STRING", "DYN"):
        yield invalid(f"{at}.messageExpression", rule, "messageExpression must evaluate to a string")
