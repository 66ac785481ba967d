"""The whole program as its user meets it: real processes, a real server, one data directory a test."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from windlass.cli.settings import default_data_dir
from windlass.cli.up import down_command
from windlass.supervisor import process, run_state
from windlass.supervisor.credentials import admin_token
from windlass.supervisor.datadir import DataDir, wait_until_free
from windlass.supervisor.local_api import Api

WINDLASS = (sys.executable, "-P", "-m", "windlass")
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}, "data": {"a": "b"}}


class Machine:
    """A home, a data directory in it, and the commands typed there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = DataDir(home / "d")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLASS_", "XDG_", "KUBE"))}
        self.env = {**kept, "HOME": str(home), "WINDLASS_DATA_DIR": str(self.data.root), "WINDLASS_PORT": "0"}
        self.env |= {"WINDLASS_NO_NODE": "true", "WINDLASS_NO_GATEWAY": "true", "WINDLASS_GATEWAY_PORT": "0"}

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        command = [*WINDLASS, *words]
        return subprocess.run(
            command,
            env=self.env | env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=150,
        )

    def up(self, *flags: str) -> None:
        done = self.run("up", "--detach", "--no-manager", *flags)
        assert done.returncode == 0, done.stderr

    def status(self) -> dict[str, Any]:
        return json.loads(self.run("status", "-o", "json").stdout)

    @property
    def api(self) -> Api:
        return Api(self.data.socket, admin_token(self.data))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.run("down", "--kill")


def until(condition: Callable[[], object]) -> None:
    """The test's own timeout bounds it."""
    while not condition():
        time.sleep(0.01)


def test_up_says_where_it_is_and_what_to_try(machine: Machine) -> None:
    done = machine.run("up", "--detach", "--no-manager")

    assert done.returncode == 0, done.stderr
    assert "https://127.0.0.1:" in done.stdout
    assert f"export KUBECONFIG={machine.data.kubeconfig}" in done.stdout
    assert "kubectl get namespaces" in done.stdout
    assert "\x1b" not in done.stdout, "no colours where there is no terminal"
    assert machine.api.json("/version")["gitVersion"].startswith("v1.")


def test_status_knows_processes_objects_and_addresses(machine: Machine) -> None:
    machine.up()
    facts = machine.status()

    assert facts["running"] is True
    assert facts["addresses"]["socket"] == str(machine.data.socket)
    (server,) = facts["components"]
    assert (server["name"], server["state"], server["restarts"]) == ("server", "running", 0)
    assert server["memoryBytes"] > 1_000_000
    assert facts["objects"]["namespaces"] >= 4
    assert facts["dataDirBytes"] > 0
    assert "server" in machine.run("status").stdout


def test_up_runs_server_manager_node_and_gateway_and_down_ends_them_all(machine: Machine) -> None:
    started = machine.run("up", "--detach", WINDLASS_NO_NODE="false", WINDLASS_NO_GATEWAY="false")
    assert started.returncode == 0, started.stderr
    until(lambda: machine.api.json("/api/v1/nodes")["items"])
    status = machine.status()
    components = status["components"]

    assert status["node"]["runtime"] in ("sandbox", "process")
    assert f"runtime     {status['node']['runtime']}" in machine.run("status").stdout
    names = ("server", "manager", "node", "gateway")
    assert {one["name"]: one["state"] for one in components} == dict.fromkeys(names, "running")
    assert f"Gateway     {status['addresses']['gateway']}" in started.stdout
    assert machine.run("down").returncode == 0
    assert [one["pid"] for one in components if Path(f"/proc/{one['pid']}").exists()] == []


def test_without_windlass_status_exits_with_3_and_down_with_0(machine: Machine) -> None:
    status, down = machine.run("status"), machine.run("down")

    assert (status.returncode, down.returncode) == (3, 0)
    assert "not running" in status.stdout
    assert not machine.data.root.exists(), "neither makes a data dir"


