"""What the engine is asked for and what its answers mean, without an engine."""

import os
import platform
import signal
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from windlass.kube.json import Object
from windlass.node.runtimes.base import ContainerSpec, Limits, Mount, PodSpec, Usage
from windlass.node.runtimes.podman import answers, bodies, holder
from windlass.node.runtimes.podman.engine import address, candidates, hijacking
from windlass.node.runtimes.podman.frames import Frames
from windlass.node.runtimes.podman.images import parted, spellings
from windlass.node.runtimes.podman.logs import Lines, last_moment, parts
from windlass.node.runtimes.podman.network import Ports
from windlass.node.runtimes.process.table import Place, Table

POD = PodSpec("u", "ns", "p", "/f", "a-host")
HELD = "container:windlass-u"


def spec(**fields: Any) -> ContainerSpec:
    return ContainerSpec("c", 2, ("sh", "-c", "x"), {"A": "b"}, image="i:1", **fields)


def host_config(pod: PodSpec = POD, **fields: Any) -> dict[str, Any]:
    return bodies.container(spec(**fields), pod, "/data", {})["HostConfig"]


def test_a_pod_is_a_container_that_holds_its_network_and_memory() -> None:
    body = bodies.pod(PodSpec("u", "ns", "p", "/f", "a-host", sysctls={"net.x": "1"}), "/data")

    assert body["Hostname"] == "a-host"
    assert body["Labels"] == {"windlass.dev/pod": "u", "windlass.dev/data": "/data"}
    config = body["HostConfig"]
    assert (config["NetworkMode"], config["IpcMode"], config["Sysctls"]) == ("bridge", "shareable", {"net.x": "1"})


def test_a_pod_of_the_hosts_network_has_the_hosts_name() -> None:
    body = bodies.pod(PodSpec("u", "ns", "p", "/f", "a-host", host_network=True, host_ipc=True), "/data")

    assert "Hostname" not in body
    assert (body["HostConfig"]["NetworkMode"], body["HostConfig"]["IpcMode"]) == ("host", "host")


