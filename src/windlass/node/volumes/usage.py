"""Measures a pod's emptyDirs and compares them with its limits. The comparison is pure; measuring walks folders."""

import os
from collections.abc import Iterator
from pathlib import Path

from windlass.kube.json import Object, dig, dig_list
from windlass.kube.quantity import Quantity


def measure(folder: Path) -> int:
    """Return the bytes that a folder uses; hard links count once. Files that vanish or are unreadable are skipped."""
    counted: set[tuple[int, int]] = set()
    return sum(_sizes(folder, counted))


def _sizes(folder: Path, counted: set[tuple[int, int]]) -> Iterator[int]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if found.st_nlink > 1 and not entry.is_dir(follow_symlinks=False):
            if (found.st_dev, found.st_ino) in counted:
                continue
            counted.add((found.st_dev, found.st_ino))
        yield found.st_blocks * 512
        if entry.is_dir(follow_symlinks=False):
            yield from _sizes(Path(entry.path), counted)


def has_limit(pod: Object) -> bool:
    """Whether the pod limits its storage, so that it must be measured."""
    sizes = any(dig(volume, "emptyDir", "sizeLimit") for volume in dig_list(pod, "spec", "volumes"))
    return sizes or _total_limit(pod) is not None


def over_limit(pod: Object, volumes: dict[str, int], beside: int = 0) -> str | None:
    """Return kubelet's eviction message if the pod exceeds a limit; None otherwise.

    `volumes` are bytes by emptyDir; `beside` is what containers wrote elsewhere (logs, their root).
    """
    disk = beside
    for volume in dig_list(pod, "spec", "volumes"):
        name, source = str(volume.get("name")), volume.get("emptyDir")
        if source is None:
            continue
        used, limit = volumes.get(name, 0), source.get("sizeLimit")
        disk += 0 if source.get("medium") == "Memory" else used
        if limit and Quantity.parse(limit) and used > Quantity.parse(limit).value():
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{Quantity.parse(limit)}". '
    total = _total_limit(pod)
    if total is not None and disk > total.value():
        return f"Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
    return None


def _total_limit(pod: Object) -> Quantity | None:
    limits = [dig(c, "resources", "limits", "ephemeral-storage") for c in dig_list(pod, "spec", "containers")]
    if not limits or any(limit is None for limit in limits):
        return None
    total = Quantity.parse("0")
    for limit in limits:
        total += Quantity.parse(limit)
    return total
