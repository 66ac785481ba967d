"""Pods reach a server outside of the machine, as root by a link, and as an ordinary user by pasta or slirp4netns.

The machine is a network namespace with a default route to another one, the outside, so nothing depends on where the
tests run, and nothing of it is changed. A tun device that users may open is there for the one process only.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.ordinary_user import as_user, python_for, skip_unless_possible
from tests.node.network.egress_world import MACHINE, METADATA, OUTSIDE, PORT, UDP_PORT
from tests.node.network.pods import Space

ROOT = Path(__file__).parents[3]
STORY = Path(__file__).with_name("egress_story.py")
WITH_TUN = """
mount -t tmpfs tun "$1" && mknod "$1/tun" c 10 200 && chmod 666 "$1/tun" && mount --bind "$1/tun" /dev/net/tun &&
    for hidden in $2; do mount --bind /dev/null "$hidden"; done && shift 2 && exec "$@"
"""
MAY_OPEN_TUN = "import os; os.open('/dev/net/tun', os.O_RDWR)"
TOOLS = ("pasta", "slirp4netns")

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("nsenter"), reason="needs root, to make an outside"),
    pytest.mark.timeout(600),
]


@pytest.fixture
def machine() -> Iterator[Space]:
    machine, outside = Space("unshare", "-n"), Space("unshare", "-n")
    machine.tell("link_to", outside.pid, MACHINE, OUTSIDE)
    outside.tell("has_link", OUTSIDE)
    outside.tell("has_link", METADATA)
    outside.tell("serve", PORT, "outside")
    outside.tell("serve_udp", UDP_PORT, "outside")
    yield machine
    machine.close()
    outside.close()


@pytest.fixture
def home() -> Iterator[Path]:
    """Not below pytest's own folders, which other users may not enter."""
    with tempfile.TemporaryDirectory(prefix="windlass-egress-") as folder:
        os.chown(folder, 1000, 1000)
        yield Path(folder)


def story(machine: Space, before: list[str], argv: list[str]) -> None:
    told = subprocess.run(
        ["nsenter", "--net", "--target", str(machine.pid), *before, *argv],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=580,
    )
    assert told.returncode == 0, told.stdout[-4000:] + told.stderr[-1000:]


def pytest_of(python: str, folder: Path) -> list[str]:
    return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder}/t", str(STORY)]


def test_roots_pods_reach_the_outside(machine: Space, home: Path) -> None:
    story(machine, [], pytest_of(python_for("root"), home))


@pytest.mark.parametrize("tool", TOOLS)
def test_a_users_pods_reach_the_outside(machine: Space, home: Path, tool: str) -> None:
    who = "ordinary user"
    skip_unless_possible(who)
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    others = [found for other in TOOLS if other != tool and (found := shutil.which(other))]
    folder = home / "tun"
    folder.mkdir()
    with_tun = ["unshare", "--mount", "sh", "-c", WITH_TUN, "sh", str(folder), " ".join(others)]
    may = subprocess.run(
        [*with_tun, *as_user([python_for(who), "-c", MAY_OPEN_TUN], home)], capture_output=True, text=True, check=False
    )
    if may.returncode:
        pytest.skip(f"users cannot have a tun device here: {may.stderr.strip().splitlines()[-1:]}")
    story(machine, with_tun, as_user(pytest_of(python_for(who), home), home))
