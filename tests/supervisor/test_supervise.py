"""The supervisor with small real processes in place of the server and the manager."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import eventually
from windlass.supervisor import process, run_state
from windlass.supervisor.child import Component
from windlass.supervisor.datadir import DataDir, is_held, wait_until_free
from windlass.supervisor.errors import SupervisorError
from windlass.supervisor.supervise import Supervisor

from .builders import FALLS, STUBBORN, Listener, a_component, a_data_dir, a_lock, journal


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return a_data_dir(tmp_path)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.005)


def supervise(data: DataDir, *components: Component) -> tuple[Supervisor, Listener, asyncio.Task[None]]:
    listener = Listener()
    supervisor = Supervisor(components, data, a_lock(data), listener, url="https://127.0.0.1:1")
    return supervisor, listener, asyncio.create_task(supervisor.run())


async def test_components_come_up_and_go_down_in_reverse_order(data: DataDir) -> None:
    supervisor, listener, task = supervise(data, a_component(data, "server"), a_component(data, "manager"))
    await until(lambda: "ready" in listener.told)
    supervisor.request_stop()
    await task

    assert sorted(journal(data)[:2]) == ["manager started", "server started"]
    assert journal(data)[2:] == ["manager stopped", "server stopped"]
    assert listener.told == ["server started", "manager started", "ready", "stopping", "stopped"]


async def test_its_state_names_each_component_while_it_runs_and_is_gone_afterwards(data: DataDir) -> None:
    supervisor, listener, task = supervise(data, a_component(data, "server"))
    await until(lambda: "ready" in listener.told)
    now = run_state.running(data)
    supervisor.request_stop()
    await task

    assert now is not None
    assert now.phase == "ready"
    assert [(one.name, one.state, one.restarts) for one in now.components] == [("server", "running", 0)]
    assert now.pid == os.getpid()
    assert not data.state.exists()


async def test_a_fallen_component_is_started_again(data: DataDir) -> None:
    supervisor, listener, task = supervise(data, a_component(data, "server"))
    await until(lambda: "ready" in listener.told)
    await ask(data.run / "server.sock", "/die")
    await until(lambda: journal(data).count("server started") == 2)
    await until(lambda: (now := run_state.load(data)) and now.components[0].state == "running")
    now = run_state.load(data)
    supervisor.request_stop()
    await task

    assert now is not None
    assert now.components[0].restarts == 1
    assert "server fell with 7" in listener.told


async def test_a_component_that_never_gets_ready_ends_the_start_with_its_last_words(data: DataDir) -> None:
    _, listener, task = supervise(data, a_component(data, "server", FALLS), a_component(data, "manager"))
    with pytest.raises(SupervisorError) as failure:
        await task

    assert "the server exited while starting (exit code 4)" in failure.value.message
    assert failure.value.lines == ("first words", "the store is damaged")
    assert listener.told == ["stopping", "stopped"]


async def test_a_command_that_is_not_there_ends_the_start(data: DataDir) -> None:
    gone = Component(name="server", argv=("/does/not/exist",), log=data.log_of("server"))
    _, _, task = supervise(data, gone)
    with pytest.raises(SupervisorError, match="cannot run the server"):
        await task


async def test_a_second_request_to_stop_kills_what_does_not_listen(data: DataDir) -> None:
    supervisor, listener, task = supervise(data, a_component(data, "server", STUBBORN))
    await until(lambda: "ready" in listener.told)
    supervisor.request_stop()
    await until(lambda: "server stopped" in journal(data))
    assert not task.done()
    supervisor.request_stop()
    await task

    assert listener.told[-3:] == ["stopping", "killing", "stopped"]


async def test_a_request_to_stop_during_the_start_is_heard(data: DataDir) -> None:
    never = Component(
        name="server",
        argv=(sys.executable, "-c", "import sys; sys.stdin.read()"),
        log=data.log_of("server"),
        probe=data.socket,
    )
    supervisor, listener, task = supervise(data, never)
    await until(lambda: (now := run_state.load(data)) and now.components[0].pid)
    supervisor.request_stop()
    await task

    assert listener.told == ["stopping", "stopped"]


async def test_a_component_with_a_mark_is_ready_when_it_has_made_it_anew(data: DataDir) -> None:
    ready_file = data.run / "manager.ready"
    ready_file.touch()  # of an earlier run
    script = """
import pathlib, sys
mark, seen = map(pathlib.Path, sys.argv[1:])
seen.write_text(str(mark.exists()))
mark.touch()
sys.stdin.read()
"""
    argv = (sys.executable, "-c", script, str(ready_file), str(data.root / "seen"))
    component = Component(name="manager", argv=argv, log=data.log_of("manager"), ready_file=ready_file)
    supervisor, listener, task = supervise(data, component)
    await until(lambda: "ready" in listener.told)
    supervisor.request_stop()
    await task

    assert (data.root / "seen").read_text() == "False"


async def test_a_new_start_keeps_the_log_of_the_one_before(data: DataDir) -> None:
    data.log_of("server").write_text("from before\n")
    supervisor, listener, task = supervise(data, a_component(data, "server"))
    await until(lambda: "ready" in listener.told)
    supervisor.request_stop()
    await task

    assert (data.logs / "server.log.1").read_text() == "from before\n"


ORPHANS = """
import asyncio, sys, pathlib
from windlass.supervisor.datadir import DataDir, acquire_lock
from windlass.supervisor.child import Component
from windlass.supervisor.supervise import Supervisor
from unittest.mock import MagicMock
data = DataDir(pathlib.Path(sys.argv[1]))
child = "from windlass.supervisor.supervised import end_with_supervisor as e; e(); import signal; signal.pause()"
component = Component(name="server", argv=(sys.executable, "-c", child), log=data.log_of("server"))
asyncio.run(Supervisor([component], data, acquire_lock(data), MagicMock(), url="").run())
"""


def test_when_the_supervisor_is_killed_its_children_end_and_only_then_the_lock_is_free(data: DataDir) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", ORPHANS, str(data.root)])
    while not (now := run_state.load(data)) or now.phase != "ready":
        assert supervisor.poll() is None
    child = now.components[0]
    assert child.is_alive
    supervisor.send_signal(signal.SIGKILL)
    supervisor.wait()

    assert wait_until_free(data, within=120)
    assert not is_held(data)
    eventually(lambda: not process.is_alive(child.pid, child.born), 60, "the child is gone, who has closed its files")


async def ask(socket: Path, path: str) -> None:
    reader, writer = await asyncio.open_unix_connection(str(socket))
    writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
    await reader.read()
    writer.close()
    await writer.wait_closed()
