"""What an openAPIV3Schema in a CustomResourceDefinition must look like: structural, its x-kubernetes-* words sound.

`schema_causes` returns every violation with the field path that Kubernetes names, for example
`spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object
fields`.
"""

from collections.abc import Iterator

from windlass.apiserver.crds import list_rules, patterns
from windlass.kube.errors import Cause, forbidden, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object
from windlass.kube.schema import shared

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_ROOT, _FIELD, _ITEM = "root", "field", "item"
_NO_TYPE = {
    _ROOT: "must not be empty at the root",
    _FIELD: "must not be empty for specified object fields",
    _ITEM: "must not be empty for specified array items",
}
_UNSUPPORTED = {
    "$ref": "$ref is not supported",
    "definitions": "definitions is not supported",
    "dependencies": "dependencies is not supported",
    "patternProperties": "patternProperties is not supported",
    "additionalItems": "additionalItems is not supported",
    "id": "id is not supported",
    "$schema": "$schema is not supported",
}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_BRANCHES = ("allOf", "anyOf", "oneOf")
_OUTSIDE_BRANCHES = ("title", "description", "default", "additionalProperties", "nullable")
_EXTENSIONS_OUTSIDE = (
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
_METADATA_FIELDS = frozenset({"name", "generateName"})


def schema_causes(schema: Object, path: str) -> list[Cause]:
    """Every structural rule that `schema`, found at `path`, breaks. Rules on values (defaults, CEL) come separately."""
    causes = list(_node(schema, _ROOT, path))
    causes += _completeness(schema, path)
    return causes


def children(schema: Object, path: str) -> Iterator[tuple[Object, str, str]]:
    """The sub-schemas that values are made of, each with its path and the level it stands at."""
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub):
            yield sub, f"{path}.properties[{name}]", _FIELD
    if is_object(rest := schema.get("additionalProperties")):
        yield rest, f"{path}.additionalProperties", _FIELD
    if is_object(items := schema.get("items")):
        yield items, f"{path}.items", _ITEM


def _node(schema: Object, level: str, path: str) -> Iterator[Cause]:
    yield from _unsupported(schema, path)
    yield from _type(schema, level, path)
    yield from _additional(schema, level, path)
    yield from _extensions(schema, path)
    yield from list_rules.list_causes(schema, path)
    yield from list_rules.map_causes(schema, path)
    if level == _ROOT or schema.get("x-kubernetes-embedded-resource") is True:
        yield from _resource(schema, path)
    yield from _branches(schema, path)
    for sub, at, sub_level in children(schema, path):
        if not (shared.is_kept(sub) and _is_sound(sub)):
            yield from _node(sub, sub_level, at)


@shared.once
def _is_sound(schema: Object) -> bool:
    """Whether a part that many schemas have in common breaks no rule, wherever it stands."""
    return next(_node(schema, _FIELD, ""), None) is None


def _unsupported(schema: Object, path: str) -> Iterator[Cause]:
    for word, why in _UNSUPPORTED.items():
        if schema.get(word):
            yield forbidden(f"{path}.{word}", why)
    if schema.get("uniqueItems") is True:
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden(f"{path}.uniqueItems", why)
    if is_list(schema.get("items")):
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and pattern:
        try:
            patterns.check(pattern)
        except patterns.BadPattern as error:
            yield invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {error}")


def _type(schema: Object, level: str, path: str) -> Iterator[Cause]:
    kind = schema.get("type") or ""
    int_or_string = schema.get("x-kubernetes-int-or-string") is True
    at = f"{path}.type"
    if kind and kind not in TYPES:
        yield not_supported(at, kind, TYPES)
        return
    if schema.get("x-kubernetes-embedded-resource") is True and kind != "object":
        why = "must be object if x-kubernetes-embedded-resource is true"
        yield invalid(at, kind, why) if kind else required(at, why)
    elif not kind and not int_or_string and schema.get("x-kubernetes-preserve-unknown-fields") is not True:
        yield required(at, _NO_TYPE[level])
    if kind and int_or_string:
        yield invalid(at, kind, "must be empty if x-kubernetes-int-or-string is true")
    if level == _ROOT and kind and kind != "object":
        yield invalid(at, kind, "must be object at the root")
    if schema.get("nullable") is True and level == _ROOT:
        yield forbidden(f"{path}.nullable", "nullable cannot be true at the root")
    if kind == "array" and not is_object(schema.get("items")) and not is_list(schema.get("items")):
        yield required(f"{path}.items", "must be specified")


def _additional(schema: Object, level: str, path: str) -> Iterator[Cause]:
    at = f"{path}.additionalProperties"
    rest = schema.get("additionalProperties")
    if rest is None:
        return
    if schema.get("properties"):
        yield forbidden(at, "additionalProperties and properties are mutual exclusive")
    if rest is False:
        yield forbidden(at, "additionalProperties cannot be set to false")
    if level == _ROOT:
        yield forbidden(at, "must not be used at the root")
    if schema.get("x-kubernetes-embedded-resource") is True:
        yield forbidden(at, "must not be used if x-kubernetes-embedded-resource is set")


