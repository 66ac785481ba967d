"""A container's root file system: read-only parts of the machine, and folders of its own on disk.

`build` runs in the container's first process, in its own mount namespace, before it drops its privileges. Paths that
the pod controls (mount paths, links in its volumes) are only resolved after the machine's own tree has been unmounted.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH101, PTH102, PTH103, PTH106, PTH108, PTH110, PTH112, PTH114, PTH115, PTH116, PTH120, PTH208, PTH211
import errno
import os
import stat
from typing import Any, NamedTuple

from windlass.node.runtimes.sandbox import identity, skeleton, store, syscalls, trees
from windlass.node.runtimes.sandbox.skeleton import HOST_TREES
from windlass.node.runtimes.sandbox.syscalls import ATTR_NODEV, ATTR_NOEXEC, ATTR_NOSUID, ATTR_RDONLY, bind, mount

_NODES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
_TOKEN = (f"/{skeleton.TOKEN}", f"/var/{skeleton.TOKEN}")
_UNSYNCED = ",volatile"
"""Without it the whole disk is synced when a layer is unmounted."""
_ETC = "mode=755,size=64m"
SHARED_MEMORY = "/dev/shm"
_PLAIN = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC

Spec = dict[str, Any]
Point = tuple[str, bool]
"""A path in the container at which something is mounted, and whether it is a folder."""


class CannotMount(Exception):
    """A mount of the container is not possible."""


class Place(NamedTuple):
    """Where a container's root is built: its folder on disk, the pod's /dev/shm, the data directory, its ids."""

    folder: str
    shm: str
    data: str
    ids: identity.Range
    real_root: bool
    hostname: str
    hosts: str
    resolv_conf: str
    skeleton: str = ""
    """The folder of `skeleton.prepare`; "": each root is built from scratch."""


def build(place: Place, spec: Spec) -> None:
    """Build the root, enter it, and mount the container's volumes in it."""
    mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    root = make_root(place, spec)
    points = _mount_points(root, spec)
    _host_trees(place, root, points, spec)
    _etc(place, root, spec, points)
    _kernel(root)
    _devices(place, root, spec)
    _prefixes(place, root, spec)
    wanted = sorted(spec["mounts"], key=lambda mount: _parts(mount["target"]))
    sources = [_source(mount) for mount in wanted]
    os.chdir(root)
    syscalls.pivot_root(".", ".")
    syscalls.umount(".")
    os.chdir("/")
    folder = spec["working_dir"]
    if any(mount["target"].startswith(f"{folder}/") for mount in wanted):
        _working_dir(place, spec)  # else it would be made for the mount point in it, and be root's
    for each, source in zip(wanted, sources, strict=True):
        _place_mount(place, each, source)
    _working_dir(place, spec)
    if spec["read_only_root"]:
        for path in ("/", "/etc"):
            syscalls.set_attributes(-1, ATTR_RDONLY, path=path, recursive=False)


def give(place: Place, *folders: str) -> None:
    """Give newly created folders to the container's root."""
    if place.ids.base:
        for folder in folders:
            os.chown(folder, place.ids.base, place.ids.base, follow_symlinks=False)


def make_root(place: Place, spec: Spec) -> str:
    """Create an empty root and return its mount point: an overlay over the shared skeleton, with only changes on disk.

    Without syncing: what is written lives no longer than the container.
    """
    upper, work = f"{place.folder}/root", f"{place.folder}/work"
    os.mkdir(upper, 0o755)
    give(place, upper)
    if place.skeleton:
        os.mkdir(work, 0o700)
        try:
            parts = ("token", "base") if any(m["target"] in _TOKEN for m in spec["mounts"]) else ("base",)
            lower = ":".join(f"{_escaped(place.skeleton)}/{part}" for part in parts)
            _overlay(place, lower, f"{place.skeleton}/at", upper, work, flags=0, more=_UNSYNCED)
            return f"{place.skeleton}/at"
        except OSError:  # a file system that takes no layers
            trees.remove(work)
    skeleton.make(upper, skeleton.entries(), place.ids.base)
    bind(upper, upper)
    return upper


