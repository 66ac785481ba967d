"""Each of Windlass' processes is killed in turn while fifty pods run, and nothing is lost."""

import os
import signal
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.node_hard.platform import Object, Platform, arguments_of, pod, python
from tests.support import eventually

pytestmark = [pytest.mark.crash, pytest.mark.timeout(400)]

SLEEPERS, COUNTERS = 44, 3
_COUNT = """
import itertools, time
for number in itertools.count():
    print(number, flush=True)
    time.sleep(0.02)
"""
_SERVE = """
import socketserver
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)
class Server(socketserver.ThreadingTCPServer):
    request_queue_size = 64
server = Server(("", 7000), Echo)
print("listening", flush=True)
server.serve_forever()
"""
_HOLD = """
import itertools, socket, sys, time
with socket.create_connection((sys.argv[1], 7000), 60) as held:
    lines = held.makefile("rw")
    for number in itertools.count():
        print(number, file=lines, flush=True)
        assert lines.readline() == f"{number}\\n"
        if number % 20 == 0: print("still", number, flush=True)
        time.sleep(0.02)
"""
_CALL = """
import itertools, socket, sys, time
for number in itertools.count():
    with socket.create_connection((sys.argv[1], 7000), 60) as called:
        called.sendall(b"hello\\n")
        assert called.recv(100) == b"hello\\n"
    if number % 20 == 0: print("still", number, flush=True)
    time.sleep(0.02)
"""
_OWN: dict[str, Any] = {"volumes": [{"name": "own", "emptyDir": {}}]}
_MOUNT = {"volumeMounts": [{"name": "own", "mountPath": "/own"}]}


@dataclass
class Fleet:
    """Fifty pods, and what their containers were when all ran."""

    windlass: Platform
    ids: dict[str, str]
    killed: int = 0

    def containers(self) -> dict[str, Object]:
        found = self.windlass.pods("fleet=yes")
        return {name: pod["status"]["containerStatuses"][0] for name, pod in found.items()}

    def is_whole(self) -> None:
        now = {name: status["containerID"] for name, status in self.containers().items()}
        assert now == self.ids
        assert not [name for name, status in self.containers().items() if status["restartCount"]]
        for name, each in self.windlass.pods("fleet=yes").items():
            starts = self.windlass.folder_of(each) / "volumes" / "own" / "starts"
            if starts.exists():
                assert starts.read_text() == "started\n", name

    def forget(self, name: str) -> None:
        self.windlass.gone(name)
        del self.ids[name]


@pytest.fixture(scope="module")
def fleet(windlass: Platform) -> Fleet:
    labels = {"fleet": "yes"}
    sleep = "echo started >> /own/starts; exec sleep infinity"
    windlass.run(
        *(pod(f"s{i}", sleep, restart="Always", labels=labels, container=_MOUNT, **_OWN) for i in range(SLEEPERS))
    )
    windlass.run(*(python(f"counter{i}", _COUNT, restart="Always", labels=labels) for i in range(COUNTERS)))
    windlass.run(python("server", _SERVE, restart="Always", labels=labels | {"app": "echo"}))
    ports = [{"port": 7000}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "echo"}}
    made = windlass.create(
        "/api/v1/namespaces/default/services", service | {"spec": {"selector": {"app": "echo"}, "ports": ports}}
    )
    windlass.phase("server", "Running")
    eventually(lambda: "listening" in windlass.logs("server"), 60, "the server")
    eventually(lambda: _endpoints(windlass), 60, "the Service's endpoints")
    for name, program in (("holder", _HOLD), ("caller", _CALL)):
        client = python(name, program, restart="Never", labels=labels)
        client["spec"]["containers"][0]["command"].append(made["spec"]["clusterIP"])
        windlass.run(client)

    def all_run() -> dict[str, Object]:
        found = windlass.pods("fleet=yes")
        return found if all(each["status"].get("phase") == "Running" for each in found.values()) else {}

    found = eventually(all_run, 150, "fifty pods that run")
    assert len(found) == 50
    return Fleet(windlass, {name: p["status"]["containerStatuses"][0]["containerID"] for name, p in found.items()})


