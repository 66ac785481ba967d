"""Checks the x-kubernetes-validations of a CustomResourceDefinition's schema when the definition is written."""

from collections.abc import Iterator

from windlass.apiserver.cel import cost
from windlass.apiserver.cel.fields import undefined_fields
from windlass.apiserver.cel.rules import compile_rule, is_immutability
from windlass.apiserver.cel.runtime import CompileError, compiled
from windlass.apiserver.cel.values import type_name
from windlass.kube.errors import Cause, forbidden, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_object
from windlass.kube.schema import shared

_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def rule_causes(
    schema: Object, path: str, uncorrelatable: str = "", *, root: bool = True, places: int | None = 1
) -> Iterator[Cause]:
    """Every rule in the schema that Kubernetes would refuse, compile errors included.

    `uncorrelatable` is the path of the list around this place whose items cannot be told apart across updates; `places`
    how many values an object may have here at most, None where there is no limit.
    """
    if shared.is_kept(schema):  # a type of Kubernetes' own, which has no rules
        return
    for index, rule in enumerate(dig_list(schema, "x-kubernetes-validations")):
        if is_object(rule):
            at = f"{path}.x-kubernetes-validations[{index}]"
            yield from _shape(rule, schema, at)
            yield from _compiles(rule, schema, at, uncorrelatable, root, places)
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub):
            yield from rule_causes(sub, f"{path}.properties[{name}]", uncorrelatable, root=False, places=places)
    limit = cost.most(schema)
    within = None if places is None or limit is None else places * limit
    if is_object(rest := schema.get("additionalProperties")):
        yield from rule_causes(rest, f"{path}.additionalProperties", uncorrelatable, root=False, places=within)
    if is_object(items := schema.get("items")):
        apart = uncorrelatable or ("" if schema.get("x-kubernetes-list-type") == "map" else path)
        yield from rule_causes(items, f"{path}.items", apart, root=False, places=within)


def _shape(rule: Object, schema: Object, at: str) -> Iterator[Cause]:
    source, message = str(rule.get("rule") or ""), rule.get("message")
    if not source.strip():
        yield required(f"{at}.rule", "rule is not specified")
    if isinstance(message, str) and message:
        if not message.strip():
            yield invalid(f"{at}.message", message, "message must be non-empty if specified")
        elif "\n" in message.strip():
            yield invalid(f"{at}.message", message, "message must not contain line breaks")
    elif "\n" in source.strip():
        yield required(f"{at}.message", "message must be specified if rule contains line breaks")
    expression = rule.get("messageExpression")
    if isinstance(expression, str) and expression and not expression.strip():
        yield required(f"{at}.messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(f"{at}.reason", reason, _REASONS)
    if where := str(rule.get("fieldPath") or ""):
        yield from _field_path(where, schema, at)


def _field_path(where: str, schema: Object, at: str) -> Iterator[Cause]:
    found: Json = schema
    problem = "" if where.startswith((".", "[")) else f"expected [ or . but got: {where}"
    for step in where.replace("['", ".").replace("']", "").strip(".").split("."):
        named = dig(found, "properties", step)
        found = named if is_object(named) else dig(found, "additionalProperties")
    if not problem and not is_object(found):
        problem = "does not refer to a valid field"
    if problem:
        yield invalid(f"{at}.fieldPath", where, f"fieldPath must be a valid path: {problem}")


def _compiles(
    rule: Object, schema: Object, at: str, uncorrelatable: str, root: bool, places: int | None
) -> Iterator[Cause]:
    if not str(rule.get("rule") or "").strip():
        return
    if is_immutability(rule, schema):
        yield from _correlatable(rule, at, uncorrelatable)
        return
    kind = type_name(schema)
    made = compile_rule({**rule, "messageExpression": ""}, schema)
    if made.program is None:
        yield invalid(f"{at}.rule", rule, f"compilation failed: {made.failure}")
        return
    serialised = compiled(made.source, (("oldSelf", "dyn" if made.optional_old else kind), ("self", kind))).serialised()
    problem = undefined_fields(serialised, made.source, schema, root=root, optional_old=made.optional_old)
    if problem:
        yield invalid(f"{at}.rule", rule, f"compilation failed: {problem}")
        return
    if too_dear := cost.excess(serialised, schema, places):
        yield forbidden(f"{at}.rule", too_dear)
    if made.program.returns not in ("BOOL", "DYN"):
        yield invalid(f"{at}.rule", rule, "cel expression must evaluate to a bool")
    if made.uses_old:
        yield from _correlatable(rule, at, uncorrelatable)
    if made.optional_old and not made.uses_old:
        why = "may not be set to true when oldSelf is not used in rule"
        yield invalid(f"{at}.optionalOldSelf", True, why)
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