def test_a_container_is_in_its_pod() -> None:
    body = bodies.container(spec(spec_hash="h"), POD, "/data", {"/etc/hosts": "/f/hosts"})

    assert (body["Image"], body["Entrypoint"], body["Cmd"], body["Env"]) == ("i:1", ["sh"], ["-c", "x"], ["A=b"])
    assert body["Labels"] == {
        "windlass.dev/pod": "u",
        "windlass.dev/container": "c",
        "windlass.dev/attempt": "2",
        "windlass.dev/hash": "h",
        "windlass.dev/data": "/data",
    }
    assert body["HostConfig"]["NetworkMode"] == body["HostConfig"]["IpcMode"] == HELD
    hosts = {"Type": "bind", "Source": "/f/hosts", "Target": "/etc/hosts", "ReadOnly": False}
    assert body["HostConfig"]["Mounts"] == [hosts]
    assert "PidMode" not in body["HostConfig"]
    assert "User" not in body


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"mounts": (Mount("/s", "/t", read_only=True),)},
            {"Mounts": [{"Type": "bind", "Source": "/s", "Target": "/t", "ReadOnly": True}]},
        ),
        ({"mounts": (Mount("tmpfs", "/m", size=7),)}, {"Tmpfs": {"/m": "mode=1777,size=7"}}),
        ({"read_only_root": True}, {"ReadonlyRootfs": True}),
        ({"no_new_privileges": True}, {"SecurityOpt": ["no-new-privileges"]}),
        ({"drop_capabilities": ("ALL",)}, {"CapDrop": ["ALL"]}),
        ({"groups": (5, 6)}, {"GroupAdd": ["5", "6"]}),
        ({"limits": Limits(memory=10)}, {"Memory": 10, "MemorySwap": 10}),
        ({"limits": Limits(cpu_millis=1500)}, {"NanoCpus": 1_500_000_000}),
        ({"limits": Limits(cpu_request_millis=500)}, {"CpuShares": 512}),
        ({"limits": Limits(pids=9, oom_score_adj=-5)}, {"PidsLimit": 9, "OomScoreAdj": -5}),
        (
            {"devices": ("/dev/x",)},
            {"Devices": [{"PathOnHost": "/dev/x", "PathInContainer": "/dev/x", "CgroupPermissions": "rwm"}]},
        ),
    ],
)
def test_a_field_of_a_container_is_one_of_the_engines(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    config = host_config(**fields)

    assert {name: config[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "user"), [({"user": 5}, "5"), ({"user": 5, "group": 6}, "5:6"), ({"group": 6}, "0:6")]
)
def test_a_user_is_named_with_its_group(fields: dict[str, int], user: str) -> None:
    assert bodies.container(spec(**fields), POD, "/data", {})["User"] == user


def test_processes_are_shared_with_the_pod_or_with_a_container() -> None:
    shared = PodSpec("u", "ns", "p", "/f", "a-host", share_processes=True)

    assert host_config(shared)["PidMode"] == HELD
    beside = bodies.container(spec(), POD, "/data", {}, "abc")
    assert beside["HostConfig"]["PidMode"] == "container:abc"


def test_podman_writes_output_to_the_agents_file() -> None:
    config = bodies.for_podman(bodies.container(spec(), POD, "/d", {}), POD, "/f/output.log")["HostConfig"]

    assert config["UTSMode"] == HELD
    assert config["LogConfig"] == {"Type": "k8s-file", "Config": {"path": "/f/output.log", "max-size": "10mb"}}


def test_exec_with_a_terminal_has_one_stream() -> None:
    body = bodies.execution(["sh"], stdin=False, stdout=True, stderr=True, tty=True)

    assert (body["AttachStdin"], body["AttachStdout"], body["AttachStderr"], body["Tty"]) == (True, True, False, True)


def inspected(**state: Any) -> Object:
    labels = {bodies.NAME: "c", bodies.ATTEMPT: "3", bodies.HASH: "h"}
    return {"Id": "abc", "Config": {"Labels": labels}, "State": state}


def test_a_running_container_is_a_running_run() -> None:
    facts = answers.container_facts(inspected(Status="running", Pid=9, StartedAt="2026-11-16T00:00:00.5Z"), "")

    assert facts is not None
    assert (facts.name, facts.attempt, facts.state, facts.pid, facts.spec_hash) == ("c", 3, "running", 9, "h")
    assert facts.started_at == 1794787200.5


def test_an_ended_container_tells_how_it_ended() -> None:
    state = {"StartedAt": "2026-11-16T00:00:00Z", "FinishedAt": "2026-11-16T00:00:02Z", "OOMKilled": True}
    facts = answers.container_facts(inspected(Status="exited", ExitCode=137, **state), "bye")

    assert facts is not None
    assert (facts.exit_code, facts.signal, facts.oom_killed, facts.message) == (137, 9, True, "bye")
    assert facts.finished_at - facts.started_at == 2


def test_a_container_that_was_only_made_is_no_run() -> None:
    assert answers.container_facts(inspected(Status="created", StartedAt="0001-01-01T00:00:00Z"), "") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-16T00:00:00Z", 1794787200.0),
        ("2026-11-16T00:00:00.123456789Z", 1794787200.123456789),
        ("2026-11-16T01:00:00.5+01:00", 1794787200.5),
        ("2026-11-16T01:00:00+01:00", 1794787200.0),
        ("0001-01-01T00:00:00Z", 0.0),
        (None, 0.0),
    ],
)
def test_times_are_read_as_go_writes_them(text: str | None, expected: float) -> None:
    assert answers.seconds(text) == pytest.approx(expected)


def test_a_refusal_has_a_shells_exit_code() -> None:
    assert answers.exit_code_of_refusal('exec: "x": executable file not found in $PATH') == 127
    assert answers.exit_code_of_refusal('exec: "x": permission denied') == 126
    assert answers.exit_code_of_refusal("something else") == 128


def test_usage_is_in_seconds_and_bytes() -> None:
    stats = {"cpu_stats": {"cpu_usage": {"total_usage": 2_500_000_000}}, "memory_stats": {"usage": 7}}

    assert answers.usage({**stats, "pids_stats": {"current": 3}}) == Usage(2.5, 7, 3)
    assert answers.usage({}) == Usage(0.0, 0, 0)


def test_a_pods_address_is_found_on_whichever_network() -> None:
    assert answers.address({"NetworkSettings": {"Networks": {"podman": {"IPAddress": "10.88.0.2"}}}}) == "10.88.0.2"
    assert answers.address({"NetworkSettings": {"IPAddress": "172.17.0.2", "Networks": {}}}) == "172.17.0.2"
    assert answers.address({}) == ""


