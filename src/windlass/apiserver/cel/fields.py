"""Finds fields in an expression that the schema of `self` does not have, as Kubernetes' compiler does.

To the runtime here every object is a map, so `self.replcas` compiles; this walks the expression's tree with the schema
beside it and reports what Kubernetes would: `undefined field 'replcas'`, with the place in the source.
"""

from windlass.apiserver.cel.syntax import Expression, Tree, tree_of
from windlass.apiserver.cel.values import escape
from windlass.kube.json import Json, Object, dig_object, is_object

_METADATA: Object = {"type": "object", "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}
_RESOURCE: Object = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": _METADATA}


def undefined_fields(serialised: bytes, source: str, schema: Object, *, root: bool, optional_old: bool = False) -> str:
    """CEL's error text for every selected field that does not exist; empty where all do."""
    tree = tree_of(serialised)
    whole = with_metadata(schema) if root else schema
    walk = _Walk(tree)
    walk.schema_of(tree.root, {"self": whole, "oldSelf": None if optional_old else whole})
    return "\n".join(_error(source, offset, f"undefined field '{name}'") for offset, name in walk.undefined)


def with_metadata(schema: Object) -> Object:
    """A resource's schema as rules see it: of metadata only the name."""
    return {**schema, "properties": {**dig_object(schema, "properties"), **_RESOURCE}}


def _error(source: str, offset: int, why: str) -> str:
    before = source[:offset]
    line, column = before.count("\n") + 1, offset - (before.rfind("\n") + 1)
    text = source.split("\n")[line - 1]
    return f"ERROR: <input>:{line}:{column + 1}: {why}\n | {text}\n | {'.' * column}^"


class _Walk:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.undefined: list[tuple[int, str]] = []

    def schema_of(self, node: Expression, scope: dict[str, Json]) -> Json:
        """The schema of what an expression gives, where that is known; looks at everything inside on the way."""
        if node.kind == "ident":
            return scope.get(node.name)
        if node.kind == "select":
            return self._field(node, self.schema_of(node.parts[0], scope), node.name)
        if node.kind == "comprehension":
            return self._comprehension(node, scope)
        found = [self.schema_of(part, scope) for part in node.parts]
        if node.kind == "call":
            return self._call(node, found)
        return None

    def _call(self, node: Expression, found: list[Json]) -> Json:
        if node.name == "_[_]":
            return _element(found[0])
        if node.name == "_?._" and node.parts[1].kind == "const":
            self._field(node, found[0], node.parts[1].name)
        if node.name == "_?_:_" and found[1] is found[2]:
            return found[1]
        return None

    def _field(self, node: Expression, schema: Json, name: str) -> Json:
        if not is_object(schema) or schema.get("type") != "object":
            return None
        if is_object(rest := schema.get("additionalProperties")):
            return rest
        properties = dig_object(schema, "properties")
        if schema.get("x-kubernetes-embedded-resource") is True:
            properties = {**properties, **_RESOURCE}
        for known, sub in properties.items():
            if escape(known) == name:
                return sub
        if properties:
            self.undefined.append((self._tree.positions.get(node.id, 0), name))
        return None

    def _comprehension(self, node: Expression, scope: dict[str, Json]) -> Json:
        over, start, condition, step, result = node.parts
        element, second, accumulator = node.variables
        ranged, first = self.schema_of(over, scope), self.schema_of(start, scope)
        bound = over.kind == "list" and not over.parts  # cel.bind: a loop over nothing, whose start is the value
        is_map = is_object(ranged) and ranged.get("type") == "object"
        inner = {**scope, accumulator: first if bound else None}
        inner[element] = None if is_map or second else _element(ranged)
        if second:
            inner[second] = _element(ranged)
        for part in (condition, step):
            self.schema_of(part, inner)
        return self.schema_of(result, {**scope, accumulator: first if bound else None})


def _element(schema: Json) -> Json:
    """The schema of a list's items or a map's values."""
    if not is_object(schema):
        return None
    return schema.get("items") if schema.get("type") == "array" else schema.get("additionalProperties")
