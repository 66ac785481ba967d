"""System calls that Python 3.11 does not offer: namespaces, mounts, capabilities."""

import ctypes
import os
import struct

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
CLONE_PARENT = 0x8000
SIGCHLD = 17

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE, MS_SLAVE = (
    1,
    2,
    4,
    8,
    4096,
    16384,
    1 << 18,
    1 << 19,
)
MNT_DETACH = 2

ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_NOEXEC = 1, 2, 4, 8

_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 4

_PR_SET_DUMPABLE = 4
_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 15, 24, 36, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

# Numbers that differ between machines; those of calls newer than 2019 are the same on all.
_CLONE, _PIVOT_ROOT, _CAPSET, _SECCOMP = (
    (220, 41, 91, 277) if os.uname().machine in ("aarch64", "riscv64") else (56, 155, 126, 317)
)
_OPEN_TREE, _MOVE_MOUNT, _CLOSE_RANGE, _OPENAT2, _MOUNT_SETATTR = 428, 429, 436, 437, 442
_RESOLVE_NO_SYMLINKS = 4
_CLOSE_RANGE_CLOEXEC = 4
_SECCOMP_SET_MODE_FILTER = 1

# PyDLL holds the interpreter's lock over a call: a clone must find it as it left it.
_libc = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
    return result


def _syscall(number: int, *arguments: object, what: str) -> int:
    return _check(int(_libc.syscall(ctypes.c_long(number), *arguments)), what)


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    _check(_libc.setns(fd, kind), "setns")


def clone(flags: int) -> int:
    """`fork` into new namespaces. Only for a single-threaded process."""
    zero = ctypes.c_long(0)
    return _syscall(_CLONE, ctypes.c_ulong(flags | SIGCHLD), zero, zero, zero, zero, what="clone")


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    result = _libc.mount(
        os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), os.fsencode(data) or None
    )
    _check(result, target)


def umount(target: str, flags: int = MNT_DETACH) -> None:
    _check(_libc.umount2(os.fsencode(target), flags), target)


def pivot_root(new: str, old: str) -> None:
    _syscall(_PIVOT_ROOT, os.fsencode(new), os.fsencode(old), what=new)


def open_tree(path: str) -> int:
    """Clone the mounts at and below `path`, detached."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_RECURSIVE
    return _syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(path), ctypes.c_uint(flags), what=path)


def open_tree_without_links(path: str) -> int:
    """Like `open_tree`, but fail with ELOOP if any part of `path` is a link."""
    how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_NO_SYMLINKS)
    found = _syscall(_OPENAT2, _AT_FDCWD, os.fsencode(path), how, ctypes.c_size_t(len(how)), what=path)
    try:
        flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_RECURSIVE | _AT_EMPTY_PATH
        return _syscall(_OPEN_TREE, ctypes.c_int(found), b"", ctypes.c_uint(flags), what=path)
    finally:
        os.close(found)


def set_attributes(fd: int, attributes: int, *, path: str = "", recursive: bool = True) -> None:
    """Set mount attributes of the tree `fd`, or of the mount at `path`."""
    record = struct.pack("=QQQQ", attributes, 0, 0, 0)
    flags = (0 if path else _AT_EMPTY_PATH) | (_AT_RECURSIVE if recursive else 0)
    where = ctypes.c_int(_AT_FDCWD if path else fd)
    _syscall(
        _MOUNT_SETATTR,
        where,
        os.fsencode(path),
        ctypes.c_uint(flags),
        record,
        ctypes.c_size_t(32),
        what=path or str(fd),
    )


def move_mount(fd: int, target: str) -> None:
    flags = ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH)
    _syscall(_MOVE_MOUNT, ctypes.c_int(fd), b"", _AT_FDCWD, os.fsencode(target), flags, what=target)


def bind(source: str, target: str, attributes: int = 0) -> None:
    tree = open_tree(source)
    try:
        if attributes:
            set_attributes(tree, attributes)
        move_mount(tree, target)
    finally:
        os.close(tree)


def sethostname(name: str) -> None:
    raw = name.encode()
    _check(_libc.sethostname(raw, ctypes.c_size_t(len(raw))), name)


def _prctl(option: int, first: int, *, what: str) -> None:
    _check(_libc.prctl(option, first, 0, 0, 0), what)


def die_with_parent(signal: int) -> None:
    """Get a signal when the parent dies. Changes of user and capabilities reset it, so call this after them."""
    _prctl(_PR_SET_PDEATHSIG, signal, what="PR_SET_PDEATHSIG")


def become_reaper() -> None:
    """Adopt descendants whose parents have ended."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, what="PR_SET_CHILD_SUBREAPER")


def set_name(name: str) -> None:
    text = ctypes.create_string_buffer(name.encode()[:15])
    _prctl(_PR_SET_NAME, ctypes.addressof(text), what="PR_SET_NAME")


def hide_from_others() -> None:
    """Hide this process' files and memory from processes of the same user until it executes a program."""
    _prctl(_PR_SET_DUMPABLE, 0, what="PR_SET_DUMPABLE")


def no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, what="PR_SET_NO_NEW_PRIVS")


def set_filter(program: bytes) -> None:
    """Filter the system calls of this process and its programs by a BPF program, an array of struct sock_filter.

    The kernel demands CAP_SYS_ADMIN in the user namespace, or `no_new_privileges` before.
    """
    code = ctypes.create_string_buffer(program, len(program))
    record = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    zero = ctypes.c_uint(0)
    _syscall(_SECCOMP, ctypes.c_uint(_SECCOMP_SET_MODE_FILTER), zero, record, what="seccomp")


def keep_capabilities(kept: frozenset[int], last: int) -> None:
    """Drop all but `kept` of the capabilities 0..last, for this process and its programs."""
    for capability in range(last + 1):
        if capability not in kept:
            _prctl(_PR_CAPBSET_DROP, capability, what="PR_CAPBSET_DROP")
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = struct.pack("=Ii", 0x20080522, 0)
    mask = sum(1 << capability for capability in kept)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    _syscall(_CAPSET, header, struct.pack("=IIIIII", low, low, 0, high, high, 0), what="capset")


def close_on_exec_from(first: int) -> None:
    flags = ctypes.c_uint(_CLOSE_RANGE_CLOEXEC)
    _syscall(_CLOSE_RANGE, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), flags, what="close_range")
