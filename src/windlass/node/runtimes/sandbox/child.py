"""The first process of a container, or of exec, up to its program.

Runs in a fork of the supervisor. Failures are reported over `channel` as a message; the channel closes by itself when
the program starts.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH110, PTH112, PTH113
import binascii
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
import termios
from typing import Any, NoReturn

from windlass.node.runtimes.sandbox import rootfs, syscalls, wire
from windlass.node.runtimes.sandbox.store import read_text, write_text

# The set that Docker and containerd give: chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service
# net_raw sys_chroot mknod audit_write setfcap.
DEFAULT_CAPABILITIES = {
    "CHOWN": 0,
    "DAC_OVERRIDE": 1,
    "FOWNER": 3,
    "FSETID": 4,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "SETPCAP": 8,
    "NET_BIND_SERVICE": 10,
    "NET_RAW": 13,
    "SYS_CHROOT": 18,
    "MKNOD": 27,
    "AUDIT_WRITE": 29,
    "SETFCAP": 31,
}
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MAX_OPEN_FILES = 1 << 20
_IGNORED = (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that the zygote and Python ignore, which a program would inherit."""
_CAPABILITIES_END = int(read_text("/proc/sys/kernel/cap_last_cap"))

Spec = dict[str, Any]


class CannotStart(Exception):
    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def kept_capabilities(dropped: list[str]) -> frozenset[int]:
    names = {name.upper().removeprefix("CAP_") for name in dropped}
    if "ALL" in names:
        return frozenset()
    return frozenset(number for name, number in DEFAULT_CAPABILITIES.items() if name not in names)


def run_container(channel: socket.socket, place: rootfs.Place, spec: Spec, stdio: list[int]) -> NoReturn:
    """Set up a container's first process and execute its program."""
    try:
        os.setsid()
        os.umask(0o022)
        rootfs.build(place, spec)
        oom_score(spec["limits"]["oom_score_adj"])
        many_files()
        syscalls.unshare(syscalls.NEWUSER)
        ask(channel, {"mapped": True})
        become(channel, spec, stdio, _CAPABILITIES_END, place.ids.size > 1)
    except BaseException as error:  # noqa: BLE001 - all of it goes to the supervisor, and nothing on
        fail(channel, error)


def run_exec(channel: socket.socket, user_namespace: int, spec: Spec, stdio: list[int], ids: int) -> NoReturn:
    """Execute a command beside a running container, whose mounts and processes were joined already."""
    try:
        os.setsid()
        wait(channel)
        oom_score(spec["limits"]["oom_score_adj"])
        many_files()
        syscalls.setns(user_namespace, syscalls.NEWUSER)
        become(channel, spec, stdio, _CAPABILITIES_END, ids > 1)
    except BaseException as error:  # noqa: BLE001 - all of it goes to the supervisor, and nothing on
        fail(channel, error)


def spawn(joins: list[tuple[int, int]], flags: int) -> int:
    """Fork into other namespaces: joined ones (descriptor, kind) and new ones. Like fork, returns 0 in the child.

    A process that joined another pid namespace cannot return if it is not root, so an intermediate process does it,
    whose child becomes our own (CLONE_PARENT).
    """
    if not joins:
        return syscalls.clone(flags)
    reader, writer = os.pipe()
    between = os.fork()
    if between == 0:
        pid = -1
        try:
            for descriptor, kind in joins:
                syscalls.setns(descriptor, kind)
            pid = syscalls.clone(flags | syscalls.CLONE_PARENT)
        except OSError:
            os._exit(1)
        if pid == 0:
            os.close(reader)
            os.close(writer)
            return 0
        os.write(writer, struct.pack("i", pid))
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 4)
    os.close(reader)
    os.waitpid(between, 0)
    if len(answer) < 4:
        raise ProcessLookupError(3, "the container has ended", "setns")
    return struct.unpack("i", answer)[0]


def _limit_processes(limit: int) -> None:
    """Limit the number of processes; an ordinary user cannot exceed the system's limit."""
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))


