"""A pod gets at nothing of the machine, of Windlass or of another pod."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node_hard import intruder
from tests.e2e.node_hard.platform import PODS, Object, Platform, children_of, pod, python
from tests.support import eventually
from windlass.node.network.uplink import subnet

SECRET = "windlass-hard-secret-4711"
SEGMENT = 0x57494E44
_VICTIM = f"""
import ctypes, os, signal
open("/own/secret.txt", "w").write("{SECRET}")
open("/dev/shm/{SECRET}", "w").write("x")
assert ctypes.CDLL(None).shmget({SEGMENT}, 4096, 0o1666) >= 0
print("ready", flush=True)
signal.pause()
"""
_SOURCE = Path(intruder.__file__).read_text()


@pytest.fixture(scope="module")
def victim(windlass: Platform) -> Object:
    made = python("victim", _VICTIM, volumes=[{"name": "own", "emptyDir": {}}])
    made["spec"]["containers"][0] |= {
        "volumeMounts": [{"name": "own", "mountPath": "/own"}],
        "env": [{"name": "PASSWORD", "value": SECRET}],
    }
    windlass.run(made)
    found = windlass.phase("victim", "Running")
    eventually(lambda: "ready" in windlass.logs("victim"), 60, "the victim")
    return found


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    """A service of this machine that listens on its loopback address only."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(scope="module")
def told(windlass: Platform, victim: Object, listener: int) -> dict[str, str]:
    """What the intruder says of its attempts."""
    windlass.run(_intruder(windlass, victim, listener))
    windlass.ended("intruder")
    return json.loads(windlass.logs("intruder").splitlines()[0])


def _intruder(windlass: Platform, victim: Object, listener: int) -> Object:
    node = windlass.get("/api/v1/nodes")["items"][0]
    kubelet = node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"]
    supervisor = windlass.facts_of(victim)["pid"]
    own = [windlass.pid(name) for name in ("windlass", "server", "manager", "node", "zygote", "network helper")]
    hosts = ["127.0.0.1", "10.244.0.1", subnet(str(windlass.data_dir))[1], "169.254.1.1", "10.0.2.2"]
    known = {
        "data": str(windlass.data_dir),
        "victim": str(windlass.folder_of(victim)),
        "secret": SECRET,
        "segment": SEGMENT,
        "pids": [*own, supervisor, *children_of(supervisor), os.getpid()],
        "ports": [windlass.port, kubelet, listener],
        "hosts": hosts,
    }
    made = python("intruder", _SOURCE)
    made["spec"]["containers"][0]["env"] = [{"name": "KNOWN", "value": json.dumps(known)}]
    return made


@pytest.mark.parametrize("attempt", [each.__name__ for each in intruder.ATTEMPTS])
def test_an_intruder_gets_nowhere(told: dict[str, str], attempt: str) -> None:
    assert told[attempt].startswith("refused: ")


def test_what_a_pod_writes_in_etc_is_its_own(told: dict[str, str]) -> None:
    assert told
    assert not Path("/etc/intruder").exists()


def test_a_pod_that_kills_all_it_can_reach_kills_only_itself(windlass: Platform, told: dict[str, str]) -> None:
    assert told
    assert windlass.pod("victim")["status"]["containerStatuses"][0]["restartCount"] == 0
    assert windlass.pod("victim")["status"]["phase"] == "Running"
    assert windlass.node_is_ready()


@pytest.mark.parametrize("link", ["/", "/root", "../../../../../..", "ok/../../.."])
def test_a_link_that_leads_out_of_a_volume_is_not_mounted(windlass: Platform, link: str) -> None:
    name = f"link-{abs(hash(link)) % 10**6}"
    made = pod(name, "ls -la /seen", volumes=[{"name": "own", "emptyDir": {}}])
    mount = {"name": "own", "mountPath": "/own"}
    maker = {"name": "maker", "image": "busybox", "command": ["ln", "-s", link, "/own/link"], "volumeMounts": [mount]}
    made["spec"]["initContainers"] = [maker]
    made["spec"]["containers"][0]["volumeMounts"] = [{"name": "own", "mountPath": "/seen", "subPath": "link"}]
    windlass.run(made)

    def waiting() -> Object:
        statuses = windlass.pod(name)["status"].get("containerStatuses", [{}])
        return statuses[0].get("state", {}).get("waiting", {})

    def refused() -> str:
        told = waiting()
        return told["message"] if told.get("reason") == "CreateContainerConfigError" else ""

    assert "leads outside the volume" in eventually(refused, 60, "a refusal")
    windlass.gone(name)


@pytest.mark.parametrize("place", ["{data}", "{data}/credentials", "{home}", "/", "/proc", "{data}/../data/node"])
def test_no_host_path_shows_what_windlass_keeps(windlass: Platform, place: str) -> None:
    path = place.format(data=windlass.data_dir, home=windlass.home)
    name = f"host-{abs(hash(path)) % 10**6}"
    made = pod(name, "ls -R /seen", volumes=[{"name": "host", "hostPath": {"path": path}}])
    made["spec"]["containers"][0]["volumeMounts"] = [{"name": "host", "mountPath": "/seen"}]
    answer = windlass.request("POST", PODS, made)
    if answer.status == 201:
        message = eventually(lambda: _told_of(windlass, name, "FailedMount"), 60, "an event")
        assert "is not allowed" in message or "backsteps" in message
        assert windlass.pod(name)["status"]["phase"] == "Pending"
        windlass.gone(name)
    else:
        assert answer.status == 422, answer.body


def test_shared_memory_of_the_host_shows_no_pods_volumes(windlass: Platform) -> None:
    volumes = [{"name": "memory", "emptyDir": {"medium": "Memory"}}]
    mount = {"volumeMounts": [{"name": "memory", "mountPath": "/memory"}]}
    keep = f"echo {SECRET} > /memory/kept; echo ready; exec sleep infinity"
    windlass.run(pod("keeper", keep, volumes=volumes, container=mount))
    eventually(lambda: "ready" in _said(windlass, "keeper"), 60, "the keeper")
    look = f"grep -r {SECRET} /dev/shm; echo mine > /memory/kept; cat /memory/kept; ls /dev/shm | wc -l"
    windlass.run(pod("looker", look, hostIPC=True, volumes=volumes, container=mount))
    windlass.ended("looker")
    said = windlass.logs("looker")
    assert SECRET not in said
    assert "mine\n" in said


def _said(windlass: Platform, name: str) -> str:
    answer = windlass.request("GET", f"{PODS}/{name}/log")
    return answer.body.decode() if answer.status == 200 else ""


def _told_of(windlass: Platform, name: str, reason: str) -> str:
    query = f"fieldSelector=involvedObject.name={name},reason={reason}"
    found = windlass.get(f"/api/v1/namespaces/default/events?{query}")["items"]
    return found[0]["message"] if found else ""