def test_a_second_up_says_that_it_is_running_and_where(machine: Machine) -> None:
    machine.up()
    url = machine.status()["addresses"]["api"]
    for flags in ((), ("--detach",)):
        second = machine.run("up", *flags)

        assert second.returncode == 1
        assert second.stderr.startswith(f"error: Windlass is already running (pid {state_of(machine).pid}) at {url}.")
        assert len(second.stderr.splitlines()) == 1


def test_who_chose_a_data_dir_is_told_to_name_it_to_stop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere = DataDir(tmp_path / "my data")
    monkeypatch.delenv("WINDLASS_DATA_DIR", raising=False)
    told = down_command(elsewhere)
    monkeypatch.setenv("WINDLASS_DATA_DIR", str(elsewhere.root))

    assert told == f"windlass down --data-dir '{elsewhere.root}'"
    assert down_command(elsewhere) == down_command(DataDir(default_data_dir())) == "windlass down"


def test_a_busy_port_is_one_line_that_says_who_has_it_and_what_to_type(machine: Machine) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        done = machine.run("up", "--port", str(port))

    assert done.returncode == 1
    assert done.stderr.startswith(f"error: port {port} is taken by pid {os.getpid()} (")
    assert "Stop it, or: windlass up --port " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ctrl_c_stops_it_in_the_foreground_and_leaves_nothing(machine: Machine) -> None:
    foreground = subprocess.Popen([*WINDLASS, "up", "--no-manager"], env=machine.env, stdout=subprocess.PIPE, text=True)
    until(lambda: (now := run_state.load(machine.data)) and now.phase == "ready")
    server = state_of(machine).components[0]
    foreground.send_signal(signal.SIGINT)
    output, _ = foreground.communicate(timeout=120)

    assert foreground.returncode == 0
    assert output.rstrip().endswith("Stopped.")
    assert not process.is_alive(server.pid, server.born)
    assert not machine.data.state.exists()


def test_started_with_signals_ignored_it_ignores_them_and_its_components_do_not(machine: Machine) -> None:
    argv = ["sh", "-c", 'trap "" INT HUP; exec "$0" "$@"', *WINDLASS, "up", "--no-manager"]
    foreground = subprocess.Popen(argv, env=machine.env, stdout=subprocess.PIPE, text=True)
    until(lambda: (now := run_state.load(machine.data)) and now.phase == "ready")
    server = state_of(machine).components[0]
    inherited = process_signals(server.pid, "SigIgn")
    for number in (signal.SIGINT, signal.SIGHUP):
        foreground.send_signal(number)
    until(lambda: not process_signals(foreground.pid, "ShdPnd"))
    machine.api.apply(CONFIG_MAP, manager="test")
    phase = state_of(machine).phase
    foreground.send_signal(signal.SIGTERM)
    output, _ = foreground.communicate(timeout=120)

    assert phase == "ready"
    assert not inherited & {signal.SIGINT, signal.SIGHUP}
    assert (foreground.returncode, output.rstrip()[-8:]) == (0, "Stopped.")


