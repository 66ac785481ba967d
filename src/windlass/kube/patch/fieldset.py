"""Sets of field paths in the form in which `managedFields` keeps them (FieldsV1), and the algebra on them.

A set is a tree of dicts. A key is one step of a path: `f:<name>` a field, `k:{"name":"a"}` a list element by its keys,
`v:<value>` an element of a set, `i:<index>` a position. A node is in the set when it is empty or holds `.`; other nodes
only lead to members. The root itself is never a member, so an empty root is the empty set. Nothing here changes its
arguments: nodes are shared between sets, `LEAF` between all of them.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from windlass.kube.json import Json, decode, encode, is_object

FieldSet: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str, ...]

LEAF: Final[FieldSet] = {}
SELF: Final = "."


def is_member(node: FieldSet) -> bool:
    return not node or SELF in node


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    if not one or one is other:
        return other
    merged = dict(one)
    for step, node in other.items():
        mine = merged.get(step)
        merged[step] = node if mine is None else _union_node(mine, node)
    return merged


def _union_node(one: FieldSet, other: FieldSet) -> FieldSet:
    if not one:
        return other if is_member(other) else {SELF: LEAF, **other}
    if not other:
        return one if is_member(one) else {SELF: LEAF, **one}
    return union(one, other)


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """The members of `one` that are not in `other`."""
    if one.keys().isdisjoint(other):
        return one
    result: FieldSet = {}
    for step, node in one.items():
        theirs = other.get(step)
        left = node if theirs is None else _difference_node(node, theirs)
        if left is not None:
            result[step] = left
    return result


def _difference_node(one: FieldSet, other: FieldSet) -> FieldSet | None:
    stays = is_member(one) and not is_member(other)
    children = {step: node for step, node in difference(one, other).items() if step != SELF}
    if not children:
        return LEAF if stays else None
    return {SELF: LEAF, **children} if stays else children


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    result: FieldSet = {}
    for step, node in one.items():
        theirs = other.get(step)
        if theirs is None or step == SELF:
            continue
        common = intersection(node, theirs)
        if is_member(node) and is_member(theirs):
            result[step] = {SELF: LEAF, **common} if common else LEAF
        elif common:
            result[step] = common
    return result


def members(fields: FieldSet, prefix: Path = ()) -> Iterator[Path]:
    """Every path in the set, in Kubernetes' order."""
    for step in sorted(step for step in fields if step != SELF):
        node: FieldSet = fields[step]
        if is_member(node):
            yield (*prefix, step)
        yield from members(node, (*prefix, step))


def path_text(path: Path) -> str:
    """A path as Kubernetes prints it: `.spec.containers[name="a"].image`."""
    return "".join(map(step_text, path))


def step_text(step: str) -> str:
    """One step of a path, as it is printed."""
    kind, text = step[:2], step[2:]
    if kind == "f:":
        return f".{text}"
    if kind == "k:":
        keys = decode(text)
        return "[" + ",".join(f"{name}={encode(value).decode()}" for name, value in keys.items()) + "]"
    return f"[={text}]" if kind == "v:" else f"[{text}]"


def is_valid(fields: Json) -> bool:
    """Whether this, which a client sent, is a set at all."""
    if not is_object(fields):
        return False
    return all(
        (step == SELF and node == LEAF) or (step[:2] in ("f:", "k:", "v:", "i:") and is_valid(node))
        for step, node in fields.items()
    )
