"""A framework is one file: that of the developers' page, put in its place, is served, run and told about."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import windlass
from tests.support import Windlass, eventually

SOURCE = Path(windlass.__file__).parent
CHECKOUT = SOURCE.parents[1]
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(400)]


@pytest.fixture
def with_dask(tmp_path: Path) -> Iterator[Windlass]:
    """A Windlass whose source has one file more."""
    section = (CHECKOUT / "docs" / "developers.md").read_text().split("\n## A framework\n")[1]
    snippet = re.search(r"^```python\n(.*?)^```$", section, re.M | re.S)
    assert snippet
    assert len(snippet[1].splitlines()) < 150
    source = tmp_path / "checkout" / "src"
    shutil.copytree(SOURCE, source / "windlass", ignore=shutil.ignore_patterns("__pycache__"))
    (source.parent / "examples").symlink_to(CHECKOUT / "examples")
    (source / "windlass" / "apps" / "training" / "frameworks" / "dask.py").write_text(snippet[1])
    (tmp_path / "home").mkdir()

    def run(*words: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source), "HOME": str(tmp_path / "home")}
        argv = [sys.executable, "-m", "windlass", *words, "--data-dir", str(tmp_path / "data")]
        done = subprocess.run(
            argv, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("up", "--detach", "--port", "0")
    try:
        yield Windlass(tmp_path / "data", 0)
    finally:
        run("down")


def test_the_file_of_the_developers_page_is_all_that_a_framework_needs(with_dask: Windlass) -> None:
    told = "echo $DASK_SCHEDULER_ADDRESS for $DASK_WORKERS"
    container = {"name": "dask", "image": "busybox", "command": ["sh", "-c", told]}
    role = {"template": {"spec": {"containers": [container]}}}
    roles = {"Scheduler": role, "worker": {"replicas": 2, **role}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "DaskJob", "metadata": {"name": "demo"}}

    refused = with_dask.kubectl(
        "apply", "-f", "-", stdin=json.dumps({**job, "spec": {"daskReplicaSpecs": {"Boss": role}}}), check=False
    )
    with_dask.kubectl("apply", "-f", "-", stdin=json.dumps({**job, "spec": {"daskReplicaSpecs": roles}}))
    row = "get daskjobs --no-headers"
    eventually(lambda: with_dask.kubectl(row).stdout.split()[:2] == ["demo", "Succeeded"], 120, "the job succeeds")

    assert 'Unsupported value: "Boss"' in refused.stderr
    said, wanted = ("logs", "demo-worker-1"), "tcp://demo-scheduler-0:8786 for 2\n"
    eventually(lambda: with_dask.kubectl(*said, check=False).stdout == wanted, 60, "what the last worker was told")
    described = "describe daskjob demo"
    eventually(lambda: "DaskJobSucceeded" in with_dask.kubectl(described).stdout, 60, "the event")
