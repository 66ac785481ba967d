"""What a pod tries that should not work: runs in the pod, and says of each attempt what came of it, as JSON.

Stdlib only. An attempt that is refused raises OSError; one that answers anything has got in.
"""

# Says what it tries in the system's own words.
# ruff: noqa: PTH110, PTH116, PTH208
import ctypes
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path

NEW_NS, NEW_USER = 0x20000, 0x10000000
MS_REMOUNT, MS_BIND = 32, 4096
LIBC = ctypes.CDLL(None, use_errno=True)
KNOWN = json.loads(
    os.environ.get("KNOWN", "{}")
)  # of the machine: data, secret, victim's pids and folder, ports, addresses


class Refused(OSError):
    pass


def check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def nothing(found: object) -> object:
    """An empty answer is a refusal too."""
    if not found:
        raise Refused("nothing there")
    return found


def processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


# files


def list_homes() -> object:
    return nothing([*os.listdir("/root"), *os.listdir("/home")])


def list_data() -> object:
    return os.listdir(KNOWN["data"])


def list_temporary() -> object:
    return nothing([*os.listdir("/tmp"), *os.listdir("/var/tmp")])


def read_admin_credential() -> object:
    found = []
    for name in ("credentials/admin.token", "kubeconfig", "pki/ca.key", "store.db", "store.db.journal", "run/api.sock"):
        for top in ("", "/proc/1/root", "/proc/self/root", "/proc/1/cwd/../../../.."):
            if os.path.exists(f"{top}{KNOWN['data']}/{name}"):
                found.append(f"{top}{KNOWN['data']}/{name}")
    return nothing(found)


def read_victims_volume() -> object:
    return Path(KNOWN["victim"], "volumes", "own", "secret.txt").read_text()


def read_victims_environment() -> object:
    found = []
    for pid in {*processes(), *KNOWN["pids"]} - {os.getpid()}:
        for name in ("environ", "cmdline"):
            try:
                if KNOWN["secret"] in Path(f"/proc/{pid}/{name}").read_text(errors="replace"):
                    found.append(pid)
            except OSError:
                continue
    return nothing(found)


def find_secret_in_shared_memory() -> object:
    return nothing([name for name in os.listdir("/dev/shm") if KNOWN["secret"] in name])


def find_shared_segment() -> object:
    return check(LIBC.shmget(KNOWN["segment"], 0, 0))


def write_machine() -> object:
    written = []
    for path in ("/usr/intruder", "/usr/bin/intruder", "/opt/intruder", "/lib/intruder", "/sys/intruder"):
        try:
            Path(path).write_text("x")
            written.append(path)
        except OSError:
            continue
    return nothing(written)


def write_kernel() -> object:
    written = []
    for path in ("/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/dev/kmsg"):
        try:
            os.write(os.open(path, os.O_WRONLY), b"h")
            written.append(path)
        except OSError:
            continue
    return nothing(written)


def make_disk() -> object:
    os.mknod("/tmp/disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0))
    return "made"


def find_disks() -> object:
    return nothing(
        [n for n in os.listdir("/dev") if stat.S_ISBLK(os.stat(f"/dev/{n}").st_mode) or n in ("mem", "kmem")]
    )


# processes


def see_processes() -> object:
    """Its own is the first of its namespace; others are there only if it made them."""
    return nothing([pid for pid in processes() if pid != os.getpid()])


def signal_processes() -> object:
    reached = []
    for pid in KNOWN["pids"]:
        try:
            os.kill(pid, signal.SIGKILL)
            reached.append(pid)
        except ProcessLookupError:
            continue
    return nothing([pid for pid in reached if pid != os.getpid()])


def kill_everything() -> object:
    """All that can be signalled; the test sees who lives on."""
    os.kill(-1, signal.SIGKILL)
    return "sent"


# network


def connect() -> object:
    reached = []
    for host in KNOWN["hosts"]:
        for port in KNOWN["ports"]:
            try:
                with socket.create_connection((host, port), 1.0):
                    reached.append(f"{host}:{port}")
            except OSError:
                continue
    return nothing(reached)


def find_sockets() -> object:
    """Those without a file can be reached by name."""
    names = [line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    return nothing([name for name in names if name.startswith("@")])


# mounts


def mount_something() -> object:
    return check(LIBC.mount(b"tmpfs", b"/mnt", b"tmpfs", 0, None)) + 1


def unmount_something() -> object:
    return check(LIBC.umount2(b"/usr", 2)) + 1


def join_namespaces() -> object:
    joined = []
    for pid in KNOWN["pids"]:
        try:
            descriptor = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
            joined.append(check(LIBC.setns(descriptor, 0)) + 1)
        except OSError:
            continue
    return nothing(joined)


def remount_as_own_root() -> object:
    """A user namespace of its own gives all rights over mounts of its own; never over those that it was given."""
    child = os.fork()
    if child == 0:
        os._exit(0 if LIBC.unshare(NEW_USER | NEW_NS) == 0 and _remounted() else 1)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise Refused("nothing could be remounted")
    return "remounted"


def _remounted() -> bool:
    paths = (b"/usr", b"/proc/sys", b"/sys")
    again = [LIBC.mount(None, path, None, MS_REMOUNT | MS_BIND, None) == 0 for path in paths]
    return any([*again, *(LIBC.umount2(path, 2) == 0 for path in paths)])


ATTEMPTS: list[Callable[[], object]] = [
    see_processes,
    list_homes,
    list_data,
    list_temporary,
    read_admin_credential,
    read_victims_volume,
    read_victims_environment,
    find_secret_in_shared_memory,
    find_shared_segment,
    write_machine,
    write_kernel,
    make_disk,
    find_disks,
    signal_processes,
    connect,
    find_sockets,
    mount_something,
    unmount_something,
    join_namespaces,
    remount_as_own_root,
]


def main() -> None:
    told: dict[str, str] = {}
    for attempt in ATTEMPTS:
        try:
            told[attempt.__name__] = f"GOT IN: {attempt()!r}"[:300]
        except OSError as error:
            told[attempt.__name__] = f"refused: {error}"
    Path("/etc/intruder").write_text("the pod's own /etc may be written")
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    if os.fork() == 0:
        signal.pause()
    kill_everything()


if __name__ == "__main__":
    main()
