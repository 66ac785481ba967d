"""A lower bound on the cost of a rule: rules that loop over unbounded lists are refused.

Kubernetes estimates the worst-case cost of a rule and refuses rules over its budget. This estimate counts loop
iterations only, and with a margin, so everything that is refused here is refused there; a rule that is slightly over
Kubernetes' budget is accepted here, and limited by time when it runs.
"""

from windlass.apiserver.cel.syntax import Expression, tree_of
from windlass.apiserver.cel.values import is_written
from windlass.kube.json import Json, Object, dig_list, dig_object, is_object

BUDGET = 10_000_000
TOTAL_BUDGET = 100_000_000
"""The budget of all rules of a schema together."""
_MARGIN = 4
_LARGEST_REQUEST = 3 * 1024 * 1024
_SMALLEST = {"string": 2, "boolean": 4, "array": 2, "object": 2}
_OVER_BUDGET = (
    "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, "
    "and maxLength where arrays, maps, and strings are declared)"
)


def estimate(serialised: bytes, schema: Object, places: int | None) -> int:
    """Estimate the loop iterations of a rule on one object.

    `places` is the maximum number of values of `schema` in an object; None if unlimited.
    """
    tree = tree_of(serialised)
    if places is None:
        places = _LARGEST_REQUEST // (smallest(schema) + 1)
    _, turns = _cost_of(tree.root, {"self": schema, "oldSelf": schema})
    return turns * places


def excess(cost: int, budget: int = BUDGET, what: str = "estimated rule cost") -> str:
    """The error for a cost over its budget; otherwise empty."""
    factor = cost / budget
    if factor <= _MARGIN:
        return ""
    return _OVER_BUDGET.format(what, "more than 100x" if factor > 100 else f"{factor:.1f}x")


def max_items(schema: Json) -> int | None:
    """The maximum number of items of a list or map by its schema; None if unlimited."""
    limit = schema.get("maxItems" if schema.get("type") == "array" else "maxProperties") if is_object(schema) else None
    return limit if isinstance(limit, int) else None


def smallest(schema: Json) -> int:
    """The minimum JSON size of a value, in bytes."""
    if not is_object(schema):
        return 1
    size = _SMALLEST.get(str(schema.get("type")), 1)
    properties = dig_object(schema, "properties")
    for name in dig_list(schema, "required"):
        sub = properties.get(name)
        if is_object(sub) and "default" not in sub:
            size += len(str(name)) + 4 + smallest(sub)
    return size


def _size(schema: Json) -> int:
    """The iterations of a loop over values of this schema; 1 if unknown."""
    if not is_object(schema):
        return 1
    limit = max_items(schema)
    if limit is not None:
        return limit
    if schema.get("type") == "array":
        return _LARGEST_REQUEST // (smallest(schema.get("items")) + 1)
    rest = schema.get("additionalProperties")
    return _LARGEST_REQUEST // (smallest(rest) + 6) if is_object(rest) else 1


def _cost_of(node: Expression, scope: dict[str, Json]) -> tuple[Json, int]:
    """The schema of an expression's result, if known, and the loop iterations of the expression."""
    if node.kind == "ident":
        return scope.get(node.name), 0
    if node.kind == "comprehension":
        return None, _loop(node, scope)
    parts = [_cost_of(part, scope) for part in node.parts]
    turns = [count for _, count in parts]
    if node.kind == "select":
        return _field(parts[0][0], node.name), turns[0]
    if node.kind == "call" and node.name == "_[_]":
        return _element(parts[0][0]), sum(turns)
    if node.kind == "call" and node.name == "_?_:_":
        return None, turns[0] + max(turns[1:])
    return None, sum(turns)


def _loop(node: Expression, scope: dict[str, Json]) -> int:
    over, start, condition, step, result = node.parts
    element, second, accumulator = node.variables
    ranged, before = _cost_of(over, scope)
    first, starting = _cost_of(start, scope)
    bound = over.kind == "list" and not over.parts  # cel.bind: a loop over nothing, whose start is the value
    inner = {**scope, accumulator: first if bound else None}
    if bound:
        return before + starting + _cost_of(result, inner)[1]
    is_map = is_object(ranged) and ranged.get("type") == "object"
    inner[element] = None if is_map or second else _element(ranged)
    if second:
        inner[second] = _element(ranged)
    per_item = 1 + _cost_of(condition, inner)[1] + _cost_of(step, inner)[1]
    return before + starting + _size(ranged) * per_item + _cost_of(result, {**scope, accumulator: None})[1]


def _field(schema: Json, name: str) -> Json:
    if not is_object(schema):
        return None
    for known, sub in dig_object(schema, "properties").items():
        if is_written(known, name):
            return sub
    return schema.get("additionalProperties")


def _element(schema: Json) -> Json:
    if not is_object(schema):
        return None
    return schema.get("items") if schema.get("type") == "array" else schema.get("additionalProperties")
