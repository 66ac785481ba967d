"""The first process of a container, up to its program, where it has no namespaces of its own.

As in the sandbox's `child` it runs in a fork of the supervisor, and failures are reported over `channel`.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH103
import os
import resource
import socket
from typing import Any, NoReturn

from windlass.node.runtimes.process import links
from windlass.node.runtimes.sandbox import child
from windlass.node.runtimes.sandbox.store import read_text

Spec = dict[str, Any]


def run_container(channel: socket.socket, folder: str, spec: Spec, stdio: list[int]) -> NoReturn:
    try:
        os.setsid()
        if spec["refusal"]:
            raise child.CannotStart(spec["refusal"], 128)
        _write(f"{folder}/hosts", spec["hosts"])
        _write(f"{folder}/kubeconfig", spec["kubeconfig"])
        links.make(spec["pod_folder"], [m for m in spec["mounts"] if m["target"] not in spec["unlinked"]])
        child.ask(channel, {"mapped": True})
        _become(channel, folder, spec, stdio)
    except BaseException as error:  # noqa: BLE001 - all of it goes to the supervisor, and nothing on
        child.fail(channel, error)


def run_exec(channel: socket.socket, folder: str, spec: Spec, stdio: list[int]) -> NoReturn:
    try:
        os.setsid()
        child.wait(channel)
        _become(channel, folder, spec, stdio)
    except BaseException as error:  # noqa: BLE001 - all of it goes to the supervisor, and nothing on
        child.fail(channel, error)


def _become(channel: socket.socket, folder: str, spec: Spec, stdio: list[int]) -> NoReturn:
    """Keep user and group; root keeps no more capabilities than it would have in a container."""
    child.oom_score(spec["limits"]["oom_score_adj"])
    child.many_files()
    is_root = os.getuid() == 0
    last = int(read_text("/proc/sys/kernel/cap_last_cap")) if is_root else -1
    if is_root and spec["groups"]:
        os.setgroups(spec["groups"])
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    own = {
        "user": os.getuid(),
        "group": os.getgid(),
        "drop_capabilities": spec["drop_capabilities"] if is_root else ["ALL"],
        "limits": spec["limits"] | {"pids": spec["limits"]["pids"] or hard},
        "working_dir": _own_folder(folder, spec, spec["working_dir"] or "/"),
        "environment": {**spec["environment"], **_home(folder, spec)},
    }
    child.become(channel, spec | own, stdio, last, False)


def _home(folder: str, spec: Spec) -> Spec:
    """Return another HOME for one that is missing on this machine, as that of an image may be."""
    home = spec["environment"].get("HOME", "")
    if not home.startswith("/") or os.path.lexists(home):
        return {}
    return {"HOME": _own_folder(folder, spec, home)}


def _own_folder(folder: str, spec: Spec, path: str) -> str:
    """Return where a folder is; a missing one is created in the container's own folder."""
    wanted = links.inside(spec["mounts"], path)
    if wanted != "/" and os.path.lexists(wanted):
        return wanted
    own = f"{folder}/root{wanted}"
    os.makedirs(own, exist_ok=True)
    return own


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
