"""Attempts of a container with the RuntimeDefault filter to get out of its sandbox; each must fail.

`python escape_scenarios.py NAME DATA-DIR`; `test_escape.py` runs them all.
"""

import json
import platform
import socket
import sys
from pathlib import Path
from typing import Any

from tests.node.runtimes.bench import Bench, finish, play
from windlass.node.runtimes.base import Limits
from windlass.node.runtimes.sandbox.runtime import Sandbox
from windlass.node.seccomp.bpf import ARCHITECTURES
from windlass.node.seccomp.selection import container_filter

# system call -> its first arguments: valid enough that the kernel without a filter would answer something else
_CALLS: dict[str, list[int]] = {
    "mount": [0, 0, 0, 0, 0],
    "umount2": [0, 0],
    "unshare": [0x10000000],
    "setns": [0, 0],
    "pivot_root": [0, 0],
    "open_tree": [-100, 0, 0],
    "fsopen": [0, 0],
    "keyctl": [0, 0, 0],
    "add_key": [0, 0, 0, 0, 0],
    "bpf": [0, 0, 0],
    "perf_event_open": [0, 0, -1, -1, 0],
    "userfaultfd": [0],
    "io_uring_setup": [1, 0],
    "open_by_handle_at": [0, 0, 0],
    "kexec_load": [0, 0, 0, 0],
    "init_module": [0, 0, 0],
    "finit_module": [0, 0, 0],
    "delete_module": [0, 0],
    "reboot": [0xFEE1DEAD, 672274793, 0],
    "swapon": [0, 0],
    "settimeofday": [0, 0],
    "sethostname": [0, 0],
    "clone": [0x10000011, 0, 0, 0, 0],
}

_ATTEMPT = """
import ctypes, errno, json, sys
libc = ctypes.CDLL(None, use_errno=True)
answers = {}
for name, (number, arguments) in json.loads(sys.argv[1]).items():
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) for each in arguments])
    answers[name] = errno.errorcode[ctypes.get_errno()] if result < 0 else "DONE"
print(json.dumps(answers))
"""


def filtered(**fields: Any) -> dict[str, Any]:
    program = container_filter("RuntimeDefault", "", {}, Path("/"), platform.machine())
    return {"seccomp_profile": "RuntimeDefault", "seccomp_filter": program, **fields}


def _attempt() -> tuple[str, ...]:
    numbers = ARCHITECTURES[platform.machine()].numbers
    calls = {name: (numbers[name], arguments) for name, arguments in _CALLS.items() if name in numbers}
    return ("/usr/bin/python3", "-c", _ATTEMPT, json.dumps(calls))


async def kernel_interfaces_are_refused(bench: Bench) -> None:
    for no_new_privileges in (False, True):
        _, output = await bench.run("", argv=_attempt(), **filtered(no_new_privileges=no_new_privileges))

        answers = json.loads(output)
        assert answers == dict.fromkeys(answers, "EPERM"), answers


async def a_command_of_exec_is_filtered_too(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "exec sleep 1000", **filtered())

    process = await bench.runtime.exec(uid, "main", list(_attempt()), stdin=False, stdout=True, stderr=False, tty=False)
    code, output = await finish(process)

    answers = json.loads(output)
    assert (code, answers) == (0, dict.fromkeys(answers, "EPERM"))


async def without_a_profile_there_is_no_filter(bench: Bench) -> None:
    _, output = await bench.run("grep Seccomp: /proc/self/status")
    assert output.split() == ["Seccomp:", "0"]

    _, output = await bench.run("grep -e Seccomp: -e NoNewPrivs /proc/self/status", **filtered())
    assert output.split() == ["NoNewPrivs:", "0", "Seccomp:", "2"], "set-user-id programs still work"