def remove_root(folder: str) -> bool:
    """Remove the files of a root in which nothing was written, quickly; False if there is more."""
    work = f"{folder}/work"
    try:
        os.rmdir(f"{folder}/root")
        if os.path.lexists(f"{folder}/layers"):
            return False
        os.unlink(f"{work}/work/incompat/volatile/dirty")
        for inside in ("/work/incompat/volatile", "/work/incompat", "/work", ""):
            os.rmdir(work + inside)
    except OSError:
        return not any(os.path.lexists(f"{folder}/{name}") for name in store.LAYERS)
    return True


def _host_trees(place: Place, root: str, points: list[Point], spec: Spec) -> None:
    folder = (_through_links(root, spec["working_dir"] or "/"), True)
    for name, _mode, link in skeleton.entries():
        if link or name not in HOST_TREES:
            continue
        inside = f"{root}/{name}"
        if missing := _missing([folder, *points], name):
            try:
                upper = _upper(place, name)
                _make_points(place, upper, name, missing)
                if folder in missing:
                    _give_to_user(place, upper + folder[0].removeprefix(f"/{name}"), spec)
                _overlay(place, f"/{name}", inside, upper, f"{upper}.work", more=_UNSYNCED)
            except OSError as error:
                raise CannotMount(f"cannot create the mount point {missing[0][0]}: {error.strerror}") from error
        else:
            bind(f"/{name}", inside, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV)
        if (place.data + "/").startswith(f"/{name}/"):
            mount("tmpfs", root + place.data, "tmpfs", _PLAIN, "mode=755,size=1m")


def _mount_points(root: str, spec: Spec) -> list[Point]:
    wanted = [(m["target"], m["source"] == "tmpfs" or os.path.isdir(m["source"])) for m in spec["mounts"]]
    wanted += [(prefix, True) for prefix in spec["prefixes"]]
    return [(_through_links(root, path), is_folder) for path, is_folder in wanted]


def _missing(points: list[Point], name: str) -> list[Point]:
    """Return the mount points below a tree of the machine that the tree does not have."""
    return [(path, kind) for path, kind in points if path.startswith(f"/{name}/") and not os.path.lexists(path)]


