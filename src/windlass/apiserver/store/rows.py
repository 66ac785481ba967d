"""What the store keeps and what it tells: a `Row` is one object at one revision, a `Change` is how it came about.

Both are plain values that many readers share: never change `key`, `rev` or `value`. The garbage collector does not
look into them (there may be a hundred thousand), so nothing that refers back to a row or change may be hung on one.
"""

from typing import Any, Literal, TypeAlias

import msgspec

Key: TypeAlias = tuple[str, str, str]
"""Resource ("pods", "jobs.batch"), namespace ("" for cluster-scoped ones), name."""

ChangeType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]


class _LabelledMeta(msgspec.Struct, gc=False):
    labels: dict[str, str] | None = None


class _Labelled(msgspec.Struct, gc=False):
    metadata: _LabelledMeta


_decode_labelled = msgspec.json.Decoder(_Labelled).decode


class Row(msgspec.Struct, gc=False, eq=False):
    """One object as it was written at `rev`; `value` is its JSON."""

    key: Key
    rev: int
    created_rev: int
    value: bytes
    fields: dict[str, str] | None = None
    """Room for the verbs to keep what field selectors look at; the store never reads it."""
    known_labels: dict[str, str] | None = None
    converted: dict[str, bytes] | None = None
    """Room for other versions of the object that a webhook had to make; the store never reads it."""

    @property
    def labels(self) -> dict[str, str]:
        """The object's labels, decoded from the value at first use."""
        labels = self.known_labels
        if labels is None:
            labels = self.known_labels = _decode_labelled(self.value).metadata.labels or {}
        return labels


class Change(msgspec.Struct, gc=False, eq=False):
    """One step of one object. For a deletion `row` is the final state, which carries the deletion's revision."""

    type: ChangeType
    key: Key
    rev: int
    row: Row
    previous: Row | None
    """The object before this change: what tells whether it has come into or left a selector's view."""
    cache: dict[Any, bytes] = msgspec.field(default_factory=dict[Any, bytes])
    """Room for encoded events by format, so that however many watchers there are each form is made once."""


def path_of(namespace: str, name: str) -> str:
    """How objects of one resource are ordered: as Kubernetes orders its keys, `a-b/x` before `a/x`."""
    return f"{namespace}/{name}"
