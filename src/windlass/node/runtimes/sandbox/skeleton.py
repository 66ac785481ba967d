"""The empty root of all containers: one tree on disk, the lowest layer of each overlay.

Creating some twenty folders per container, and removing them again, was the most expensive part of its start.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH101, PTH103, PTH104, PTH112, PTH115
import fcntl
import os
import stat
import struct
from typing import NamedTuple

from windlass.node.runtimes.sandbox import trees

HOST_TREES = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "nix", "snap")
TOKEN = "run/secrets/kubernetes.io/serviceaccount"
_OWN = ("dev", "etc", "home", "media", "mnt", "proc", "root", "run", "srv", "sys", "tmp", "var")
_OWN_VAR = ("var/cache", "var/lib", "var/log", "var/tmp")
_GET_FLAGS, _SET_FLAGS, _TOP_OF_HIERARCHY = 0x80086601, 0x40086602, 0x20000
_MODES = {"root": 0o700, "tmp": 0o1777, "var/tmp": 0o1777}


class Entry(NamedTuple):
    """A folder with its mode, or a link."""

    path: str
    mode: int = 0o755
    link: str = ""


def entries() -> list[Entry]:
    """Return the entries of a root: its own folders, and mount points or links (/bin -> usr/bin) for host trees."""
    own = [Entry(path, _MODES.get(path, 0o755)) for path in (*_OWN, *_OWN_VAR)]
    return [*own, Entry("var/run", link="/run"), *_host_trees()]


def _host_trees() -> list[Entry]:
    found: list[Entry] = []
    for name in HOST_TREES:
        try:
            mode = os.lstat(f"/{name}").st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(mode):
            found.append(Entry(name, link=os.readlink(f"/{name}")))
        elif stat.S_ISDIR(mode):
            found.append(Entry(name))
    return found


def make(root: str, wanted: list[Entry], owner: int) -> None:
    """Create all entries in an empty folder, as their future owner: a change of owner is another write to the disk."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    mask = os.umask(0o022)
    os.setegid(owner)
    os.seteuid(owner)
    try:
        for path, mode, link in wanted:
            if link:
                os.symlink(link, path, dir_fd=folder)
                continue
            os.mkdir(path, mode & 0o755, dir_fd=folder)
            if mode & ~0o755:
                os.chmod(path, mode, dir_fd=folder)
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.umask(mask)
        os.close(folder)


def spread(folder: str) -> None:
    """Ask ext4 to spread the folders inside this one: its search for free inodes is slow where many were just freed."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flags = struct.unpack("i", fcntl.ioctl(fd, _GET_FLAGS, bytes(8))[:4])[0]
        fcntl.ioctl(fd, _SET_FLAGS, struct.pack("q", flags | _TOP_OF_HIERARCHY))
    except OSError:
        return  # other file systems know nothing of it
    finally:
        os.close(fd)


def prepare(data: str, owner: int) -> str:
    """Create a folder with `base`, `token` (a mount point that most pods need) and `at`, where a root can be mounted.

    It is named by its contents, and never changed nor removed: running containers depend on it.
    """
    os.makedirs(f"{data}/node/pods", 0o700, exist_ok=True)
    spread(f"{data}/node/pods")
    tree = entries()
    parts = TOKEN.split("/")
    token = [Entry("/".join(parts[: number + 1])) for number in range(len(parts))]
    named = int.from_bytes(repr((tree, token, owner)).encode(), "big") % (2**61 - 1)
    folder = f"{data}/node/roots/{named:016x}"
    if os.path.isdir(folder):
        return folder
    new = f"{folder}.{os.getpid()}"
    for name, content in (("base", tree), ("token", token), ("at", [])):
        os.makedirs(f"{new}/{name}")
        os.chmod(f"{new}/{name}", 0o755)
        os.chown(f"{new}/{name}", owner, owner)
        make(f"{new}/{name}", content, owner)
    try:
        os.rename(new, folder)
    except OSError:  # another was quicker
        trees.remove(new)
    return folder
