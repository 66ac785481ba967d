"""Who the scenarios of runtimes are run as, and where: each is a process of its own, as far as this machine allows."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import windlass

ORDINARY = 1000
_TESTS = Path(__file__).parents[2]


class User(NamedTuple):
    python: str
    uid: int

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        parts = (Path(windlass.__file__).parents[1], Path(msgspec.__file__).parents[1], _TESTS.parent)
        environment = os.environ | {"PYTHONPATH": ":".join(map(str, parts)), "HOME": "/tmp"}
        as_user = {} if self.uid == os.getuid() else {"user": self.uid, "group": self.uid, "extra_groups": []}
        return subprocess.run(
            [self.python, *arguments], env=environment, capture_output=True, text=True, timeout=200, **as_user
        )  # fmt: skip


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def user(request: pytest.FixtureRequest) -> User:
    if request.param == "root":
        if os.getuid() != 0:
            pytest.skip("the tests are not run by root")
        return User(sys.executable, 0)
    if os.getuid() != 0:
        return User(sys.executable, os.getuid())
    other = User("/usr/bin/python3", ORDINARY)
    version = f"import sys, msgspec, windlass; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if not Path(other.python).exists() or other.run("-c", version).returncode:
        pytest.skip("/usr/bin/python3 cannot run Windlass as another user")
    return other


@pytest.fixture
def data(user: User) -> Iterator[Path]:
    """Not below pytest's own folder, which other users may not enter."""
    with tempfile.TemporaryDirectory(prefix="windlass-box-", dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        os.chown(folder, user.uid, user.uid)
        yield Path(folder)
        left = _processes_of(folder)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert not left, "processes were left behind"


def _processes_of(folder: str) -> list[int]:
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (each / "cmdline").read_bytes()
        except OSError:
            continue
        if folder.encode() in arguments:
            found.append(int(each.name))
    return found
