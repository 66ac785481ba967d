"""Volumes at their mountPath without a mount: symbolic links, where the path is free and this user may create one.

A pod's links are recorded in its folder before they are created, so that they are removed with the pod whatever dies.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103, PTH106, PTH108, PTH112, PTH114, PTH115, PTH120, PTH123, PTH208, PTH211
import json
import os
import re
from typing import Any

from windlass.node.runtimes.sandbox.child import CannotStart

_FOLDER = "links"
_WHY = "pods run as plain processes on this node, which see the machine's own files"

Mount = dict[str, Any]


def make(pod_folder: str, mounts: list[Mount]) -> None:
    """Create the links. Raises CannotStart, naming the mountPath that is not available."""
    for mount in mounts:
        _make(pod_folder, mount["source"], mount["target"])


def _make(pod_folder: str, source: str, target: str) -> None:
    if not os.path.lexists(source):
        raise CannotStart(f"failed to mount {source} at {target}: {source}: no such file or directory", 128)
    if os.path.realpath(target) == os.path.realpath(source):
        return
    if os.path.lexists(target):
        owner = _owner(target)
        taken = f"it is a volume of {owner}" if owner else "it exists on this machine"
        raise CannotStart(f'cannot mount a volume at mountPath "{target}": {taken}, and {_WHY}', 128)
    missing = _missing_folders(target)
    above = os.path.dirname(missing[0] if missing else target)
    if not os.access(above, os.W_OK | os.X_OK):
        who = f"user {os.getuid()} may not create files in {above}"
        raise CannotStart(f'cannot mount a volume at mountPath "{target}": {who}, and {_WHY}', 128)
    _write_down(pod_folder, target, source, missing)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.symlink(source, target)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise CannotStart(f'cannot mount a volume at mountPath "{target}": {words}, and {_WHY}', 128) from error


def _missing_folders(target: str) -> list[str]:
    """Return the missing parent folders, outermost first."""
    missing, folder = list[str](), os.path.dirname(target)
    while not os.path.lexists(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _owner(target: str) -> str:
    """Return the name of the pod that created a link, for messages."""
    try:
        leads_to = os.readlink(target)
    except OSError:
        return ""
    parts = leads_to.split("/")
    return f"pod {parts[parts.index('pods') + 1]}" if "pods" in parts[:-1] else "another pod"


def _write_down(pod_folder: str, target: str, source: str, made: list[str]) -> None:
    folder = f"{pod_folder}/{_FOLDER}"
    os.makedirs(folder, 0o700, exist_ok=True)
    name = target.encode().hex()[-200:]
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump({"target": target, "source": source, "folders": made}, file)


def remove(pod_folder: str) -> None:
    """Remove all that the pod has created; what was replaced by something else meanwhile stays."""
    folder = f"{pod_folder}/{_FOLDER}"
    if not os.path.isdir(folder):
        return
    for name in os.listdir(folder):
        try:
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                made = json.load(file)
        except ValueError:
            made = None  # killed as it was written, before anything was made
        if made is not None:
            _remove(made)
        os.unlink(f"{folder}/{name}")
    os.rmdir(folder)


def _remove(made: dict[str, Any]) -> None:
    try:
        if os.path.islink(made["target"]) and os.readlink(made["target"]) == made["source"]:
            os.unlink(made["target"])
        for each in reversed(made["folders"]):
            os.rmdir(each)
    except OSError:
        return  # removed by another process, or in use


def inside(mounts: list[Mount], path: str) -> str:
    """Return the real location of a path below a mountPath; other paths are unchanged."""
    for mount in sorted(mounts, key=lambda each: -len(each["target"])):
        target = mount["target"].rstrip("/")
        if path == target or path.startswith(f"{target}/"):
            return str(mount["source"]) + path[len(target) :]
    return path


def variable_of(target: str) -> str:
    """Return the variable of a mountPath: WINDLASS_MOUNT_VAR_DATA_1 for /var/data-1."""
    return "WINDLASS_MOUNT" + re.sub(r"[^A-Z0-9]+", "_", target.upper()).rstrip("_")
