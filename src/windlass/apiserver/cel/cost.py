"""How often a rule may have to look at something, at least: rules that loop over lists without a limit are refused.

Kubernetes estimates what a rule can cost at worst and refuses one that could cost more than its budget. This counts
turns of loops alone, and with a margin, so what is refused here is refused there; what costs little more than the
budget there is let through, and watched by the clock when it runs.
"""

from windlass.apiserver.cel.syntax import Expression, tree_of
from windlass.apiserver.cel.values import is_written
from windlass.kube.json import Json, Object, dig_list, dig_object, is_object

BUDGET = 10_000_000
TOTAL_BUDGET = 100_000_000
"""Of all rules of a schema together."""
_MARGIN = 4
_LARGEST_REQUEST = 3 * 1024 * 1024
_SMALLEST = {"string": 2, "boolean": 4, "array": 2, "object": 2}
_TOO_DEAR = (
    "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, "
    "and maxLength where arrays, maps, and strings are declared)"
)


def estimate(serialised: bytes, schema: Object, places: int | None) -> int:
    """The turns of loops that a rule may take on one object.

    `places` is how many values of `schema` an object may have at most, None where nothing limits it.
    """
    tree = tree_of(serialised)
    if places is None:
        places = _LARGEST_REQUEST // (smallest(schema) + 1)
    _, turns = _look(tree.root, {"self": schema, "oldSelf": schema})
    return turns * places


def excess(cost: int, budget: int = BUDGET, what: str = "estimated rule cost") -> str:
    """What there is to say against a cost that is too much; empty for others."""
    factor = cost / budget
    if factor <= _MARGIN:
        return ""
    return _TOO_DEAR.format(what, "more than 100x" if factor > 100 else f"{factor:.1f}x")


def most(schema: Json) -> int | None:
    """How many items or values a list or map may have by its schema; None where it has no limit."""
    limit = schema.get("maxItems" if schema.get("type") == "array" else "maxProperties") if is_object(schema) else None
    return limit if isinstance(limit, int) else None


def smallest(schema: Json) -> int:
    """The fewest bytes of JSON that a value takes."""
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
    """The turns of a loop over values of this schema; 1 where nothing is known of it."""
    if not is_object(schema):
        return 1
    limit = most(schema)
    if limit is not None:
        return limit
    if schema.get("type") == "array":
        return _LARGEST_REQUEST // (smallest(schema.get("items")) + 1)
    rest = schema.get("additionalProperties")
    return _LARGEST_REQUEST // (smallest(rest) + 6) if is_object(rest) else 1


def _look(node: Expression, scope: dict[str, Json]) -> tuple[Json, int]:
    """The schema of what an expression gives, where that is known, and the turns of loops that it takes."""
    if node.kind == "ident":
        return scope.get(node.name), 0
    if node.kind == "comprehension":
        return None, _loop(node, scope)
    looked = [_look(part, scope) for part in node.parts]
    turns = [count for _, count in looked]
    if node.kind == "select":
        return _field(looked[0][0], node.name), turns[0]
    if node.kind == "call" and node.name == "_[_]":
        return _element(looked[0][0]), sum(turns)
    if node.kind == "call" and node.name == "_?_:_":
        return None, turns[0] + max(turns[1:])
    return None, sum(turns)


def _loop(node: Expression, scope: dict[str, Json]) -> int:
    over, start, condition, step, result = node.parts
    element, second, accumulator = node.variables
    ranged, before = _look(over, scope)
    first, starting = _look(start, scope)
    bound = over.kind == "list" and not over.parts  # cel.bind: a loop over nothing, whose start is the value
    inner = {**scope, accumulator: first if bound else None}
    if bound:
        return before + starting + _look(result, inner)[1]
    is_map = is_object(ranged) and ranged.get("type") == "object"
    inner[element] = None if is_map or second else _element(ranged)
    if second:
        inner[second] = _element(ranged)
    each = 1 + _look(condition, inner)[1] + _look(step, inner)[1]
    return before + starting + _size(ranged) * each + _look(result, {**scope, accumulator: None})[1]


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
