"""MPI as an ordinary user, whose containers have one user only unless the machine gives them more."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platforms, new_namespace, skip_without_sandboxes
from tests.e2e.node.pods import Object
from tests.e2e.ordinary_user import skip_unless_possible, uid_of
from tests.e2e.training.images import IMAGES_DIR
from tests.e2e.training.jobs import JobShell
from tests.e2e.training.mpi_jobs import approximation, exec_job, launcher_log, pi, sums

SYSTEM = "test/mpi:1"
"""Stands for the machine's own Python with mpi4py."""
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(300)]

SYSTEM_RULE: Object = {
    "image": "test/mpi",
    "programs": ["mpirun", "sshd"],
    "files": {
        "/etc/passwd": "mpi/passwd",
        "/etc/shadow": "mpi/shadow",
        "/etc/ssh/ssh_config": "mpi/ssh_config",
        "/etc/ssh/sshd_config": "mpi/sshd_config",
        "/home/mpiuser/.sshd_config": "mpi/sshd_config",
        "/home/mpiuser/pi": "mpi/pi",
    },
    "env": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
}


def lacks() -> str:
    """What the machine would need for MPI without building anything; "" if it has all of it."""
    for program in ("mpirun", "ssh", "/usr/sbin/sshd", "/usr/bin/python3"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    has = subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], capture_output=True, check=False, timeout=60)
    return "the system's Python has no mpi4py" if has.returncode else ""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobShell]:
    """A terminal on a Windlass of an ordinary user, for whom nothing has to be built."""
    monkeypatch.delenv(IMAGES_DIR, raising=False)  # the one that other stories share is root's
    user = "ordinary user"
    skip_unless_possible(user)
    if why := lacks():
        pytest.skip(why)
    platforms = Platforms()
    try:
        platform = platforms.fresh(user)
        platform.data_dir.mkdir(mode=0o700)
        mapping = platform.data_dir / "images.yaml"
        mapping.write_text(json.dumps({"images": [SYSTEM_RULE]}))
        for path in (platform.data_dir, mapping):
            os.chown(path, uid_of(user), -1)
        platforms.started[user] = platform
        platform.up()
        skip_without_sandboxes(platform)
        yield JobShell(platform, new_namespace(platform), tmp_path)
    finally:
        platforms.stop()


def test_mpirun_reaches_its_workers_by_exec_and_by_ssh(shell: JobShell) -> None:
    shell.apply(exec_job("sum", 2, SYSTEM), pi("pi", SYSTEM))

    shell.is_done("mpijobs/sum")
    shell.is_done("mpijobs/pi")

    assert [line.split(" rank ")[1] for line in sums(shell.log("sum-launcher"))] == ["0 of 2: 3", "1 of 2: 3"]
    assert approximation(launcher_log(shell, "pi")) == pytest.approx(3.14, abs=0.01)