def _make_points(place: Place, upper: str, name: str, missing: list[Point]) -> None:
    """Create mount points in the upper layer before it is mounted.

    An ordinary user may not create them in the machine's folders.
    """
    for path, is_folder in missing:
        inside = upper + path.removeprefix(f"/{name}")
        _make_folder(place, inside if is_folder else os.path.dirname(inside))
        if not is_folder:
            os.close(os.open(inside, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _through_links(root: str, path: str) -> str:
    """Resolve a top-level link of a path: /lib/x is /usr/lib/x."""
    path = os.path.normpath("/" + path.lstrip("/"))
    top, _, rest = path.lstrip("/").partition("/")
    link = f"{root}/{top}"
    return os.path.normpath("/" + f"{os.readlink(link)}/{rest}".lstrip("/")) if os.path.islink(link) else path


def _upper(place: Place, name: str) -> str:
    """Return the folder of a writable layer over a tree of the machine."""
    upper = f"{place.folder}/layers/{name}"
    os.makedirs(upper, 0o755, exist_ok=True)
    os.makedirs(f"{upper}.work", 0o700, exist_ok=True)
    give(place, upper)
    return upper


def _overlay(
    place: Place,
    lower: str,
    target: str,
    upper: str,
    work: str,
    *,
    flags: int = syscalls.MS_NOSUID | syscalls.MS_NODEV,
    more: str = "",
) -> None:
    options = f"lowerdir={lower},upperdir={_escaped(upper)},workdir={_escaped(work)}{more}"
    mount("overlay", target, "overlay", flags, options if place.real_root else f"{options},userxattr")


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def _etc(place: Place, root: str, spec: Spec, points: list[Point]) -> None:
    """Mount the machine's /etc with a few files of the container's own; its changes stay in memory."""
    target, base = f"{root}/etc", place.ids.base
    mount("tmpfs", target, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, f"{_ETC},uid={base},gid={base}")
    memory = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    layers = f"/proc/self/fd/{memory}"
    upper, work = f"{layers}/upper", f"{layers}/work"
    os.mkdir(upper, 0o755)
    os.mkdir(work, 0o700)
    give(place, upper)
    _own_files(place, upper, spec)
    _make_points(place, upper, "etc", _missing(points, "etc"))
    try:
        _overlay(place, "/etc", target, upper, work)
    except OSError:  # one that takes no layers: a copy does
        import shutil

        trees.remove(work)
        trees.remove(upper)
        shutil.copytree("/etc", target, symlinks=True, dirs_exist_ok=True, ignore=_unreadable)
        _own_files(place, target, spec)
    os.close(memory)


def _own_files(place: Place, folder: str, spec: Spec) -> None:
    user, group = spec["user"] or 0, spec["group"] or 0
    _write_file(place, f"{folder}/hostname", place.hostname + "\n")
    _write_file(place, f"{folder}/hosts", place.hosts)
    _write_file(place, f"{folder}/resolv.conf", place.resolv_conf)
    _write_file(place, f"{folder}/passwd", identity.passwd(user, group, spec["environment"]))
    _write_file(place, f"{folder}/group", identity.group_file(group, spec["groups"]))


def _unreadable(folder: str, names: list[str]) -> list[str]:
    return [
        n
        for n in names
        if not os.access(f"{folder}/{n}", os.R_OK, follow_symlinks=True) and not os.path.islink(f"{folder}/{n}")
    ]


def _write_file(place: Place, path: str, text: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)  # the machine's may be a link to elsewhere
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, text.encode())
        if place.ids.base:
            os.fchown(fd, place.ids.base, place.ids.base)
    finally:
        os.close(fd)


def _kernel(root: str) -> None:
    mount("proc", f"{root}/proc", "proc", _PLAIN)
    for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"):
        if os.path.lexists(f"{root}/proc/{name}"):
            bind(f"{root}/proc/{name}", f"{root}/proc/{name}", ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV | ATTR_NOEXEC)
    try:
        mount("sysfs", f"{root}/sys", "sysfs", _PLAIN | syscalls.MS_RDONLY)
    except OSError:  # parts of the machine's are hidden, so no new one may be made
        bind("/sys", f"{root}/sys", ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV | ATTR_NOEXEC)


def _devices(place: Place, root: str, spec: Spec) -> None:
    dev = f"{root}/dev"
    owner = f",uid={place.ids.base},gid={place.ids.base}"
    mount("tmpfs", dev, "tmpfs", syscalls.MS_NOSUID, f"mode=755,size=64k{owner}")
    for name in _NODES:
        _node(place, f"/dev/{name}", f"{dev}/{name}")
    for path in spec["devices"]:
        if not os.path.exists(path):
            raise CannotMount(f'error gathering device information while adding custom device "{path}": no such file')
        os.makedirs(os.path.dirname(root + path), 0o755, exist_ok=True)
        _device(path, root + path)
    for name, target in _LINKS.items():
        os.symlink(target, f"{dev}/{name}")
    for name in ("pts", "shm", "mqueue"):
        os.mkdir(f"{dev}/{name}", 0o755)
    terminals = f",gid={place.ids.base + 5}" if place.ids.size > 5 else ""
    mount(
        "devpts", f"{dev}/pts", "devpts", _PLAIN & ~syscalls.MS_NODEV, f"newinstance,ptmxmode=0666,mode=0620{terminals}"
    )
    bind(place.shm, f"{dev}/shm")
    if place.shm == SHARED_MEMORY:
        _hide_volumes(f"{dev}/shm")
    try:
        mount("mqueue", f"{dev}/mqueue", "mqueue", _PLAIN)
    except PermissionError:
        return  # the machine's own queues (hostIPC) are not an ordinary user's to show


def _node(place: Place, source: str, target: str) -> None:
    """Provide a device node that every container has. Root creates it, which takes fewer calls than a bind mount."""
    if place.real_root:
        try:
            os.mknod(target, stat.S_IFCHR | 0o666, os.stat(source).st_rdev)
            os.chmod(target, 0o666)
            return
        except PermissionError:
            pass  # root in a container that may not
    _device(source, target)


def _hide_volumes(shared_memory: str) -> None:
    """Hide other pods' volumes: with hostIPC the machine's /dev/shm is visible, where the agent keeps them."""
    for name in os.listdir(shared_memory):
        path = f"{shared_memory}/{name}"
        if not name.startswith("windlass-") or not os.path.isdir(path):
            continue
        try:
            mount("tmpfs", path, "tmpfs", _PLAIN | syscalls.MS_RDONLY, "mode=000,size=4k")
        except FileNotFoundError:
            continue  # it has gone meanwhile


def _device(source: str, target: str) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666))
    bind(source, target)