def test_an_image_says_what_it_runs() -> None:
    config = {"Env": ["PATH=/bin", "A=b=c"], "Entrypoint": ["/e"], "Cmd": None, "User": "1000:5", "WorkingDir": "/w"}
    image = answers.image("i:1", {"Id": "sha256:x", "Config": config, "Size": 5})

    assert image.environment == {"PATH": "/bin", "A": "b=c"}
    assert (image.entrypoint, image.command, image.user, image.working_dir) == (("/e",), (), 1000, "/w")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("busybox", ("busybox", "latest")),
        ("busybox:1", ("busybox", "1")),
        ("host:5000/a/b", ("host:5000/a/b", "latest")),
        ("host:5000/a/b:2", ("host:5000/a/b", "2")),
        ("a@sha256:00", ("a@sha256:00", "")),
    ],
)
def test_a_reference_has_a_tag(reference: str, expected: tuple[str, str]) -> None:
    assert parted(reference) == expected


def test_an_image_is_found_however_the_engine_spells_it() -> None:
    assert spellings("busybox") == ["busybox:latest", "docker.io/library/busybox:latest", "localhost/busybox:latest"]
    assert spellings("a/b:1") == ["a/b:1", "docker.io/a/b:1", "localhost/a/b:1"]
    assert spellings("quay.io/a/b") == ["quay.io/a/b:latest"]


def test_frames_come_together_however_they_are_cut() -> None:
    whole = struct.pack(">BxxxI", 1, 3) + b"abc" + struct.pack(">BxxxI", 2, 2) + b"de"
    for size in range(1, len(whole)):
        frames, found = Frames(), list[tuple[str, bytes]]()
        for at in range(0, len(whole), size):
            found += frames.feed(whole[at : at + size])
        assert found == [("stdout", b"abc"), ("stderr", b"de")]


def test_output_has_the_times_of_the_engine() -> None:
    data = b"2026-11-16T00:00:00.000000001Z one\n2026-11-16T00:00:01Z two"

    assert list(parts("stdout", data)) == [
        (1794787200_000000001, "stdout", b"one\n"),
        (1794787201_000000000, "stdout", b"two"),
    ]
    assert answers.nanoseconds("2026-11-16T01:00:00.25+01:00") == 1794787200_250000000
    assert Lines().feed(b"a\r\nb\nc") == [("stdout", b"a\n"), ("stdout", b"b\n")]


def test_output_goes_on_from_the_last_line(tmp_path: Path) -> None:
    file = tmp_path / "output.log"
    assert last_moment(file) == 0
    file.write_text("2026-11-16T00:00:00.000000005Z stdout F x\n")
    assert last_moment(file) == 1794787200_000000005


def test_a_request_becomes_a_stream() -> None:
    request = hijacking("/exec/x/start", {}, {"Tty": True})

    assert request.startswith(b"POST /exec/x/start HTTP/1.1\r\n")
    assert b"\r\nUpgrade: tcp\r\n" in request
    assert request.endswith(b'\r\n\r\n{"Tty": true}')
    assert address("/x", {"all": True, "filters": {"a": ["b"]}, "n": "m"}) == (
        "http://engine/x?all=true&filters=%7B%22a%22%3A+%5B%22b%22%5D%7D&n=m"
    )


def test_the_link_in_the_data_directory_is_asked_first(tmp_path: Path) -> None:
    assert candidates(tmp_path)[0] == tmp_path / "run" / "engine.sock"


def test_a_services_port_of_the_gateway_is_its_for_good() -> None:
    ports = Ports(Table({"10.96.0.9": Place("gw", {"80": 20001})}))

    assert ports.of("10.96.0.9", 80) == 20001
    assert ports.of("10.96.0.8", 80) == 20000
    assert ports.of("10.96.0.8", 81) == 20002
    assert ports.of("10.96.0.8", 80) == 20000


def test_the_holder_sleeps_until_it_is_killed(tmp_path: Path) -> None:
    try:
        program = holder.program(platform.machine())
    except holder.NoProgram as error:
        pytest.skip(str(error))
    path = tmp_path / "pause"
    path.write_bytes(program)
    path.chmod(0o755)
    process = subprocess.Popen([str(path)])
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        assert Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "S"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait(5) == -signal.SIGKILL


def test_a_machine_without_a_holder_is_named() -> None:
    with pytest.raises(holder.NoProgram, match="vax"):
        holder.program("vax")
