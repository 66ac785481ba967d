"""Resolves the fields of `self` in an expression against the schema.

The runtime here treats every object as a map of `dyn`, so two things that Kubernetes' compiler derives from the schema
are done by walking the expression's tree: reporting undefined fields (`undefined field 'replcas'`, with the position in
the source), and converting fields that hold dates or durations as text, by rewriting `self.start` to
`timestamp(self.start)`.
"""

import re

from windlass.apiserver.cel.syntax import Expression, Tree, tree_of
from windlass.apiserver.cel.values import is_written, type_name
from windlass.kube.json import Json, Object, dig_object, is_object

_METADATA: Object = {"type": "object", "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}
_RESOURCE: Object = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": _METADATA}

_MOMENTS = ("timestamp", "duration")
_FIELD = re.compile(r"\.\s*\w+")
_NAME = re.compile(r"\w+")
_INDEX = re.compile(r"""\[(?:[^\[\]"']|"[^"]*"|'[^']*')*\]""")  # nested brackets are left as they are


def undefined_fields(serialised: bytes, source: str, schema: Object, *, root: bool, optional_old: bool = False) -> str:
    """Return CEL's error text for every selected field that does not exist; empty if all exist."""
    tree = tree_of(serialised)
    whole = with_metadata(schema) if root else schema
    walk = _Walk(tree, source)
    walk.schema_of(tree.root, {"self": whole, "oldSelf": None if optional_old else whole})
    return "\n".join(_error(source, offset, f"undefined field '{name}'") for offset, name in walk.undefined)


def with_moments(serialised: bytes, source: str, schema: Object) -> str:
    """Rewrite the expression so that every date and duration inside `self` is converted where it is read."""
    tree = tree_of(serialised)
    walk = _Walk(tree, source)
    walk.schema_of(tree.root, {"self": schema, "oldSelf": schema})
    for start, end, function in sorted(walk.moments, reverse=True):
        source = f"{source[:start]}{function}({source[start:end]}){source[end:]}"
    return source


def has_moments(schema: Json) -> bool:
    """Whether values of this schema contain dates or durations."""
    if not is_object(schema):
        return False
    below = [*dig_object(schema, "properties").values(), schema.get("additionalProperties"), schema.get("items")]
    return any(is_object(sub) and (type_name(sub) in _MOMENTS or has_moments(sub)) for sub in below)


def with_metadata(schema: Object) -> Object:
    """The schema of a resource as rules see it: metadata has only the name."""
    return {**schema, "properties": {**dig_object(schema, "properties"), **_RESOURCE}}


def _error(source: str, offset: int, why: str) -> str:
    before = source[:offset]
    line, column = before.count("\n") + 1, offset - (before.rfind("\n") + 1)
    text = source.split("\n")[line - 1]
    return f"ERROR: <input>:{line}:{column + 1}: {why}\n | {text}\n | {'.' * column}^"


class _Walk:
    def __init__(self, tree: Tree, source: str) -> None:
        self._tree = tree
        self._source = source
        self.undefined: list[tuple[int, str]] = []
        self.moments: set[tuple[int, int, str]] = set()

    def schema_of(self, node: Expression, scope: dict[str, Json]) -> Json:
        """The schema of an expression's result, if known; visits all subexpressions."""
        if node.kind == "ident":
            found = scope.get(node.name)
            if node.name not in ("self", "oldSelf"):
                self._moment(node, found, _NAME)
            return found
        if node.kind == "select":
            found = self._field(node, self.schema_of(node.parts[0], scope), node.name)
            if not node.tested:
                self._moment(node, found, _FIELD)
            return found
        if node.kind == "comprehension":
            return self._comprehension(node, scope)
        found = [self.schema_of(part, scope) for part in node.parts]
        if node.kind == "call":
            return self._call(node, found)
        return None

    def _call(self, node: Expression, found: list[Json]) -> Json:
        if node.name == "_[_]":
            element = _element(found[0])
            self._moment(node, element, _INDEX)
            return element
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
            if is_written(known, name):
                return sub
        if properties:
            self.undefined.append((self._tree.positions.get(node.id, 0), name))
        return None

    def _moment(self, node: Expression, schema: Json, pattern: re.Pattern[str]) -> None:
        """Record that a node reads a date or a duration."""
        kind = type_name(schema) if is_object(schema) else ""
        positions, first = self._tree.positions, node
        while first.parts and (first.kind == "select" or first.name == "_[_]"):
            first = first.parts[0]
        if kind in _MOMENTS and first.kind == "ident" and {first.id, node.id} <= positions.keys():
            found = pattern.match(self._source, positions[node.id])
            if found:
                self.moments.add((positions[first.id], found.end(), kind))

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
        if not bound:
            for part in (condition, step):
                self.schema_of(part, inner)
        return self.schema_of(result, {**scope, accumulator: first if bound else None})


def _element(schema: Json) -> Json:
    """The schema of a list's items or a map's values."""
    if not is_object(schema):
        return None
    return schema.get("items") if schema.get("type") == "array" else schema.get("additionalProperties")
