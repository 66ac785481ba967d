"""What a test run started ends with the run, however the run ends.

Two processes watch over pytest, each the reaper of all that descends from it, so that daemons and the supervisors of
pods are found, whatever their environment, session and parent became: the front, which is the process that was
started, and the guard below it.

    front            passes signals on to pytest; kills the rest where the guard was killed
    └─ guard         kills the rest when pytest has ended, or the front; in a process group of its own
       └─ pytest, with its workers, platforms, pods, …
"""

import os
import signal
import sys
import time
from types import FrameType

import pytest

from windlass.node.runtimes.sandbox import limits, syscalls

WITHIN_SECONDS = 30.0
PATIENCE_SECONDS = 30
"""How long pytest may tear down after a signal of another program, until all is killed."""
FROM_THE_KERNEL = 0x80
"""`si_code` of a signal from the terminal, which its whole process group got (SI_KERNEL)."""
PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}


def keep_watch_over_run(config: pytest.Config) -> None:
    """Watch over this process if it is the one that starts the run's workers."""
    if sys.platform == "linux" and not hasattr(config, "workerinput"):
        keep_watch()


def keep_watch() -> None:
    """Fork the two, and return in a third process, which is what they watch over."""
    heeded = {signal.SIGCHLD, signal.SIGALRM, *PASSED_ON}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, heeded)
    reader, writer = os.pipe()
    front = os.getpid()
    guard = os.fork()
    if guard:
        os.close(writer)
        os._exit(_be_front(guard, int(os.read(reader, 32) or guard), heeded))
    os.close(reader)
    syscalls.die_with_parent(signal.SIGTERM)
    if os.getppid() != front:
        os._exit(1)
    syscalls.become_reaper()
    run = os.fork()
    if run:
        os.setpgid(0, 0)  # `kill -9 -<group>` ends the front and pytest, which stay in the group of the terminal
        os.write(writer, str(run).encode())
        os.close(writer)
        os._exit(_be_guard(run, mask))
    os.close(writer)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _be_front(guard: int, run: int, heeded: set[signal.Signals]) -> int:
    syscalls.set_name("tests-front")
    syscalls.become_reaper()
    while True:
        received = signal.sigwaitinfo(heeded)
        if received.si_signo == signal.SIGALRM:
            _send(guard, signal.SIGTERM)
        elif received.si_signo in PASSED_ON and received.si_code != FROM_THE_KERNEL:
            signal.alarm(PATIENCE_SECONDS)
            for pid in (run, *limits.children(run)):  # as a terminal's Ctrl-C reaches the workers too
                _send(pid, received.si_signo)
        if (status := _ended(guard)) is not None:
            end_descendants()
            return status


def _be_guard(run: int, mask: set[int | signal.Signals]) -> int:
    """Wait for the run's end, or for SIGTERM, which the kernel sends when the front is gone."""
    syscalls.set_name("tests-guard")
    for number in PASSED_ON - {signal.SIGTERM}:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminated)
    status = 128 + signal.SIGTERM
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        while (ended := _ended(run, wait=True)) is None:
            pass
        status = ended
    except SystemExit:
        pass
    end_descendants()
    return status


def _terminated(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit


def _ended(awaited: int, *, wait: bool = False) -> int | None:
    """Reap ended children, one at least where `wait`; the exit code of `awaited` if it is among them."""
    try:
        while found := os.waitpid(-1, 0 if wait else os.WNOHANG):
            pid, status = found
            if pid == awaited:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if pid == 0:
                return None
    except ChildProcessError:
        return 1
    return None


def end_descendants() -> None:
    """Kill until none is left: what is forked meanwhile is found next time, since orphans become children of this."""
    until = time.monotonic() + WITHIN_SECONDS
    while (found := _descendants()) and time.monotonic() < until:
        for pid in found:
            _send(pid, signal.SIGKILL)
        _ended(-1)
        time.sleep(0.01)


def _descendants() -> list[int]:
    return [pid for pid in limits.tree([os.getpid()]) if pid != os.getpid()]


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return
