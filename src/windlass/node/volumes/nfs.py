"""nfs: a folder of an NFS server, mounted on this machine for each pod that uses it, where the node can.

Mounts are below `node/nfs` of the data directory, apart from the folders that are removed with a pod: what removes
files never meets a mount.
"""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from windlass.apis.local_volumes import SHARED_CLASS
from windlass.kube.json import Object, dig
from windlass.node.runtimes.sandbox.syscalls import umount
from windlass.node.volumes.base import Failed, Prepared, Request
from windlass.node.volumes.host_path import ENFORCE
from windlass.node.volumes.volume_folders import make_private

SERVER = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:]+")
OPTION = re.compile(r"[A-Za-z0-9_]+(=[^,\s\\]+)?")
ALWAYS = ("retry=0", "nosuid", "nodev")
"""Last, so that they win over a volume's own options. `retry=0`: the node tries again itself."""
MOUNT_TIMEOUT_SECONDS = 60


class Share(NamedTuple):
    """A folder of a server, and how to mount it."""

    server: str
    path: str
    read_only: bool = False
    options: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return f"[{self.server}]:{self.path}" if ":" in self.server else f"{self.server}:{self.path}"


class Machine(NamedTuple):
    """Facts that decide whether this node can mount NFS."""

    is_root: bool
    has_file_system: bool
    has_program: bool
    is_shared: bool
    """Whether mounts that are made later appear in containers."""


def share_of(source: Object, options: Sequence[object] = ()) -> Share:
    """Read the volume's fields. Raises Failed for values that `mount` could take for something else."""
    server, path = str(source.get("server") or ""), str(source.get("path") or "")
    if not SERVER.fullmatch(server):
        raise Failed(f"nfs.server: {server!r} is not the name or address of a server")
    if not path.startswith("/") or not path.isprintable():
        raise Failed(f"nfs.path: {path!r} is not an absolute path")
    given = tuple(map(str, options))
    invalid = next((option for option in given if not OPTION.fullmatch(option)), None)
    if invalid is not None:
        raise Failed(f"mountOptions: {invalid!r} is not an option of mount")
    return Share(server, path, bool(source.get("readOnly")), given)


def obstacle(machine: Machine) -> str:
    """The reason for which this node cannot mount NFS; empty if it can."""
    if not machine.is_root:
        return "this node does not run as root"
    if not machine.has_file_system:
        return "the kernel of this machine has no NFS"
    if not machine.has_program:
        return "mount.nfs is not on this machine (Debian: apt-get install nfs-common)"
    if not machine.is_shared:
        return "mounts of this machine do not reach containers (mount --make-rshared / before Windlass starts)"
    return ""


def ways_out(share: Share, why: str) -> str:
    return (
        f"nfs volumes are not supported by this node: {why}. Mount {share.address} on this machine and use a hostPath "
        f"volume of that folder, or use a claim of the storage class {SHARED_CLASS}"
    )


def mount_arguments(share: Share, target: Path) -> list[str]:
    options = ",".join((*share.options, *(("ro",) if share.read_only else ()), *ALWAYS))
    return ["mount", "-t", "nfs", "-o", options, "--", share.address, str(target)]


async def nfs(request: Request, source: Object) -> Prepared:
    """A volume of the pod itself: as with hostPath, not where the namespace enforces a Pod Security Standard."""
    namespace = await request.sources.namespace(request.namespace)
    level = dig(namespace, "metadata", "labels", ENFORCE)
    if level in ("baseline", "restricted"):
        raise Failed(
            f'nfs volumes of pods are not allowed in namespace "{request.namespace}", which enforces the Pod Security '
            f"Standard {level}: use a claim that is bound to a PersistentVolume with this share"
        )
    return await asyncio.to_thread(at, request, share_of(source))


def at(request: Request, share: Share) -> Prepared:
    """Mount the share for the pod, once."""
    target = request.folders.network / request.uid / request.name
    if str(target) not in mount_points():
        make_private(target.parent)
        if why := obstacle(this_machine(target.parent)):
            raise Failed(ways_out(share, why))
        target.mkdir(mode=0o700, exist_ok=True)
        _mount(share, target)
    return Prepared(str(target), share.read_only)


def _mount(share: Share, target: Path) -> None:
    try:
        done = subprocess.run(
            mount_arguments(share, target), capture_output=True, text=True, timeout=MOUNT_TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"mount of {share.address} took more than {MOUNT_TIMEOUT_SECONDS} s") from None
    if done.returncode:
        raise Failed(f"mount of {share.address} failed: {' '.join(done.stderr.split())}")


def unmount(folder: Path) -> None:
    """Unmount the shares of a pod and remove their mount points, never what is in them. Raises OSError."""
    mounted = mount_points()
    for target in folder.iterdir() if folder.is_dir() else ():
        if str(target) in mounted:
            umount(str(target))
        target.rmdir()
    if folder.is_dir():
        folder.rmdir()


def this_machine(folder: Path) -> Machine:
    if os.geteuid() != 0:
        return Machine(False, False, False, False)
    return Machine(
        is_root=True,
        has_file_system=_has_file_system(),
        has_program=shutil.which("mount.nfs", path="/usr/sbin:/sbin:/usr/bin:/bin") is not None,
        is_shared=is_shared(Path("/proc/self/mountinfo").read_text(), os.path.realpath(folder)),
    )


def _has_file_system() -> bool:
    if _knows_nfs():
        return True
    modprobe = shutil.which("modprobe", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if modprobe is not None:
        subprocess.run([modprobe, "--quiet", "nfs"], capture_output=True, timeout=MOUNT_TIMEOUT_SECONDS, check=False)
    return _knows_nfs()


def _knows_nfs() -> bool:
    known = Path("/proc/filesystems").read_text().split()
    return "nfs" in known or "nfs4" in known


def is_shared(mountinfo: str, folder: str) -> bool:
    """Whether mounts below a folder propagate to other mount namespaces."""
    best, shared = "", False
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        point = _unescaped(fields[4])
        inside = folder == point or folder.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two at the same point the later one covers the earlier
            optional = fields[6 : fields.index("-")]
            best, shared = point, any(field.startswith("shared:") for field in optional)
    return shared


def mount_points() -> set[str]:
    """Read from the kernel's table: asking a mount whose server is away would block."""
    table = Path("/proc/self/mountinfo").read_text()
    return {_unescaped(line.split(" ", 5)[4]) for line in table.splitlines()}


def _unescaped(point: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), point)
