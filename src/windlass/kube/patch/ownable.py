"""Which fields an object has, and which differ between two objects, as sets that a manager can own.

How finely fields are owned is the schema's word: an atomic list or map is one field, the elements of a keyed list, of a
set and of a map are fields of their own. `all_of` and `compare` serve updates, `configured` server-side apply.
"""

from functools import lru_cache
from typing import Any, Final, cast

from windlass.kube.json import Json, Object, encode
from windlass.kube.patch.fieldset import LEAF, SELF, FieldSet, step_text
from windlass.kube.schema import ANY, Schema

# Structs that Kubernetes' typed objects always hold, so that nobody is ever the one who added them.
_ALWAYS_THERE: Final = frozenset(
    ("metadata", "spec", "status", "template", "jobTemplate", "strategy", "updateStrategy", "podTemplate")
)
_NOTHING: Final[FieldSet] = {}


class UnkeyedElement(ValueError):
    """An element of a keyed list without its keys, or with the keys of another; the text is Kubernetes'."""

    path = ""

    def within(self, step: str) -> "UnkeyedElement":
        """The same fault, seen from a container that has it under `step`."""
        self.path = step_text(step) + self.path
        return self

    def __str__(self) -> str:
        why = super().__str__()
        return f"{self.path}: {why}" if self.path else why


@lru_cache(maxsize=4096)
def _key_step(key: str, value: str) -> str:
    return "k:" + encode({key: value}).decode()


def element_step(item: Json, schema: Schema) -> str:
    """The path step of an element of a keyed list or a set."""
    if schema.list_type == "set":
        return "v:" + encode(item).decode()
    if item.__class__ is not dict:
        raise UnkeyedElement("associative list with keys may not have non-map elements")
    keys = schema.list_keys
    if len(keys) == 1:
        value = item.get(keys[0])
        if value.__class__ is str:
            return _key_step(keys[0], value)
    found: Object = {}
    for key in sorted(keys):
        value = item.get(key)
        if value is None:
            value = schema.key_defaults.get(key)
        if value is None:
            raise UnkeyedElement(
                f'associative list with keys has an element that omits key field "{key}" '
                "(and doesn't have default value)"
            )
        found[key] = value
    return "k:" + encode(found).decode()


def by_step(items: list[Any], schema: Schema) -> dict[str, Any]:
    """The elements of a keyed list or a set under their path steps, in their order."""
    found: dict[str, Any] = {}
    for index, item in enumerate(items):
        try:
            step = element_step(item, schema)
        except UnkeyedElement as error:
            raise UnkeyedElement(f"element {index}: {error}") from error
        if step in found:
            raise UnkeyedElement(f"duplicate entries for key {step_text(step)}")
        found[step] = item
    return found


def child_of(schema: Schema, key: str) -> Schema:
    if schema.type == "object":
        return schema.properties.get(key, ANY)
    return schema.items or schema if schema.type == "map" else schema


def is_atomic(schema: Schema, value: Json) -> bool:
    """Whether this container is owned as one."""
    return schema.whole or (value.__class__ is list and schema.type != "list")


def all_of(value: Json, schema: Schema, added: bool = True) -> FieldSet:
    """Every field in `value`, a dict or a list; with `added` the containers themselves too.

    Without it `value` is one that was there before any manager set it, and so are the structs that it always holds.
    """
    if not value or schema.whole:
        return LEAF
    if value.__class__ is list:
        return _all_elements(value, schema, added)
    node: FieldSet = {SELF: LEAF} if added else {}
    known = schema.properties
    other = ANY if schema.type == "object" else schema.items or schema
    for key, item in value.items():
        if item.__class__ is not dict and item.__class__ is not list:
            node["f:" + key] = LEAF
            continue
        child = known.get(key, other)
        if added or not (key in _ALWAYS_THERE or key in schema.required):
            node["f:" + key] = all_of(item, child)
        elif item:
            node["f:" + key] = all_of(item, child, added=False)
    return node


