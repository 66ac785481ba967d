"""The volumes of a task's pod and where its container mounts them."""

import hashlib
import posixpath
from dataclasses import dataclass, field
from typing import Any, cast

from windlass.apps.pipelines.artifacts.uris import WORKSPACE_PATH
from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.platform.fields import (
    claim_name,
    items,
    labels,
    mapping,
    object_name,
    required,
)
from windlass.apps.pipelines.executor.platform.quantities import quantity
from windlass.kube.names import dns_label_errors

SHARED_MEMORY_PATH = "/dev/shm"


@dataclass(frozen=True)
class Volumes:
    """Volumes and mounts as they are collected. A volume that several mounts share is there once."""

    volumes: list[Json] = field(default_factory=list[Json])
    mounts: list[Json] = field(default_factory=list[Json])

    def add(self, name: str, source: Json, path: str, where: str, *, sub_path: str = "") -> None:
        """Mount a volume. Raises ValueError if the path is not absolute or taken."""
        path = posixpath.normpath(path) if path.startswith("/") else ""
        if not path:
            raise ValueError(f"{where}.mountPath must be an absolute path")
        if any(mount["mountPath"] == path for mount in self.mounts):
            raise ValueError(f"{where}.mountPath: another volume is mounted at {path}")
        mount = {"name": self._volume(volume_name(name), source), "mountPath": path}
        self.mounts.append({**mount, "subPath": sub_path} if sub_path else mount)

    def _volume(self, name: str, source: Json) -> str:
        taken = {volume["name"]: volume for volume in self.volumes}
        candidate, number = name, 2
        while candidate in taken:
            if taken[candidate] == {"name": candidate, **source}:
                return candidate
            candidate, number = f"{name[:60]}-{number}", number + 1
        self.volumes.append({"name": candidate, **source})
        return candidate

    def extend(self, other: "Volumes", where: str) -> None:
        """Add the mounts of `other`, with their volumes."""
        sources = {volume["name"]: {key: volume[key] for key in volume if key != "name"} for volume in other.volumes}
        for mount in other.mounts:
            sub_path = str(mount.get("subPath", ""))
            self.add(mount["name"], sources[mount["name"]], mount["mountPath"], where, sub_path=sub_path)


def volume_name(name: str) -> str:
    """Return the name of an object as that of a volume, which is a DNS label."""
    if not dns_label_errors(name):
        return name
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:8]
    letters = "".join(letter if letter in "abcdefghijklmnopqrstuvwxyz0123456789" else "-" for letter in name.lower())
    return f"{letters[:50].strip('-')}-{digest}".lstrip("-")


def task_volumes(context: TaskContext) -> Volumes:
    """Return the volumes of the platform spec."""
    volumes = Volumes()
    _add_objects(context, volumes, "secretAsVolume", "secretName", "secret", "secretName")
    _add_objects(context, volumes, "configMapAsVolume", "configMapName", "configMap", "name")
    for where, item in items(context.platform, "pvcMount"):
        claim = claim_name(context, item, where)
        if claim is not None:
            source = {"persistentVolumeClaim": {"claimName": claim}}
            volumes.add(claim, source, _path(item, where), where, sub_path=str(item.get("subPath") or ""))
    for where, item in items(context.platform, "genericEphemeralVolume"):
        name = required(item, "volumeName", where)
        volumes.add(name, {"ephemeral": {"volumeClaimTemplate": _template(item, where)}}, _path(item, where), where)
    for where, item in items(context.platform, "emptyDirMounts"):
        source = _empty_dir(item.get("medium"), item.get("sizeLimit"), f"{where}.sizeLimit")
        volumes.add(required(item, "volumeName", where), source, _path(item, where), where)
    _add_shared_memory(context, volumes)
    return volumes


def _add_objects(context: TaskContext, found: Volumes, key: str, name_key: str, kind: str, source_key: str) -> None:
    for where, item in items(context.platform, key):
        name = object_name(context, item, name_key, where)
        if name is not None:
            optional = {"optional": True} if item.get("optional") else {}
            found.add(name, {kind: {source_key: name, **optional}}, _path(item, where), where)


def _add_shared_memory(context: TaskContext, found: Volumes) -> None:
    where = "enabledSharedMemory"
    if context.platform.get(where) is not None:
        item = mapping(context.platform[where], where)
        source = _empty_dir("Memory", item.get("size"), f"{where}.size")
        found.add(str(item.get("volumeName") or "shm"), source, SHARED_MEMORY_PATH, where)


def _path(item: Json, where: str) -> str:
    path = required(item, "mountPath", where)
    if f"{posixpath.normpath(path)}/".startswith(f"{WORKSPACE_PATH}/"):
        raise ValueError(f"{where}.mountPath: {WORKSPACE_PATH} is reserved for the workspace")
    return path


def _empty_dir(medium: object, limit: object, where: str) -> Json:
    settings: Json = {"medium": str(medium)} if medium else {}
    return {"emptyDir": settings | ({"sizeLimit": quantity(limit, where)} if limit else {})}


def _template(item: Json, where: str) -> Json:
    """Return the claim template of a generic ephemeral volume."""
    modes: Any = item.get("accessModes") or ["ReadWriteOnce"]
    if not isinstance(modes, list):
        raise ValueError(f"{where}.accessModes is not a list")
    spec: Json = {
        "accessModes": cast(list[Any], modes),
        "resources": {"requests": {"storage": quantity(required(item, "size", where), f"{where}.size")}},
    }
    if not item.get("defaultStorageClass") and item.get("storageClassName") is not None:
        spec["storageClassName"] = item["storageClassName"]
    given = mapping(item.get("metadata"), f"{where}.metadata")
    metadata = {
        key: labels(given[key], f"{where}.metadata.{key}") for key in ("labels", "annotations") if given.get(key)
    }
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}
