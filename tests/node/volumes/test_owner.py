"""Whose files a volume's are."""

import os
import shutil
import subprocess

import pytest

from tests.support import eventually
from windlass.node.volumes.owner import has_single_id


def test_a_process_that_has_gone_tells_nothing_of_its_ids() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()

    assert not has_single_id(gone.pid)
    assert not has_single_id(None)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
def test_a_user_namespace_without_more_ids_has_a_single_one() -> None:
    inside = subprocess.Popen(["unshare", "--user", "--map-root-user", "sleep", "infinity"], stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: has_single_id(inside.pid) or inside.poll(), 60, "the namespace")
        if inside.poll() is not None:
            pytest.skip("user namespaces are refused here")
    finally:
        inside.kill()
        inside.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has all ids")
def test_the_machine_has_many_ids() -> None:
    assert not has_single_id(os.getpid())
