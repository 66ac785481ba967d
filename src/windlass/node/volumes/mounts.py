"""Selects the volumes that a container sees, and where."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from windlass.kube.json import Object, dig, dig_list
from windlass.node.environment import expand_text
from windlass.node.runtimes.base import Mount
from windlass.node.volumes.base import BadMount, NotInImage, Prepared
from windlass.node.volumes.beneath import Escapes, resolve


def mounts_of(container: Object, prepared: Mapping[str, Prepared], environment: Mapping[str, str]) -> tuple[Mount, ...]:
    """Return mounts with outer targets before inner ones; of two with the same target, the later."""
    found: dict[str, Mount] = {}
    for mount in dig_list(container, "volumeMounts"):
        name, target = str(mount.get("name")), os.path.normpath("/" + str(mount.get("mountPath") or ""))
        volume = prepared.get(name)
        if volume is None:
            raise BadMount(f'cannot find volume "{name}" to mount into container "{container.get("name")}"')
        target = "/" + target.lstrip("/")
        if target == "/":
            raise BadMount(f'volume "{name}" cannot be mounted at / of container "{container.get("name")}"')
        _check_recursive(mount, volume, container)
        sub = _sub_path(mount, environment)
        source = _source(volume, sub, name, str(container.get("name"))) if sub else volume.path
        read_only = volume.read_only or bool(mount.get("readOnly"))
        found[target] = Mount(source, target, read_only, executable=volume.executable)
    return tuple(sorted(found.values(), key=lambda mount: mount.target.count("/")))


def _sub_path(mount: Object, environment: Mapping[str, str]) -> str:
    expression, sub = str(mount.get("subPathExpr") or ""), str(mount.get("subPath") or "")
    if expression:
        missing: list[str] = []
        sub = expand_text(expression, environment, missing.append)
        if missing:
            raise BadMount(f"failed to expand subPath expression: missing value for {missing[0]}")
    if sub.startswith("/"):
        raise BadMount(f"error SubPath `{sub}` must not be an absolute path")
    if ".." in sub.split("/"):
        raise BadMount(f"unable to provision SubPath `{sub}`: must not contain '..'")
    return sub


def _source(volume: Prepared, sub: str, name: str, container: str) -> str:
    top = Path(volume.path)
    try:
        info = top.stat()
        make = None if volume.read_only else stat.S_IMODE(info.st_mode)
        own = (info.st_uid, info.st_gid) if os.geteuid() == 0 else (-1, -1)
        return str(resolve(top, sub, make=make, own=own))
    except Escapes:
        why = f'subPath "{sub}" leads outside the volume'
        raise BadMount(
            f'failed to prepare subPath for volumeMount "{name}" of container "{container}": {why}'
        ) from None
    except OSError as error:
        if volume.image and isinstance(error, FileNotFoundError):
            raise NotInImage(
                f'image "{volume.image}" of volumeMount "{name}" of container "{container}" has no "{sub}"'
            ) from error
        raise BadMount(
            f'failed to create subPath directory for volumeMount "{name}" of container "{container}": '
            f"{(error.strerror or str(error)).lower()}"
        ) from error


def _check_recursive(mount: Object, volume: Prepared, container: Object) -> None:
    """Check `recursiveReadOnly: Enabled`: only a hostPath may contain other mounts, which would stay writable."""
    if mount.get("recursiveReadOnly") == "Enabled" and volume.may_contain_mounts and _contains_mounts(volume.path):
        raise BadMount(
            f'volume "{mount.get("name")}" cannot be recursively read-only in container "{container.get("name")}": '
            "other file systems are mounted inside it"
        )


def _contains_mounts(path: str) -> bool:
    with Path("/proc/self/mountinfo").open() as table:
        points = [line.split(" ", 5)[4].replace("\\040", " ") for line in table]
    return any(point.startswith(path.rstrip("/") + "/") for point in points)


def warnings(pod: Object) -> tuple[str, ...]:
    """Return warnings about mount options that have no effect on this node."""
    found: list[str] = []
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in dig_list(pod, "spec", kind):
            for mount in dig_list(container, "volumeMounts"):
                propagation = dig(mount, "mountPropagation") or "None"
                if propagation != "None":
                    found.append(
                        f'mountPropagation {propagation} of volume "{mount.get("name")}" in container '
                        f'"{container.get("name")}" has no effect on this node: later mounts are not propagated'
                    )
    return tuple(found)
