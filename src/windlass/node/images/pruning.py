# pyright: strict
"""Selects environments to remove: those that no pod uses and that were not used for a while."""

import time
from collections.abc import Collection
from pathlib import Path

from msgspec import Struct

from windlass.node.images.environments import Environments, Record, last_used


class Pruned(Struct, frozen=True):
    removed: tuple[Record, ...]
    kept: tuple[Record, ...]
    busy: tuple[Record, ...]
    """Environments that pods use."""


def choose(records: Collection[Record], busy: Collection[str], older_than: float, now: float) -> list[Record]:
    """Return the environments that no pod uses and that were last used at least `older_than` seconds ago."""
    return [one for one in records if one.key not in busy and now - last_used(one) >= older_than]


def prune(environments: Environments, older_than: float) -> Pruned:
    """Remove unused environments, considering the pods of all data directories that share them."""
    records = environments.all()
    busy = {key for pods in environments.pods() for key in in_use(records, pods)}
    chosen = choose(records, busy, older_than, time.time())
    removed = [one for one in chosen if environments.remove(Path(one.folder).name)]
    return Pruned(
        removed=tuple(removed),
        kept=tuple(one for one in records if one not in removed and one.key not in busy),
        busy=tuple(one for one in records if one.key in busy),
    )


def in_use(records: Collection[Record], pods: Path) -> set[str]:
    """Return the keys of environments that a pod's files on disk name; the files exist as long as the pod does."""
    found: set[str] = set()
    for path in pods.rglob("*.json"):
        if "volumes" in path.relative_to(pods).parts[1:2]:
            continue  # the pod's own data
        try:
            text = path.read_text(errors="replace")
        except OSError:
            continue
        found |= {one.key for one in records if one.folder in text}
    return found
