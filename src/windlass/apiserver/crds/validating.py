"""Validates an object against an openAPIV3Schema, with Kubernetes' messages.

`compile_check` turns a schema into nested closures once; running them visits only what the object has. Composites
(`anyOf` …) and list duplicates are part of the same walk. A finding carries its path, so that an update can tolerate
old errors in unchanged fields.
"""

from functools import partial
from typing import Any

from windlass.apiserver.crds.embedded import check_embedded
from windlass.apiserver.crds.findings import Finding, Link, text_of
from windlass.apiserver.crds.scalars import Check, clamped_float, enum_step, is_json_integer, number_steps, string_steps
from windlass.apiserver.crds.words import bad, quoted, too_many, wrong_type
from windlass.kube.errors import Cause, duplicate
from windlass.kube.json import Json, Object, dig_list, dig_object, encode, is_object
from windlass.kube.schema import shared

_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_NAMES: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_NONE: dict[type, tuple[Check, ...]] = {}


@shared.once
def compile_check(schema: Object) -> Check:
    """Compile the check of one schema: `check(value, link, findings)` appends errors."""
    types = _types(schema)
    allowed = frozenset(cls for name in types for cls in _CLASSES.get(name, ()))
    steps = _steps(schema)
    check = _any_check(schema, types, allowed, steps)
    fast = _fast_check(allowed, steps, check)
    fast.__dict__["plain"] = _plain_class(allowed, steps)
    return fast


def _any_check(
    schema: Object, types: tuple[str, ...], allowed: frozenset[type], steps: dict[type, tuple[Check, ...]]
) -> Check:
    """The check of values of any type."""
    wanted = ",".join(types)
    nullable = schema.get("nullable") is True or not types
    integral = "integer" in types
    enum = enum_step(schema)

    def check(value: Any, at: Link, out: list[Finding]) -> None:
        cls = value.__class__
        if value is None:
            if not nullable:
                out.append((at, wrong_type(at, wanted, "null")))
            if enum:
                enum(value, at, out)
            return
        if cls is int and not -(2**63) <= value < 2**63:  # to Go's decoder it is a float
            cls, value = float, clamped_float(value)
        if allowed and cls not in allowed and not (integral and cls is float and is_json_integer(value)):
            out.append((at, wrong_type(at, wanted, _NAMES[cls])))
        for step in steps.get(cls, ()):
            step(value, at, out)

    return check


def _fast_check(allowed: frozenset[type], steps: dict[type, tuple[Check, ...]], check: Check) -> Check:
    """The same check with a fast path for values of the expected type and a single step."""
    if len(allowed) != 1:
        return check
    (only,) = allowed
    if len(steps.get(only, ())) != 1:
        return check
    (step,) = steps[only]

    def fast(value: Any, at: Link, out: list[Finding]) -> None:
        if value.__class__ is only:
            step(value, at, out)
        else:
            check(value, at, out)

    return fast


def _types(schema: Object) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string") is True:  # whatever else it says of its type
        return ("integer", "string")
    return (str(schema["type"]),) if schema.get("type") else ()


def _plain_class(allowed: frozenset[type], steps: dict[type, tuple[Check, ...]]) -> type | None:
    """The class of values that need no check, if the schema only has a type."""
    if len(allowed) == 1:
        (only,) = allowed
        if not steps.get(only):
            return only
    return None


def _steps(schema: Object) -> dict[type, tuple[Check, ...]]:
    """Return the validation steps by the JSON type of a value, in the order of Kubernetes' validators."""
    composites = _composite_steps(schema)
    scalars = composites
    if schema.get("x-kubernetes-int-or-string") is True and schema.get("anyOf") == _INT_OR_STRING:
        # what anyOf repeats here has been seen already of a string or an integer
        scalars = _composite_steps({**schema, "anyOf": None})
    strings = [*scalars, *string_steps(schema)]
    numbers = [*scalars, *number_steps(schema)]
    lists = [*composites, *_list_steps(schema)]
    enum = enum_step(schema)
    common = [enum] if enum else []
    by_class: dict[type, list[Check]] = {
        str: [*strings, *common],
        int: [*numbers, *common],
        float: [*numbers, *common],
        bool: [*composites, *common],
        list: [*lists, *common],
        dict: [*composites, *common, *_object_steps(schema)],
    }
    return {cls: tuple(steps) for cls, steps in by_class.items() if steps} or _NONE


