import os
import shutil
from pathlib import Path

import pytest

from windlass.node.network.plan import UPLINKS
from windlass.node.network.uplink import commands, reason, spawn, subnet


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", ""),
        ("Failed to open tun\n", "Failed to open tun"),
        (
            "1794802409.6054: Failed to open() /dev/net/tun: Permission denied\nFailed to send 70 bytes to syslog\n",
            "Failed to open() /dev/net/tun: Permission denied",
        ),
        (
            'open("/dev/net/tun"): Permission denied\nchild failed(1)\n',
            'open("/dev/net/tun"): Permission denied; child failed(1)',
        ),
    ],
)
def test_what_a_program_said_is_reported_in_one_line_without_what_it_says_of_itself(said: str, told: str) -> None:
    assert reason(said) == told


def test_each_program_gets_the_namespaces_and_no_way_to_the_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    pasta, slirp = commands(7, "/data")
    assert (pasta[0], slirp[0]) == ("/bin/pasta", "/bin/slirp4netns")
    assert "--no-map-gw" in pasta
    assert pasta[pasta.index("--netns") + 1] == "/proc/7/ns/net"
    assert pasta[pasta.index("--address") + 1] == subnet("/data")[2]
    assert "--disable-host-loopback" in slirp
    assert slirp[-2:] == ["/proc/7/ns/net", "wl-up"]


def test_only_what_is_installed_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "slirp4netns" else None)
    assert [argv[0] for argv in commands(7, "/data")] == ["/bin/slirp4netns"]


def test_links_of_two_data_directories_differ_and_lie_in_the_range_that_is_kept_for_them() -> None:
    one, other = subnet("/one"), subnet("/other")
    assert set(one).isdisjoint(other)
    assert all(UPLINKS.supernet_of(UPLINKS.__class__(f"{ip}/32")) for ip in (*one[1:], *other[1:]))


def test_what_outlives_the_agent_holds_nothing_that_the_agent_was_given(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        pid = spawn(["/bin/sh", "-c", "ls -l /proc/$$/fd >&2"], tmp_path / "said")
        os.waitpid(pid, 0)

    said = (tmp_path / "said").read_text()
    assert str(tmp_path / "said") in said
    assert str(tmp_path / "lock") not in said
