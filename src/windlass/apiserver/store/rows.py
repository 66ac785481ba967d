"""The values of the store: a `Row` is one object at one revision, a `Change` is how it came about.

Both are plain values that many readers share: never change `key`, `rev` or `value`. The garbage collector does not
track them (there may be a hundred thousand), so nothing that refers back to a row or change may be attached to one.
"""

from typing import Any, Literal, TypeAlias

import msgspec

Key: TypeAlias = tuple[str, str, str]
"""Resource ("pods", "jobs.batch"), namespace ("" for cluster-scoped objects), name."""

ChangeType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]


class _LabelledMeta(msgspec.Struct, gc=False):
    labels: dict[str, str] | None = None


class _Labelled(msgspec.Struct, gc=False):
    metadata: _LabelledMeta


_decode_labelled = msgspec.json.Decoder(_Labelled).decode


class Row(msgspec.Struct, gc=False, eq=False):
    """An object as written at `rev`; `value` is its JSON."""

    key: Key
    rev: int
    created_rev: int
    value: bytes
    fields: dict[str, str] | None = None
    """A cache of field selector values for the verbs; the store does not read it."""
    known_labels: dict[str, str] | None = None
    converted: dict[str, bytes] | None = None
    """A cache of versions of the object that a webhook converted; the store does not read it."""

    @property
    def labels(self) -> dict[str, str]:
        """The object's labels, decoded from the value on first use."""
        labels = self.known_labels
        if labels is None:
            labels = self.known_labels = _decode_labelled(self.value).metadata.labels or {}
        return labels


class Change(msgspec.Struct, gc=False, eq=False):
    """A change of one object. For a deletion `row` is the final state, which has the deletion's revision."""

    type: ChangeType
    key: Key
    rev: int
    row: Row
    previous: Row | None
    """The object before this change, which shows whether it starts or stops to match a selector."""
    cache: dict[Any, bytes] = msgspec.field(default_factory=dict[Any, bytes])
    """A cache of encoded events by format, so that each is encoded once for all watchers."""


def path_of(namespace: str, name: str) -> str:
    """The sort key of objects of one resource, in the order of Kubernetes' keys: `a-b/x` before `a/x`."""
    return f"{namespace}/{name}"
