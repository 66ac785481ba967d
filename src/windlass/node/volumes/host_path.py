"""hostPath: a path of this machine, where the namespace allows it, and never Windlass' own data."""

import asyncio
import os
import stat
from pathlib import Path

from windlass.kube.json import Object, dig
from windlass.node.volumes.base import Failed, Prepared, Request

ENFORCE = "pod-security.kubernetes.io/enforce"

_CHECKS = {
    "Directory": (stat.S_ISDIR, "a directory"),
    "DirectoryOrCreate": (stat.S_ISDIR, "a directory"),
    "File": (stat.S_ISREG, "a file"),
    "FileOrCreate": (stat.S_ISREG, "a file"),
    "Socket": (stat.S_ISSOCK, "a socket file"),
    "CharDevice": (stat.S_ISCHR, "a character device"),
    "BlockDevice": (stat.S_ISBLK, "a block device"),
}


async def host_path(request: Request, source: Object) -> Prepared:
    namespace = await request.sources.namespace(request.namespace)
    level = dig(namespace, "metadata", "labels", ENFORCE)
    if level in ("baseline", "restricted"):
        raise Failed(
            f'hostPath volumes are not allowed in namespace "{request.namespace}", which enforces the Pod Security '
            f"Standard {level}"
        )
    return await asyncio.to_thread(at, request, str(source.get("path") or ""), str(source.get("type") or ""))


def at(request: Request, path: str, kind: str = "") -> Prepared:
    """Return `path` of this machine as a volume; created if `kind` says so."""
    if not path.startswith("/"):
        raise Failed(f"hostPath {path} is not an absolute path")
    real = Path(os.path.realpath(path))
    _refuse_own(request, path, real)
    if kind in ("", "DirectoryOrCreate") and not real.exists():
        _make_folders(request, real)
    elif kind == "FileOrCreate" and not real.exists():
        with real.open("x"):
            real.chmod(0o644)
            request.owner.own(real)
    if kind:
        if kind not in _CHECKS:
            raise Failed(f"{kind} is an invalid volume type")
        holds, word = _CHECKS[kind]
        if not real.exists() or not holds(real.stat().st_mode):
            raise Failed(f"hostPath type check failed: {path} is not {word}")
    return Prepared(str(real), may_contain_mounts=True)


def _make_folders(request: Request, real: Path) -> None:
    if not real.parent.exists():
        _make_folders(request, real.parent)
    real.mkdir(mode=0o755, exist_ok=True)
    request.owner.own(real)


def _refuse_own(request: Request, path: str, real: Path) -> None:
    """Refuse Windlass' data, also inside the requested path, and /proc, through which processes expose their files."""
    folders = request.folders
    if real.is_relative_to(folders.data) or folders.data.is_relative_to(real):
        raise Failed(f"hostPath {path} is not allowed: Windlass keeps its data and credentials there")
    memory = folders.memory
    if memory is not None and (real.is_relative_to(memory) or (os.geteuid() and memory.is_relative_to(real))):
        raise Failed(f"hostPath {path} is not allowed: Windlass keeps pods' secrets there")
    if real.is_relative_to("/proc"):
        raise Failed(f"hostPath {path} is not allowed: it exposes the files of this machine's processes")