def _extensions(schema: Object, path: str) -> Iterator[Cause]:
    preserve = schema.get("x-kubernetes-preserve-unknown-fields")
    if preserve is False:
        yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
    if schema.get("x-kubernetes-int-or-string") is True:
        why = "must be false if x-kubernetes-int-or-string is true"
        for word in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
            if schema.get(word) is True:
                yield invalid(f"{path}.{word}", True, why)
    if schema.get("x-kubernetes-embedded-resource") is True and preserve is not True and not schema.get("properties"):
        why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        yield required(f"{path}.properties", why)


def _resource(schema: Object, path: str) -> Iterator[Cause]:
    """An object with metadata may say little about it: the server knows metadata itself."""
    properties = dig_object(schema, "properties")
    for name, kind in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        sub = dig_object(properties, name)
        if sub and sub.get("type") not in (kind, None, ""):
            yield invalid(f"{path}.properties[{name}].type", sub["type"], f"must be {kind}")
    metadata = dig_object(properties, "metadata")
    extra = set(metadata) - {"type", "description", "properties", "required"}
    if extra or set(dig_object(metadata, "properties")) - _METADATA_FIELDS:
        why = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield forbidden(f"{path}.properties[metadata]", why)


def _branches(schema: Object, path: str) -> Iterator[Cause]:
    int_or_string = schema.get("x-kubernetes-int-or-string") is True
    for word in _BRANCHES:
        for index, sub in enumerate(dig_list(schema, word)):
            typed_branch = int_or_string and _is_int_or_string(schema, word, index)
            if is_object(sub) and not typed_branch:
                yield from _branch(sub, f"{path}.{word}[{index}]")
    if is_object(never := schema.get("not")):
        yield from _branch(never, f"{path}.not")


def _is_int_or_string(schema: Object, word: str, index: int) -> bool:
    """The two spellings of int-or-string that may name types inside a branch."""
    if word == "anyOf":
        return dig_list(schema, "anyOf") == _INT_OR_STRING
    return word == "allOf" and index == 0 and dig(dig_list(schema, "allOf")[0], "anyOf") == _INT_OR_STRING


def _branch(schema: Object, path: str) -> Iterator[Cause]:
    """Inside allOf, anyOf, oneOf and not only values may be restricted: structure belongs outside."""
    if schema.get("type"):
        yield forbidden(f"{path}.type", "must be empty to be structural")
    for word in _OUTSIDE_BRANCHES:
        if schema.get(word) not in (None, False, ""):
            why = "must be false to be structural" if word == "nullable" else "must be undefined to be structural"
            yield forbidden(
                f"{path}.{word}", "must be empty to be structural" if word in ("title", "description") else why
            )
    for word in _EXTENSIONS_OUTSIDE:
        if schema.get(word):
            lists = word in ("x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type")
            why = "must be undefined to be structural" if lists else "must be false to be structural"
            yield forbidden(f"{path}.{word}", why)
    yield from _branches(schema, path)
    for name, sub in dig_object(schema, "properties").items():
        if is_object(sub):
            yield from _branch(sub, f"{path}.properties[{name}]")
    if is_object(items := schema.get("items")):
        yield from _branch(items, f"{path}.items")


def _completeness(schema: Object, path: str) -> list[Cause]:
    """A field that a branch restricts must be declared in the structure, too."""
    causes: list[Cause] = []
    for word in (*_BRANCHES, "not"):
        given: Json = schema.get(word)
        subs = given if is_list(given) else [given]
        for index, sub in enumerate(subs):
            if is_object(sub):
                where = f"{path}.{word}[{index}]" if is_list(given) else f"{path}.{word}"
                causes += _declared(sub, schema, where, path)
    for sub, at, _ in children(schema, path):
        if not shared.is_kept(sub):  # a type of Kubernetes' own, whose branches declare nothing
            causes += _completeness(sub, at)
    return causes


def _declared(branch: Object, schema: Object, where: str, path: str) -> list[Cause]:
    causes: list[Cause] = []
    properties = dig_object(schema, "properties")
    preserved = schema.get("x-kubernetes-preserve-unknown-fields") is True
    for name, sub in dig_object(branch, "properties").items():
        declared = properties.get(name, schema.get("additionalProperties"))
        at = f"{path}.properties[{name}]"
        if is_object(declared) and is_object(sub):
            causes += _declared(sub, declared, f"{where}.properties[{name}]", at)
        elif not preserved and declared is not True:
            causes.append(required(at, f"because it is defined in {where}.properties[{name}]"))
    if is_object(sub := branch.get("items")):
        if is_object(items := schema.get("items")):
            causes += _declared(sub, items, f"{where}.items", f"{path}.items")
        else:
            causes.append(required(f"{path}.items", f"because it is defined in {where}.items"))
    for word in _BRANCHES:
        for index, sub in enumerate(dig_list(branch, word)):
            if is_object(sub):
                causes += _declared(sub, schema, f"{where}.{word}[{index}]", path)
    return causes
