"""What the machine is and has."""

import os
import platform
from pathlib import Path

import pytest

from windlass.kube.quantity import Quantity
from windlass.node import machine
from windlass.node.machine import Capacity, as_node_name, find_gpus, measure, node_info, node_name

GI = 2**30


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("box", "box"),
        ("Box.Example.COM", "box.example.com"),
        ("my_box 7", "my-box-7"),
        ("-box-", "box"),
        ("a..b-.-c.", "a.b.c"),
        ("ö", "localhost"),
        ("", "localhost"),
        ("x" * 80, "x" * 63),
        ("x" * 62 + "-y", "x" * 62),
        ("x" * 62 + ".y", "x" * 62),
    ],
)
def test_a_host_name_becomes_the_name_of_a_node(text: str, name: str) -> None:
    assert as_node_name(text) == name


def test_this_machine_has_a_name_that_nodes_may_have() -> None:
    assert as_node_name(node_name()) == node_name()


@pytest.mark.parametrize(
    ("memory", "left"), [(8 * GI, 8 * GI - GI // 2), (GI, GI // 2), (GI // 2, GI // 4), (2**20, 2**19)]
)
def test_something_is_left_for_those_who_are_not_pods(memory: int, left: int) -> None:
    capacity = Capacity(cpu=4, memory=memory, disk=100 * GI, pods=110, extended={"nvidia.com/gpu": 2})

    whole, free = capacity.capacity(), capacity.allocatable()

    assert Quantity.parse(whole["memory"]).value() == memory
    assert Quantity.parse(free["memory"]).value() == left
    assert Quantity.parse(whole["ephemeral-storage"]).value() == 100 * GI
    assert Quantity.parse(free["ephemeral-storage"]).value() == 90 * GI
    same = {"cpu": "4", "pods": "110", "nvidia.com/gpu": "2", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    assert {name: whole[name] for name in same} == {name: free[name] for name in same} == same
    assert whole.keys() == free.keys() == {*same, "memory", "ephemeral-storage"}


def test_what_is_given_wins_over_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "GPU_FOLDERS", gpus(tmp_path, nvidia=2, amd=1))

    found = measure(tmp_path, pods=7, extended={"nvidia.com/gpu": 1, "example.com/dongle": 3})

    assert found.extended == {"nvidia.com/gpu": 1, "amd.com/gpu": 1, "example.com/dongle": 3}
    assert (found.cpu, found.pods) == (len(os.sched_getaffinity(0)), 7)
    assert found.memory > 2**26
    assert found.disk == os.statvfs(tmp_path).f_blocks * os.statvfs(tmp_path).f_frsize


def gpus(folder: Path, *, nvidia: int, amd: int) -> dict[str, Path]:
    """As the drivers show them; AMD's first node is the processor, and a broken one is none."""
    found = {"nvidia.com/gpu": folder / "nvidia", "amd.com/gpu": folder / "kfd"}
    for number in range(nvidia):
        (folder / "nvidia" / f"0000:0{number}:00.0").mkdir(parents=True)
    for number in range(amd + 1):
        (folder / "kfd" / str(number)).mkdir(parents=True)
        text = f"cpu_cores_count 0\nsimd_count {64 if number else 0}\nmem_banks_count 1\n"
        (folder / "kfd" / str(number) / "properties").write_text(text)
    (folder / "kfd" / "broken").mkdir(parents=True, exist_ok=True)
    return found


@pytest.mark.parametrize(
    ("nvidia", "amd", "expected"),
    [(0, 0, {}), (2, 0, {"nvidia.com/gpu": 2}), (1, 3, {"nvidia.com/gpu": 1, "amd.com/gpu": 3})],
)
def test_gpus_are_those_that_a_driver_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nvidia: int, amd: int, expected: dict[str, int]
) -> None:
    monkeypatch.setattr(machine, "GPU_FOLDERS", gpus(tmp_path, nvidia=nvidia, amd=amd))

    assert find_gpus() == expected


def test_a_machine_without_drivers_has_no_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {name: tmp_path / "nowhere" for name in machine.GPU_FOLDERS}
    monkeypatch.setattr(machine, "GPU_FOLDERS", missing)

    assert find_gpus() == {}


def test_the_node_says_what_it_is() -> None:
    info = node_info("sandbox")

    assert info["containerRuntimeVersion"].startswith("windlass-sandbox://")
    assert info["architecture"] in ("amd64", "arm64", platform.machine())
    assert info["kernelVersion"] == os.uname().release
    assert info["kubeletVersion"].startswith("v")
    assert all(isinstance(value, str) and value for value in info.values())