def _all_elements(value: list[Any], schema: Schema, added: bool) -> FieldSet:
    if schema.type != "list":
        return LEAF
    node: FieldSet = {SELF: LEAF} if added else {}
    items = cast(Schema, schema.items)
    try:
        for item in value:
            step = element_step(item, schema)
            if step in node:
                return LEAF
            node[step] = all_of(item, items) if item.__class__ is dict or item.__class__ is list else LEAF
    except UnkeyedElement:
        return LEAF
    return node


def configured(value: Json, schema: Schema) -> FieldSet:
    """The fields that an applied configuration lays claim to: what it says, not the structs that lead there."""
    if value.__class__ is list:
        return _configured_elements(value, schema)
    if value.__class__ is not dict or schema.whole:
        return LEAF
    node: FieldSet = {}
    known = schema.properties
    other = ANY if schema.type == "object" else schema.items or schema
    for key, item in value.items():
        if item.__class__ is not dict and item.__class__ is not list:
            node["f:" + key] = LEAF
            continue
        child = known.get(key, other)
        try:
            inside = configured(item, child)
        except UnkeyedElement as error:
            raise error.within("f:" + key) from None
        if inside and key not in known:
            inside = {SELF: LEAF, **inside}
        # An empty list of separate elements claims nothing; an empty list or map that is one field is that field.
        if inside or item.__class__ is dict or is_atomic(child, item):
            node["f:" + key] = inside
    return node


def _configured_elements(value: list[Any], schema: Schema) -> FieldSet:
    if is_atomic(schema, value):
        return LEAF
    node: FieldSet = {}
    items = cast(Schema, schema.items)
    for step, item in by_step(value, schema).items():
        try:
            inside = configured(item, items)
        except UnkeyedElement as error:
            raise error.within(step) from None
        node[step] = {SELF: LEAF, **inside} if inside else LEAF
    return node


def compare(old: Json, new: Json, schema: Schema, always: bool = False) -> tuple[FieldSet, FieldSet]:
    """What was (added or modified, removed) between two containers of one type, which are not equal.

    `always` says that this is one of the structs that typed objects always hold.
    """
    if old.__class__ is list:
        try:
            return _compare_steps(by_step(old, schema), by_step(new, schema), cast(Schema, schema.items))
        except UnkeyedElement:
            return LEAF, _NOTHING
    changed: FieldSet = {}
    removed: FieldSet = {}
    for key, item in new.items():
        before = old.get(key, _NOTHING)
        if before is _NOTHING:
            is_there = always and (key in _ALWAYS_THERE or key in schema.required)
            _note_added("f:" + key, item, child_of(schema, key), changed, is_there)
        elif before is not item and before != item:
            child = child_of(schema, key)
            _note_modified("f:" + key, before, item, child, changed, removed, always and key in _ALWAYS_THERE)
    for key, item in old.items():
        if key not in new:
            _note_added("f:" + key, item, child_of(schema, key), removed)
    return changed, removed


def _compare_steps(old: dict[str, Any], new: dict[str, Any], items: Schema) -> tuple[FieldSet, FieldSet]:
    changed: FieldSet = {}
    removed: FieldSet = {}
    for step, item in new.items():
        if step not in old:
            _note_added(step, item, items, changed)
        elif old[step] != item:
            _note_modified(step, old[step], item, items, changed, removed)
    for step, item in old.items():
        if step not in new:
            _note_added(step, item, items, removed)
    return changed, removed


def _note_added(step: str, item: Json, schema: Schema, into: FieldSet, is_there: bool = False) -> None:
    if item.__class__ is not dict and item.__class__ is not list:
        into[step] = LEAF
    elif not is_there:
        into[step] = all_of(item, schema)
    elif item:
        into[step] = all_of(item, schema, added=False)


def _note_modified(
    step: str,
    before: Json,
    item: Json,
    schema: Schema,
    changed: FieldSet,
    removed: FieldSet,
    always: bool = False,
) -> None:
    is_container = item.__class__ is dict or item.__class__ is list
    if not is_container or before.__class__ is not item.__class__ or is_atomic(schema, item):
        changed[step] = LEAF
        return
    inner, gone = compare(before, item, schema, always)
    if inner or inner is LEAF:
        changed[step] = inner
    if gone:
        removed[step] = gone