# lists


def _list_steps(schema: Object) -> list[Check]:
    steps: list[Check] = []
    items = schema.get("items")
    if is_object(items):
        steps.append(_items_step(items))
    if isinstance(fewest := schema.get("minItems"), int) and fewest > 0:
        steps.append(partial(_min_items, fewest))
    if isinstance(most := schema.get("maxItems"), int):
        steps.append(partial(_max_items, most))
    kind = schema.get("x-kubernetes-list-type")
    if kind == "set":
        steps.append(_set_items)
    elif kind == "map":
        keys = tuple(str(key) for key in dig_list(schema, "x-kubernetes-list-map-keys"))
        properties = dig_object(items, "properties")
        defaults = {key: dig_object(properties, key).get("default") for key in keys}
        steps.append(partial(_map_items, keys, defaults))
    return steps


def _items_step(schema: Object) -> Check:
    known: tuple[type | None, Check] | None = None

    def items(value: list[Any], at: Link, out: list[Finding]) -> None:
        nonlocal known
        plain, check = known = known or _with_plain(schema)
        for index, item in enumerate(value):
            if item.__class__ is not plain:
                check(item, (at, index), out)

    return items


def _min_items(limit: int, value: list[Any], at: Link, out: list[Finding]) -> None:
    if len(value) < limit:
        out.append((at, bad(at, len(value), f"should have at least {limit} items")))


def _max_items(limit: int, value: list[Any], at: Link, out: list[Finding]) -> None:
    if len(value) > limit:
        out.append((at, too_many(at, len(value), limit)))


def _set_items(value: list[Any], at: Link, out: list[Finding]) -> None:
    if len(value) < 2:
        return
    seen: set[bytes] = set()
    for index, item in enumerate(value):
        text = canonical(item)
        if text in seen:
            out.append(((at, index), duplicate(text_of((at, index)), item)))
        seen.add(text)


def _map_items(keys: tuple[str, ...], defaults: Object, value: list[Any], at: Link, out: list[Finding]) -> None:
    if len(value) < 2:
        return
    seen: set[bytes] = set()
    for index, item in enumerate(value):
        if not is_object(item):
            continue
        named: Object = {}
        for key in keys:
            part = item.get(key, defaults[key])
            if part is not None:
                named[key] = part
        text = canonical(named)
        if text in seen:
            out.append(((at, index), duplicate(text_of((at, index)), named)))
        seen.add(text)


def canonical(value: Json) -> bytes:
    """A form that is equal for equal JSON, whatever the order of keys."""
    if is_object(value):
        value = {key: value[key] for key in sorted(value)}
    return encode(value)


# objects


def _object_steps(schema: Object) -> list[Check]:
    steps: list[Check] = []
    if isinstance(fewest := schema.get("minProperties"), int) and fewest > 0:
        steps.append(partial(_min_properties, fewest))
    if isinstance(most := schema.get("maxProperties"), int):
        steps.append(partial(_max_properties, most))
    needed = tuple(str(name) for name in dig_list(schema, "required"))
    properties = dig_object(schema, "properties")
    rest = schema.get("additionalProperties")
    if schema.get("x-kubernetes-embedded-resource") is True:
        steps.append(check_embedded)
    if properties or needed:
        steps.append(_fields_step(properties, rest, needed))
    elif is_object(rest):
        steps.append(_values_step(rest))
    if rest is False:
        steps.append(partial(_no_more_properties, frozenset(properties)))
    return steps