def process_signals(pid: int, field: str) -> set[int]:
    """The signals of one of the masks in /proc/PID/status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = int(next(line.split()[1] for line in lines if line.startswith(f"{field}:")), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def test_a_killed_server_is_started_again_with_its_objects(machine: Machine) -> None:
    machine.up()
    machine.api.apply(CONFIG_MAP, manager="test")
    server = state_of(machine).components[0]
    process.send(server.pid, server.born, signal.SIGKILL)
    until(lambda: (now := state_of(machine).components[0]).state == "running" and now.restarts == 1)

    assert machine.api.json("/api/v1/namespaces/default/configmaps/kept")["data"] == {"a": "b"}


def test_after_the_supervisor_is_killed_the_next_up_takes_over(machine: Machine) -> None:
    machine.up()
    machine.api.apply(CONFIG_MAP, manager="test")
    before = state_of(machine)
    process.send(before.pid, before.born, signal.SIGKILL)
    again = machine.run("up", "--detach", "--no-manager")

    assert again.returncode == 0, again.stderr
    assert f"The last run (pid {before.pid}) did not stop cleanly" in again.stderr
    assert not before.components[0].is_alive
    assert machine.api.json("/api/v1/namespaces/default/configmaps/kept")["data"] == {"a": "b"}


def test_objects_are_there_again_after_down_and_up(machine: Machine) -> None:
    machine.up()
    machine.api.apply(CONFIG_MAP, manager="test")
    down = machine.run("down")
    free = wait_until_free(machine.data, within=0)
    machine.up()

    assert (down.returncode, free) == (0, True)
    assert machine.api.json("/api/v1/namespaces/default/configmaps/kept")["data"] == {"a": "b"}


def test_a_damaged_store_is_one_line_without_a_traceback(machine: Machine) -> None:
    machine.data.prepare()
    machine.data.store.write_bytes(b"this is no database, and long enough to be taken for one" * 100)
    done = machine.run("up", "--detach", "--no-manager")

    assert done.returncode == 1
    assert "store.db is damaged or is not a Windlass data file" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" not in machine.data.log_of("server").read_text()


def test_a_bad_token_file_is_named(machine: Machine) -> None:
    bad = machine.home / "tokens.csv"
    bad.write_text("only-a-token\n")
    done = machine.run("up", "--detach", "--no-manager", "--token-auth-file", str(bad))
    missing = machine.run("up", "--token-auth-file", str(machine.home / "none.csv"))

    assert (done.returncode, missing.returncode) == (1, 2)
    assert "tokens.csv" in done.stderr
    assert "there is no file" in missing.stderr


def test_a_token_file_lets_its_users_in(machine: Machine) -> None:
    tokens = machine.home / "tokens.csv"
    tokens.write_text('s3cret,ann,1001,"system:masters"\n')
    machine.up("--token-auth-file", str(tokens))

    assert Api(machine.data.socket, "s3cret").json("/api/v1/namespaces")["kind"] == "NamespaceList"


def test_a_backup_of_a_running_windlass_starts_elsewhere(machine: Machine, tmp_path: Path) -> None:
    machine.up()
    machine.api.apply(CONFIG_MAP, manager="test")
    taken = machine.run("backup", str(tmp_path / "b.tar"))
    refused = machine.run("restore", str(tmp_path / "b.tar"), "--force")
    machine.run("down")
    elsewhere = Machine(tmp_path / "e")
    restored = elsewhere.run("restore", str(tmp_path / "b.tar"))
    elsewhere.up()
    found = elsewhere.api.json("/api/v1/namespaces/default/configmaps/kept")
    elsewhere.run("down")

    assert (taken.returncode, refused.returncode, restored.returncode) == (0, 1, 0)
    assert found["data"] == {"a": "b"}


def test_the_admins_credential_is_for_the_owner_alone(machine: Machine) -> None:
    machine.up()

    assert machine.data.kubeconfig.stat().st_mode & 0o077 == 0
    assert machine.data.socket.stat().st_mode & 0o077 == 0
    assert machine.run("kubeconfig").stdout.strip() == str(machine.data.kubeconfig)


def test_the_server_alone_refuses_a_data_dir_in_use_and_is_stopped_by_down(machine: Machine) -> None:
    server = subprocess.Popen([*WINDLASS, "server"], env=machine.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until(lambda: machine.data.socket.exists())
    second = machine.run("server")
    up = machine.run("up")
    status = machine.run("status")
    down = machine.run("down")
    server.communicate(timeout=120)

    assert (second.returncode, up.returncode, status.returncode) == (1, 1, 0)
    assert "already running" in second.stderr
    assert (down.returncode, server.returncode) == (0, 0)


def state_of(machine: Machine) -> run_state.RunState:
    now = run_state.load(machine.data)
    assert now is not None
    return now