def become(channel: socket.socket, spec: Spec, stdio: list[int], capabilities_end: int, many_ids: bool) -> NoReturn:
    """Drop all privileges but the container's, and execute its program."""
    user, group = spec["user"] or 0, spec["group"] or 0
    filters = binascii.a2b_base64(spec["seccomp_filter"])
    filtered = not filters or _set_filter_early(filters, spec)
    _limit_processes(spec["limits"]["pids"] or 4096)
    if many_ids:
        os.setgroups(spec["groups"])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    _enter(spec["working_dir"] or "/")
    if spec["tty"]:
        stdio = _terminal(channel)
    kept = kept_capabilities(spec["drop_capabilities"])
    syscalls.hide_from_others()  # it still holds the supervisor's descriptors, and soon no more rights than they have
    syscalls.keep_capabilities(kept, capabilities_end)
    if spec["no_new_privileges"]:
        syscalls.no_new_privileges()
    program = find_program(spec["argv"][0], spec["environment"].get("PATH", DEFAULT_PATH))
    _stdio(stdio)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.umask(0o022)
    syscalls.die_with_parent(signal.SIGKILL)
    if _hung_up(channel):
        os._exit(1)
    syscalls.close_on_exec_from(3)
    if not filtered:
        syscalls.no_new_privileges()
        syscalls.set_filter(filters)
    _execute(program, spec)


def _set_filter_early(program: bytes, spec: Spec) -> bool:
    """Set the filter while this process may do so without no_new_privileges, which would disable setuid programs.

    The calls that follow up to the program are then filtered too. A container with no_new_privileges, or a plain
    process without CAP_SYS_ADMIN, gets its filter right before its program instead.
    """
    if spec["no_new_privileges"]:
        return False
    try:
        syscalls.set_filter(program)
    except PermissionError:
        return False
    return True


def find_program(name: str, path: str) -> str:
    """Find a program as a shell does. Raises CannotStart with the messages of container runtimes."""
    if "/" in name:
        if not os.path.exists(name):
            raise CannotStart(f'exec: "{name}": stat {name}: no such file or directory', 127)
        if os.path.isdir(name):
            raise CannotStart(f'exec: "{name}": is a directory', 126)
        if not os.access(name, os.X_OK):
            raise CannotStart(f'exec: "{name}": permission denied', 126)
        return name
    refused = False
    for folder in path.split(":"):
        candidate = f"{folder or '.'}/{name}"
        if os.path.isfile(candidate):
            if os.access(candidate, os.X_OK):
                return candidate
            refused = True
    if refused:
        raise CannotStart(f'exec: "{name}": permission denied', 126)
    raise CannotStart(f'exec: "{name}": executable file not found in $PATH', 127)


def _execute(program: str, spec: Spec) -> NoReturn:
    try:
        os.execve(program, spec["argv"], spec["environment"])
    except OSError as error:
        words = (error.strerror or "failed").lower()
        raise CannotStart(
            f'exec: "{spec["argv"][0]}": {words}', 127 if isinstance(error, FileNotFoundError) else 126
        ) from error


def _enter(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        words = (error.strerror or "failed").lower()
        raise CannotStart(
            f'OCI runtime create failed: chdir to cwd ("{folder}") set in config.json failed: {words}', 128
        ) from error


def _terminal(channel: socket.socket) -> list[int]:
    """Open a terminal inside the container; its other end goes to the supervisor."""
    master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    fcntl.ioctl(master, 0x40045431, struct.pack("i", 0))  # TIOCSPTLCK
    number = struct.unpack("i", fcntl.ioctl(master, 0x80045430, struct.pack("i", 0)))[0]  # TIOCGPTN
    slave = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    wire.send(channel, {"terminal": True}, [master])
    os.close(master)
    return [slave, slave, slave]


def _stdio(stdio: list[int]) -> None:
    spare = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) if fd >= 0 else os.open("/dev/null", os.O_RDWR) for fd in stdio]
    spare = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in spare]
    for number, fd in enumerate(spare):
        os.dup2(fd, number, inheritable=True)


def many_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_OPEN_FILES, max(hard, _MAX_OPEN_FILES)))
    except (OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def oom_score(score: int) -> None:
    try:
        write_text("/proc/self/oom_score_adj", str(score))
    except OSError:
        return  # an ordinary user cannot ask to be spared more than it is


def ask(channel: socket.socket, message: wire.Message) -> None:
    wire.send(channel, message)
    wait(channel)


def wait(channel: socket.socket) -> None:
    if channel.recv(1) != b"G":
        os._exit(1)  # the supervisor has gone


def _hung_up(channel: socket.socket) -> bool:
    channel.setblocking(False)
    try:
        return channel.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


def fail(channel: socket.socket, error: BaseException) -> NoReturn:
    code = error.exit_code if isinstance(error, CannotStart) else 128
    message = str(error)
    if isinstance(error, OSError):
        message = (
            f"failed to create containerd task: {error.filename or 'sandbox'}: {(error.strerror or str(error)).lower()}"
        )
    try:
        channel.setblocking(True)
        wire.send(channel, {"error": message, "exit_code": code})
    except OSError as gone:
        sys.stderr.write(f"{gone}\n")
    os._exit(code)
