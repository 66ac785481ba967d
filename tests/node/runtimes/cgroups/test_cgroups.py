"""Limits by cgroups v2: what is written, on a plain folder; and that the kernel keeps it, on one that has them.

Few machines on which tests run delegate all controllers. So a User Mode Linux (Debian's user-mode-linux) is booted
where it is installed: a real kernel, as one process, on this machine's files, which it can only read.
"""

import errno
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

import windlass
from windlass.node.runtimes.sandbox import limits

HERE = Path(__file__).parent
MODULES = "/usr/lib/uml/modules"
NO_LIMITS: dict[str, Any] = {"memory": None, "cpu_millis": None, "cpu_request_millis": None, "pids": None}


@pytest.mark.parametrize(
    ("wanted", "files"),
    [
        ({}, {"pids.max": "4096", "memory.oom.group": "1"}),
        ({"pids": 20}, {"pids.max": "20", "memory.oom.group": "1"}),
        ({"memory": 2**20}, {"memory.max": "1048576", "memory.swap.max": "0"}),
        ({"cpu_millis": 250}, {"cpu.max": "25000 100000"}),
        ({"cpu_millis": 1}, {"cpu.max": "1000 100000"}),  # the least that the kernel takes
        ({"cpu_request_millis": 1000}, {"cpu.weight": "39"}),
        ({"cpu_request_millis": 1}, {"cpu.weight": "1"}),
        ({"cpu_request_millis": 10_000_000}, {"cpu.weight": "10000"}),
    ],
)
def test_limits_are_files_of_the_kernel(wanted: dict[str, Any], files: dict[str, str]) -> None:
    settings = limits.settings(NO_LIMITS | wanted)
    assert settings | files == settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As the kernel shows a cgroup, as far as a plain folder can."""
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (tmp_path / "cgroup.subtree_control").touch()
    return tmp_path


def prepared(folder: Path) -> bool:
    return limits._prepared(str(folder))  # pyright: ignore[reportPrivateUsage] - the kernel is what differs


def test_a_folder_is_prepared_from_the_outside_inwards(folder: Path) -> None:
    (folder / "windlass").mkdir()
    (folder / "windlass" / "cgroup.subtree_control").touch()
    assert prepared(folder / "windlass")
    assert (folder / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert (folder / "windlass" / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"


def test_a_folder_without_all_controllers_is_none(folder: Path) -> None:
    (folder / "cgroup.controllers").write_text("memory pids\n")
    assert not prepared(folder / "windlass")
    assert not (folder / "windlass").exists()


@pytest.mark.parametrize("error", [errno.EBUSY, errno.EACCES, errno.ENOENT])
def test_a_folder_that_refuses_is_none(folder: Path, error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """EBUSY: it has processes of its own; the others: it is somebody else's, or has just gone."""

    def refuse(path: str, text: str) -> None:
        raise OSError(error, path, text)

    monkeypatch.setattr(limits, "write_text", refuse)
    assert not prepared(folder / "windlass")
    assert not prepared(folder / "no" / "such")


def test_only_files_that_the_kernel_has_are_written(folder: Path) -> None:
    own = folder / "uid.main.0"
    own.mkdir()
    for name in ("memory.max", "pids.max", "cgroup.procs"):
        (own / name).touch()
    cgroup = limits.Cgroup(str(own), NO_LIMITS | {"memory": 4096, "cpu_millis": 100})
    cgroup.add(7)
    written = {file.name: file.read_text() for file in own.iterdir()}
    assert written == {"memory.max": "4096", "pids.max": "4096", "cgroup.procs": "7"}


def test_usage_and_ends_for_want_of_memory_are_read(folder: Path) -> None:
    cgroup = limits.Cgroup(str(folder / "uid.main.0"), NO_LIMITS)
    assert cgroup.oom_kills() == 0
    own = folder / "uid.main.0"
    (own / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 2\n")
    (own / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
    (own / "memory.current").write_text("8192\n")
    (own / "pids.current").write_text("3\n")
    assert cgroup.oom_kills() == 2
    assert cgroup.usage() == (1.5, 8192, 3)


def test_folders_of_pods_are_found_and_those_that_are_not_empty_stay(folder: Path) -> None:
    for name in ("a.main.0", "a.side.2", "b.main.0"):
        (folder / name).mkdir()
    (folder / "cgroup.max.depth").touch()
    (folder / "a.side.2" / "cgroup.procs").touch()
    found = limits.containers_of(str(folder))
    assert {uid: sorted(Path(each).name for each in folders) for uid, folders in found.items()} == {
        "a": ["a.main.0", "a.side.2"],
        "b": ["b.main.0"],
    }
    limits.forget(found["a"])
    assert sorted(limits.containers_of(str(folder))) == ["a", "b"]
    limits.forget(found["b"])
    assert list(limits.containers_of(str(folder))) == ["a"]
    assert limits.containers_of("") == {}


@pytest.mark.timeout(600)
def test_the_kernel_keeps_the_limits_of_roots_and_users_containers() -> None:
    kernel, modules = shutil.which("linux.uml"), [*Path(MODULES).glob("*/kernel")]
    if not kernel or not modules or not shutil.which("insmod") or not Path("/usr/bin/python3").exists():
        pytest.skip("there is no User Mode Linux (packages user-mode-linux and kmod)")
    if any(HERE.is_relative_to(place) for place in ("/tmp", "/var/tmp", "/run")):
        pytest.skip("Windlass lies below a folder that the booted machine has of its own")
    packages = Path(windlass.__file__).parents[1], Path(msgspec.__file__).parents[1]
    python_path = ":".join(map(str, packages))
    told = subprocess.run(
        [
            *(kernel, "mem=1G", "rootfstype=hostfs", "rootflags=/", "root=hostfs", "ro", "quiet"),
            *("con=null", "con0=null,fd:1", f"init={HERE / 'init.sh'}", "--"),
            *(str(modules[0]), str(HERE / "story.py"), python_path, "/usr/bin/python3"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=500,
    )
    booted = next((line for line in told.stdout.splitlines() if line.startswith("BOOTED")), "")
    if not {"cpu", "memory", "pids"} <= set(booted.split()):
        pytest.skip(f"a User Mode Linux with cgroups v2 cannot be booted here: {told.stdout[-300:]}")
    passed = {line for line in told.stdout.splitlines() if line.startswith("PASSED")}
    assert passed == {f"PASSED {who} {how}" for who in ("root", "user") for how in ("sandbox", "process")}, told.stdout
