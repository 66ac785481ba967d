"""Which children a workload has by its selector: those it owns and selects, orphans to adopt, strays to let go."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from windlass.kube import meta
from windlass.kube.controller import matches
from windlass.kube.json import Object as Json
from windlass.kube.meta import LabelSelector

K = TypeVar("K", bound=meta.Object)


@dataclass(frozen=True, slots=True)
class Belonging(Generic[K]):
    """`ours` includes the orphans that are being adopted."""

    ours: list[K]
    adopt: list[K]
    release: list[K]


def belonging(owner: meta.Object, selector: LabelSelector, owned: Iterable[K], orphans: Iterable[K]) -> Belonging[K]:
    """An owner that is being deleted neither adopts nor lets go; nobody adopts what is being deleted."""
    going = owner.metadata.deletion_timestamp is not None
    ours, release = list[K](), list[K]()
    for child in owned:
        (ours if matches(selector, child.metadata.labels) else release).append(child)
    adopt = [
        orphan
        for orphan in (() if going else orphans)
        if orphan.metadata.deletion_timestamp is None and matches(selector, orphan.metadata.labels)
    ]
    return Belonging([*ours, *adopt], adopt, [] if going else release)


def letting_go(child: meta.Object, owner: meta.Object) -> Json:
    """The merge patch that takes `owner` from the child's owners."""
    kept = [other for other in child.metadata.owner_references if other.uid != owner.metadata.uid]
    return {"metadata": {"ownerReferences": msgspec.to_builtins(kept) if kept else None}}