def _prefixes(place: Place, root: str, spec: Spec) -> None:
    for prefix in spec["prefixes"]:
        path = os.path.normpath(prefix)
        shown = _through_links(root, path)
        seen = any(shown == f"/{n}" or shown.startswith(f"/{n}/") for n in HOST_TREES)
        if seen and not (shown + "/").startswith(place.data + "/"):
            continue  # part of a tree that is there already
        if not os.path.isdir(path):
            raise CannotMount(f"the environment {path} does not exist")
        _make_folder(place, root + shown)
        _open_way(root, os.path.dirname(shown))
        bind(path, root + shown, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV)


def _open_way(root: str, folder: str) -> None:
    """Let every user of the container traverse the parents, such as /root, without listing them."""
    while folder != "/":
        mode = os.stat(root + folder).st_mode
        if not mode & stat.S_IXOTH:
            os.chmod(root + folder, stat.S_IMODE(mode) | stat.S_IXGRP | stat.S_IXOTH)
        folder = os.path.dirname(folder)


def _parts(path: str) -> int:
    return len([part for part in path.split("/") if part])


def _source(wanted: dict[str, Any]) -> int | None:
    """Open the source of a mount. The agent resolved its links; any link found now was put there by a container."""
    if wanted["source"] == "tmpfs":
        return None
    try:
        if wanted.get("own"):
            return syscalls.open_tree(wanted["source"])
        return syscalls.open_tree_without_links(wanted["source"])
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
            raise
        words = (error.strerror or "").lower()
        raise CannotMount(f'failed to mount to "{wanted["target"]}": {wanted["source"]}: {words}') from error


def _place_mount(place: Place, wanted: dict[str, Any], source: int | None) -> None:
    target = os.path.normpath("/" + wanted["target"].lstrip("/"))
    try:
        if source is None:
            _make_folder(place, target)
            size = f",size={wanted['size']}" if wanted["size"] else ""
            owner = f",uid={place.ids.base},gid={place.ids.base}"
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | (syscalls.MS_RDONLY if wanted["read_only"] else 0)
            mount("tmpfs", target, "tmpfs", flags, f"mode=1777{size}{owner}")
            return
        if stat.S_ISDIR(os.fstat(source).st_mode):
            _make_folder(place, target)
        elif not os.path.exists(target):
            _make_folder(place, os.path.dirname(target))
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        forbidden = (ATTR_RDONLY if wanted["read_only"] else 0) | (0 if wanted.get("executable", True) else ATTR_NOEXEC)
        syscalls.set_attributes(source, ATTR_NOSUID | forbidden)
        syscalls.move_mount(source, target)
        os.close(source)
    except OSError as error:
        raise CannotMount(f'failed to mount to "{target}": {error.strerror}') from error


def _make_folder(place: Place, path: str) -> None:
    """Like makedirs; each new folder belongs to the container's root."""
    if path == "/" or os.path.isdir(path):
        return
    _make_folder(place, os.path.dirname(path))
    os.mkdir(path, 0o755)
    give(place, path)


def _working_dir(place: Place, spec: Spec) -> None:
    """Create the working directory; a new one belongs to the container's user, who may write there, as in images."""
    path = spec["working_dir"]
    if not path or os.path.exists(path):
        return
    try:
        _make_folder(place, os.path.normpath(path))
        _give_to_user(place, path, spec)
    except OSError as error:
        raise CannotMount(f"failed to create the working directory {path}: {error.strerror}") from error


def _give_to_user(place: Place, path: str, spec: Spec) -> None:
    user, group = spec["user"] or 0, spec["group"] or 0
    if max(user, group) < place.ids.size:
        os.chown(path, place.ids.base + user, place.ids.base + group)
