"""The process that forks every pod's supervisor; it holds the node's user and network namespaces.

It has imported all that a supervisor needs, so that a pod costs one fork. It ends with the agent; supervisors live on,
and the next zygote joins their namespaces.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH123
import fcntl
import gc
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any

from windlass.node.runtimes.sandbox import identity, limits, skeleton, supervisor, syscalls, trees, wire
from windlass.node.runtimes.sandbox.supervisor import Supervisor


def main(arguments: list[str]) -> int:
    connection = socket.socket(fileno=int(arguments[0]))
    os.set_inheritable(connection.fileno(), False)
    try:
        node_net = _namespaces(arguments[2:])
        ids = identity.available()
        real_root = os.getuid() == 0 and _is_initial()
        tree = skeleton.prepare(arguments[1], ids.base)
        node = supervisor.Node(arguments[1], ids, real_root, node_net, limits.delegated(), tree)
    except OSError as error:
        wire.send(connection, {"error": f"{error.filename or 'zygote'}: {error.strerror}"})
        return 1
    return settle(connection, node)


def settle(connection: socket.socket, node: supervisor.Node, make: type[Supervisor] = Supervisor) -> int:
    """Report readiness, and fork supervisors on request until the agent is gone."""
    syscalls.set_name("windlass-zygote")
    _heed_signals()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    wire.send(connection, {"ready": True, "ids": list(node.ids), "cgroup": node.cgroup})
    return _serve(connection, node, make)


def _heed_signals() -> None:
    """Reset signals that the agent's caller ignored (nohup): pods should not inherit that."""
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _serve(connection: socket.socket, node: supervisor.Node, make: type[Supervisor]) -> int:
    received = wire.Received()
    while (messages := received.read(connection)) is not None:
        for message in messages:
            descriptors = received.take(message.get("descriptors", 0))
            if os.fork() == 0:
                _child(connection, lambda pod, end: supervisor.main(node, pod, end, make), message, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
    return 0


def _child(
    connection: socket.socket,
    supervise: Callable[[dict[str, Any], socket.socket], None],
    message: wire.Message,
    descriptors: list[int],
) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 0
    try:
        if message["do"] == "pod":
            connection.close()
            supervise(message["pod"], socket.socket(fileno=descriptors[0]))
        elif message["do"] == "remove":
            trees.remove(message["path"])
            wire.send(connection, {"id": message["id"]})
        elif message["do"] == "kill":
            for pid in message["pids"]:
                _kill(pid)
            wire.send(connection, {"id": message["id"]})
    except BaseException as error:  # noqa: BLE001 - a fork must never continue as the zygote
        sys.stderr.write(f"sandbox: {message.get('do')}: {error!r}\n")
        code = 1
    finally:
        os._exit(code)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _namespaces(candidates: list[str]) -> int:
    """Enter the node's namespaces, if they exist: those that were passed, or a running supervisor's.

    Returns a descriptor of the network namespace.
    """
    for candidate in candidates:
        try:
            _join(*_opened(candidate))
            break
        except OSError:
            continue
    else:
        if os.getuid() != 0:
            _new_user_namespace()
        syscalls.unshare(syscalls.NEWNET)
        bring_up_loopback()
    syscalls.unshare(syscalls.NEWNS)
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_SLAVE)
    return os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _opened(candidate: str) -> tuple[int, int]:
    """Open a user and a network namespace: `fd:USER:NET`, or `PID:FD` with the network as FD of PID."""
    first, *numbers = candidate.split(":")
    if first == "fd":
        return int(numbers[0]), int(numbers[1])
    user = os.open(f"/proc/{first}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    return user, os.open(f"/proc/{first}/fd/{numbers[0]}", os.O_RDONLY | os.O_CLOEXEC)


def _join(user: int, net: int) -> None:
    if os.getuid() != 0:
        syscalls.setns(user, syscalls.NEWUSER)
    syscalls.setns(net, syscalls.NEWNET)
    os.close(user)
    os.close(net)


def _is_initial() -> bool:
    """Whether this is the machine's initial user namespace, in which overlays need no special options."""
    return identity.available().base != 0


def _new_user_namespace() -> None:
    """Create a user namespace with this user as root, and as many more ids as newuidmap gives."""
    uid, gid, pid = os.getuid(), os.getgid(), os.getpid()
    ours, theirs = socket.socketpair()
    helper = os.fork()
    if helper == 0:
        ours.close()
        theirs.recv(1)
        os._exit(_write_maps(pid, uid, gid))
    theirs.close()
    syscalls.unshare(syscalls.NEWUSER)
    ours.send(b"G")
    if os.waitpid(helper, 0)[1]:
        raise OSError(1, "cannot map this user into a user namespace", "uid_map")
    ours.close()


def _write_maps(pid: int, uid: int, gid: int) -> int:
    if _subordinate("newuidmap", "/etc/subuid", pid, uid) and _subordinate("newgidmap", "/etc/subgid", pid, gid):
        return 0
    try:
        for name, text in (("uid_map", f"0 {uid} 1"), ("setgroups", "deny"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/{pid}/{name}", "w", encoding="ascii") as file:
                file.write(text)
    except OSError:
        return 1
    return 0


def _subordinate(program: str, table: str, pid: int, own: int) -> bool:
    """Map this user and its subordinate range. Both programs must exist, or neither is used."""
    import pwd

    if not (_is_there("newuidmap") and _is_there("newgidmap")):
        return False
    try:
        names = {pwd.getpwuid(os.getuid()).pw_name, str(os.getuid())}
        with open(table, encoding="utf-8") as file:
            ranges = [line.strip().split(":") for line in file]
    except (OSError, KeyError):
        return False
    for name, first, count in (r for r in ranges if len(r) == 3):
        if name in names:
            extents = ["0", str(own), "1", "1", first, str(min(int(count), identity.ORDINARY))]
            return os.spawnvp(os.P_WAIT, program, [program, str(pid), *extents]) == 0
    return False


def _is_there(program: str) -> bool:
    return any(os.access(f"{folder}/{program}", os.X_OK) for folder in os.get_exec_path())


def bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: UP, RUNNING