async def files_of_the_machine_and_of_other_pods_are_not_there(bench: Bench) -> None:
    other = await bench.pod()
    await bench.start(other, "echo mine >/tmp/secret; echo mine >/dev/shm/secret; exec sleep 1000", **filtered())
    secret = bench.data / "secret"
    secret.write_text("the data directory")
    _, output = await bench.run(
        f"cat {secret} && echo BAD; ls {bench.data}/node && echo BAD; cat /tmp/secret /dev/shm/secret && echo BAD;"
        f"cat /proc/1/root{secret} && echo BAD; cat /proc/*/root/tmp/secret && echo BAD; cat /etc/shadow && echo BAD;"
        "dd if=/dev/mem count=1 && echo BAD; dd if=/dev/kmsg count=1 && echo BAD; ls /dev/sd* /dev/vd* && echo BAD;"
        "mknod /tmp/disk b 254 0 && cat /tmp/disk && echo BAD; echo GOOD",
        **filtered(),
    )

    assert "BAD" not in output
    assert "GOOD" in output


async def kernel_settings_cannot_be_written(bench: Bench) -> None:
    _, output = await bench.run(
        "echo h >/proc/sysrq-trigger && echo BAD; echo x >/proc/sys/kernel/core_pattern && echo BAD;"
        "echo x >/sys/kernel/uevent_helper && echo BAD; echo x >/sys/power/state && echo BAD;"
        "echo 1 >/proc/sys/vm/drop_caches && echo BAD; mkdir /sys/fs/cgroup/x && echo BAD;"
        "echo -1000 >/proc/self/oom_score_adj && echo BAD; echo GOOD",
        **filtered(),
    )

    assert "BAD" not in output
    assert "GOOD" in output


async def processes_of_others_cannot_be_seen_nor_traced(bench: Bench) -> None:
    other = await bench.pod()
    victim = await bench.start(other, "exec sleep 1000", **filtered())
    script = (
        "import ctypes, os, sys; libc = ctypes.CDLL(None, use_errno=True)\n"
        "pid = int(sys.argv[1])\n"
        "print(libc.ptrace(16, pid, 0, 0), os.path.exists(f'/proc/{pid}') and pid > 100)"
    )
    _, output = await bench.run("", argv=("/usr/bin/python3", "-c", script, str(victim.pid)), **filtered())

    assert output.split() == ["-1", "False"]


_CONNECT = """
import socket, sys
for family, address in (socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))), (socket.AF_UNIX, chr(0) + sys.argv[2]):
    try:
        socket.socket(family).connect(address)
        print("DONE")
    except OSError as error:
        print(type(error).__name__)
"""


async def services_on_the_loopback_of_the_machine_are_not_reached(bench: Bench) -> None:
    """Neither a port of 127.0.0.1 nor an abstract socket, which belongs to a network too."""
    name = f"windlass-escape-{bench.data.name}"
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + name)
        abstract.listen()
        port = str(listener.getsockname()[1])
        _, output = await bench.run("", argv=("/usr/bin/python3", "-c", _CONNECT, port, name), **filtered())

    assert output.split() == ["ConnectionRefusedError", "ConnectionRefusedError"]


async def a_fork_bomb_stops_at_its_limit_and_another_pod_starts(bench: Bench) -> None:
    bomb = await bench.pod()
    limits = Limits(pids=64)
    await bench.start(
        bomb,
        "i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; echo ALL; wait",
        **filtered(limits=limits, user=12345 if bench.runtime.has_groups else None),
    )

    _, output = await bench.run("echo alive", **filtered())

    assert output == "alive\n"
    assert "ALL" not in bench.output(bomb)


async def memory_beyond_its_limit_kills_the_container_alone(bench: Bench) -> None:
    hog = await bench.pod()
    script = "held = []\nwhile True: held.append(bytearray(b'x' * (8 << 20)))"
    limits = Limits(memory=128 << 20)
    await bench.start(hog, "", argv=("/usr/bin/python3", "-c", script), **filtered(limits=limits))

    _, output = await bench.run("echo alive", **filtered())
    facts = await bench.ended(hog)

    assert output == "alive\n"
    assert facts.oom_killed


if __name__ == "__main__":
    play(vars(sys.modules[__name__]), Sandbox)
