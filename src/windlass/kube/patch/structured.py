"""The two motions of server-side apply on objects: laying a configuration over one, and taking fields out of one.

Both follow the schema: structs and granular maps merge field by field, keyed lists and sets element by element, all
else is replaced whole.
"""

from typing import Any, cast

from windlass.kube.json import Json, Object
from windlass.kube.patch.fieldset import SELF, FieldSet, is_member
from windlass.kube.patch.ownable import UnkeyedElement, by_step, child_of, is_atomic
from windlass.kube.schema import Schema


def merge(live: Json, config: Json, schema: Schema, typed: bool = False) -> Json:
    """`live` with everything that `config` says; changes and returns `live`, and shares parts of `config`.

    `typed` promises that both passed a check of types, so that Python's equality (where true is 1) may be trusted.
    """
    if config.__class__ is dict:
        if live.__class__ is not dict or is_atomic(schema, config):
            return config
        for key, value in config.items():
            existing = live.get(key)
            if existing is None:
                live[key] = value
            elif not typed or existing != value:
                live[key] = merge(existing, value, child_of(schema, key), typed)
        return live
    if config.__class__ is list and live.__class__ is list and not is_atomic(schema, config):
        return _merge_list(live, config, schema, typed)
    return config


def _merge_list(live: list[Any], config: list[Any], schema: Schema, typed: bool) -> list[Any]:
    wanted = by_step(config, schema)
    try:
        existing = by_step(live, schema)
    except UnkeyedElement:
        return config  # items of the live list cannot be distinguished
    items = cast(Schema, schema.items)
    result: list[Any] = []
    for step in _merged_order(list(existing), list(wanted)):
        if step not in wanted:
            result.append(existing[step])
        else:
            result.append(merge(existing[step], wanted[step], items, typed) if step in existing else wanted[step])
    return result


def _merged_order(live: list[str], config: list[str]) -> list[str]:
    """What the configuration names stands in its order; what only `live` has keeps its place before what follows it."""
    in_config, in_live = set(config), set(live)
    shared = [step for step in config if step in in_live]
    order: list[str] = []
    i = j = 0
    while i < len(live) or j < len(config):
        here = live[i] if i < len(live) else None
        there = config[j] if j < len(config) else None
        if here is not None and here not in in_config:
            order.append(here)
            i += 1
        elif here is not None and (there is None or (shared and here != shared[0])):
            i += 1  # out of the configuration's order: it comes when the configuration names it
        else:
            order.append(cast(str, there))
            j += 1
            if here == there:
                i += 1
            if shared and shared[0] == there:
                shared.pop(0)
    return order


def prune(value: Json, schema: Schema, dropped: FieldSet, kept: FieldSet) -> None:
    """Take out of `value`, in place, the members of `dropped` that are not in `kept`, with all that is inside them.

    A struct field counts as a member as soon as anything inside it is one. A container that this empties goes too.
    """
    if value.__class__ is dict:
        _prune_map(value, schema, dropped, kept)
    elif value.__class__ is list and not is_atomic(schema, value):
        _prune_list(value, schema, dropped, kept)


def _prune_map(value: Object, schema: Schema, dropped: FieldSet, kept: FieldSet) -> None:
    for step, node in dropped.items():
        key = step[2:]
        if step == SELF or key not in value:
            continue
        is_struct_field = schema.type == "object" and key in schema.properties
        child_kept = kept.get(step)
        if (is_struct_field or is_member(node)) and not _holds(child_kept, is_struct_field):
            del value[key]
        elif node:
            child = value[key]
            prune(child, child_of(schema, key), node, child_kept or {})
            if not child and child.__class__ in (dict, list):
                del value[key]


def _prune_list(value: list[Any], schema: Schema, dropped: FieldSet, kept: FieldSet) -> None:
    try:
        elements = by_step(value, schema)
    except UnkeyedElement:
        return
    for step, node in dropped.items():
        if step == SELF or step not in elements:
            continue
        child_kept = kept.get(step)
        if is_member(node) and not _holds(child_kept, False):
            del elements[step]
        elif node:
            prune(elements[step], cast(Schema, schema.items), node, child_kept or {})
    value[:] = elements.values()


def _holds(node: FieldSet | None, is_struct_field: bool) -> bool:
    return node is not None and (is_struct_field or is_member(node))