def _fields_step(properties: Object, rest: Json, needed: tuple[str, ...]) -> Check:
    """Validate every field by its own schema, compiled on first use: a pod template has thousands, an object few."""
    known: dict[str, tuple[type | None, Check]] = {}

    def meet(name: str) -> tuple[type | None, Check]:
        if name in properties:
            known[name] = found = _with_plain(properties[name])
            return found
        return known.setdefault("", _with_plain(rest)) if is_object(rest) else (None, _anything)

    def fields(value: Object, at: Link, out: list[Finding]) -> None:
        for name, item in value.items():
            plain, check = known.get(name) or meet(name)
            if item.__class__ is not plain:
                check(item, (at, name), out)
        for name in needed:
            if name not in value:
                link: Link = (at, name)
                out.append((link, Cause(text_of(link), "Required value", "FieldValueRequired")))

    return fields


def _with_plain(schema: Json) -> tuple[type | None, Check]:
    check = compile_check(schema) if is_object(schema) else _anything
    return check.__dict__.get("plain"), check


def _anything(value: Any, at: Link, out: list[Finding]) -> None:
    """Accept any value."""


def _values_step(schema: Object) -> Check:
    known: tuple[type | None, Check] | None = None

    def values(value: Object, at: Link, out: list[Finding]) -> None:
        nonlocal known
        plain, check = known = known or _with_plain(schema)
        for name, item in value.items():
            if item.__class__ is not plain:
                check(item, (at, name), out)

    return values


def _min_properties(limit: int, value: Object, at: Link, out: list[Finding]) -> None:
    if len(value) < limit:
        out.append((at, bad(at, len(value), f"should have at least {limit} properties")))


def _no_more_properties(declared: frozenset[str], value: Object, at: Link, out: list[Finding]) -> None:
    for name in value:
        if name not in declared:
            field = text_of(at)
            why = f"Invalid value: {quoted(name)}: {text_of((at, name))} in body is a forbidden property"
            out.append((at, Cause(field, why)))


def _max_properties(limit: int, value: Object, at: Link, out: list[Finding]) -> None:
    if len(value) > limit:
        out.append((at, too_many(at, len(value), limit)))


# composites


def _composite_steps(schema: Object) -> list[Check]:
    steps: list[Check] = []
    if every := _checks(schema, "allOf"):
        steps.append(partial(_all_of, every))
    if some := _checks(schema, "anyOf"):
        steps.append(partial(_any_of, some))
    if one := _checks(schema, "oneOf"):
        steps.append(partial(_one_of, one))
    if is_object(never := schema.get("not")):
        steps.append(partial(_not, compile_check(never)))
    return steps


def _checks(schema: Object, name: str) -> tuple[Check, ...]:
    return tuple(compile_check(sub) for sub in dig_list(schema, name) if is_object(sub))


def _run(check: Check, value: Any, at: Link) -> list[Finding]:
    found: list[Finding] = []
    check(value, at, found)
    return found


def _composite(at: Link, why: str) -> Finding:
    # Kubernetes names no field for these; its nil path prints so
    return at, Cause("<nil>", f'Invalid value: "": {quoted(text_of(at))} {why}')


def _all_of(checks: tuple[Check, ...], value: Any, at: Link, out: list[Finding]) -> None:
    results = [_run(check, value, at) for check in checks]
    failed = [result for result in results if result]
    if failed:
        for result in failed:
            out.extend(result)
        none = ". None validated" if len(failed) == len(checks) else ""
        out.append(_composite(at, f"must validate all the schemas (allOf){none}"))


def _any_of(checks: tuple[Check, ...], value: Any, at: Link, out: list[Finding]) -> None:
    best: list[Finding] | None = None
    for check in checks:
        result = _run(check, value, at)
        if not result:
            return
        if best is None or len(result) < len(best):
            best = result
    out.append(_composite(at, "must validate at least one schema (anyOf)"))
    out.extend(best or ())


def _one_of(checks: tuple[Check, ...], value: Any, at: Link, out: list[Finding]) -> None:
    results = [_run(check, value, at) for check in checks]
    valid = sum(1 for result in results if not result)
    if valid == 1:
        return
    found = f"Found {valid} valid alternatives" if valid else "Found none valid"
    out.append(_composite(at, f"must validate one and only one schema (oneOf). {found}"))
    if not valid:
        out.extend(min(results, key=len))


def _not(check: Check, value: Any, at: Link, out: list[Finding]) -> None:
    if not _run(check, value, at):
        out.append(_composite(at, "must not validate the schema (not)"))
