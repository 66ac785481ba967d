"""A test run that ends by itself or is ended from outside leaves no process behind: no daemon, no pod."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.node.runtimes.bench import processes
from tests.support import eventually
from windlass.node.runtimes.sandbox import limits

ROOT = Path(__file__).parents[1]
CONFTEST = "from tests.guard import keep_watch_over_run as pytest_configure\n"
STORY = """
import asyncio, os, subprocess, time
from pathlib import Path
from tests.node.runtimes.bench import Bench
from windlass.node.runtimes.sandbox.runtime import Sandbox

DATA = Path(os.environ["STORY"])

async def a_pod_that_outlives_its_agent():
    bench = Bench(DATA, Sandbox)
    await bench.runtime.start()
    uid = await bench.pod()
    await bench.start(uid, "", argv=("/bin/sh", "-c", "sleep 600; true", str(DATA)))

def test_that_leaves_a_daemon_and_a_pod():
    daemon = ["setsid", "--fork", "env", "-i", "/bin/sh", "-c", "sleep 600; true", str(DATA)]
    subprocess.run(daemon, check=True)
    asyncio.run(a_pod_that_outlives_its_agent())
    (DATA / "started").touch()
    while (DATA / "wait").exists():
        time.sleep(0.02)
"""
STARTED = 4
"""The daemon, the zygote, the pod's supervisor and its container, at least."""


class Run:
    """A test run of its own, in a session of its own."""

    def __init__(self, folder: Path, data: Path, options: list[str], terminal: int = subprocess.DEVNULL) -> None:
        self.data, self.output = data, folder / "output"
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "test_story.py").write_text(STORY)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment = {**plain, "STORY": str(data), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        words = ["-m", "pytest", "-q", *options, "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder]
        session = ["setsid"] if terminal == subprocess.DEVNULL else ["setsid", "--ctty"]
        with self.output.open("wb") as out:
            self.front = subprocess.Popen(
                [*session, sys.executable, *words, folder / "test_story.py"],
                env=environment, stdout=out, stderr=out, stdin=terminal,
            )  # fmt: skip

    def started(self) -> None:
        eventually(lambda: (self.data / "started").exists() or self.front.poll() is not None, 100, "the story is told")
        assert self.front.poll() is None, self.output.read_text()
        assert len(processes(str(self.data))) >= STARTED

    def guard(self) -> int:
        (guard,) = limits.children(self.front.pid)
        return guard

    def pytest(self) -> int:
        """The process that the guard started; orphans are its children too, but came later."""
        return min(limits.children(self.guard()))


@contextmanager
def run(folder: Path, *options: str, waits: bool = True, terminal: int = subprocess.DEVNULL) -> Iterator[Run]:
    data = folder / "data"
    data.mkdir()
    if waits:
        (data / "wait").touch()
    begun = Run(folder, data, list(options), terminal)
    try:
        yield begun
    finally:
        begun.front.kill()
        begun.front.wait(60)
        for left in processes(str(data)):
            with suppress(ProcessLookupError):
                os.kill(int(left), signal.SIGKILL)


def test_a_run_that_ends_by_itself(tmp_path: Path) -> None:
    with run(tmp_path, waits=False) as begun:
        assert begun.front.wait(100) == 0, begun.output.read_text()
        assert processes(str(begun.data)) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_signal_to_the_process_that_was_started(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with run(tmp_path) as begun:
        begun.started()

        begun.front.send_signal(number)

        assert begun.front.wait(60) == code, begun.output.read_text()
        eventually(lambda: processes(str(begun.data)) == [], 60, "all that the run started has ended")


@pytest.mark.parametrize("send", [os.killpg, os.kill])
def test_an_interrupt_of_the_whole_process_group_or_of_its_first_process(
    tmp_path: Path, send: Callable[[int, int], None]
) -> None:
    with run(tmp_path, "-p", "xdist", "-n", "1") as begun:
        begun.started()

        send(begun.front.pid, signal.SIGINT)

        begun.front.wait(60)
        assert processes(str(begun.data)) == []


def test_a_kill_of_the_whole_process_group(tmp_path: Path) -> None:
    with run(tmp_path, "-p", "xdist", "-n", "1") as begun:
        begun.started()

        os.killpg(begun.front.pid, signal.SIGKILL)

        assert begun.front.wait(60) == -signal.SIGKILL
        eventually(lambda: processes(str(begun.data)) == [], 60, "all that the run started has ended")


def test_an_interrupt_typed_in_a_terminal(tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    try:
        with run(tmp_path, "-p", "xdist", "-n", "1", terminal=terminal) as begun:
            begun.started()

            os.write(keyboard, b"\x03")

            assert begun.front.wait(60) == pytest.ExitCode.INTERRUPTED, begun.output.read_text()
            assert processes(str(begun.data)) == []
    finally:
        os.close(keyboard)
        os.close(terminal)


@pytest.mark.parametrize("victim", [Run.pytest, Run.guard])
def test_a_kill_of_pytest_itself_or_of_its_guard(tmp_path: Path, victim: Callable[[Run], int]) -> None:
    with run(tmp_path) as begun:
        begun.started()

        os.kill(victim(begun), signal.SIGKILL)

        assert begun.front.wait(60) == 128 + signal.SIGKILL, begun.output.read_text()
        assert processes(str(begun.data)) == []