def _endpoints(windlass: Platform) -> bool:
    found = windlass.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices")["items"]
    slices = [s for s in found if s["metadata"]["labels"].get("kubernetes.io/service-name") == "echo"]
    return any(e["conditions"]["ready"] for s in slices for e in s.get("endpoints") or [])


def _last(windlass: Platform, name: str) -> str:
    return windlass.logs(name, tailLines="1")


def _goes_on(windlass: Platform, name: str) -> None:
    before = _last(windlass, name)
    eventually(lambda: _last(windlass, name) != before, 60, f"{name} writes more than {before!r}")


@pytest.mark.parametrize("victim", ["server", "manager", "node", "zygote", "network helper", "windlass"])
def test_nothing_is_lost_when_one_is_killed(fleet: Fleet, victim: str) -> None:
    windlass = fleet.windlass
    fleet.killed += 1
    ender = f"ender-{fleet.killed}"
    windlass.run(pod(ender, "trap 'exit 7' TERM; echo ready; sleep 1.5; echo last words; exit 7"))
    windlass.phase(ender, "Running", "Failed")
    before = windlass.kill(victim)
    if victim == "windlass":
        eventually(lambda: not windlass.pid_lives("node"), 60, "the agent notices that it is alone")
        windlass.start()
    elif victim != "network helper":  # which is started again when it is needed
        windlass.is_back(victim, before)
    windlass.is_well()
    fleet.is_whole()
    windlass.run(pod(f"after-{fleet.killed}", "getent hosts echo && echo still here"))
    assert windlass.ended(f"after-{fleet.killed}")["status"]["phase"] == "Succeeded"
    ended = windlass.ended(ender)["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (7, "Error")
    assert windlass.logs(ender) == "ready\nlast words\n"
    for name in ("holder", "caller", "counter0"):
        _goes_on(windlass, name)
    fleet.is_whole()


def test_counted_lines_have_no_gap(fleet: Fleet) -> None:
    for number in range(COUNTERS):
        lines = fleet.windlass.logs(f"counter{number}").splitlines()
        assert lines == [str(n) for n in range(len(lines))]
        assert len(lines) > 50


def test_a_pod_whose_supervisor_is_killed_restarts_by_its_policy(fleet: Fleet) -> None:
    windlass = fleet.windlass
    for name, restart in (("kept", "Always"), ("once", "Never")):
        script = "echo started >> /own/starts; exec sleep infinity"
        windlass.run(pod(name, script, restart=restart, container=_MOUNT, **_OWN))
        windlass.phase(name, "Running")
        eventually(lambda name=name: _starts(windlass, name) == 1, 60, f"the start of {name}")
    supervisors = {name: windlass.facts_of(windlass.pod(name)) for name in ("kept", "once")}
    for facts in supervisors.values():
        os.kill(facts["pid"], signal.SIGKILL)
    eventually(lambda: _restarts(windlass, "kept") == 1, 60, "a restart")
    windlass.phase("kept", "Running")
    failed = windlass.ended("once")["status"]
    assert failed["phase"] == "Failed"
    assert failed["containerStatuses"][0]["state"]["terminated"]["exitCode"] != 0
    eventually(lambda: _starts(windlass, "kept") == 2, 60, "the start of its program")
    runs = [run["pid"] for facts in supervisors.values() for run in facts["containers"]]
    eventually(lambda: not any(map(arguments_of, runs)), 60, f"the end of {runs}")
    fleet.is_whole()


def _starts(windlass: Platform, name: str) -> int:
    """How often its program has begun."""
    told = windlass.folder_of(windlass.pod(name)) / "volumes" / "own" / "starts"
    return told.read_text().count("started\n") if told.exists() else 0


def _restarts(windlass: Platform, name: str) -> int:
    statuses = windlass.pod(name)["status"].get("containerStatuses", [{}])
    return statuses[0].get("restartCount", 0)


def test_pods_that_end_while_a_new_agent_adopts_them_have_ended(fleet: Fleet) -> None:
    windlass = fleet.windlass
    names = [f"ends-{number}" for number in range(12)]
    for number, name in enumerate(names):
        windlass.run(pod(name, f"sleep {1 + number * 0.15:.2f}; exit 7"))
    for name in names:
        windlass.phase(name, "Running", "Failed")

    windlass.is_back("node", windlass.kill("node"))

    for name in names:
        assert windlass.ended(name)["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7
