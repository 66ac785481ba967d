"""The demo shows the same with kubectl and without, and leaves nothing behind."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.ordinary_user import command, skip_reason, uid_of
from tests.support import KUBECTL
from windlass.cli.demo import render

WINDLASS = (sys.executable, "-P", "-m", "windlass")


def run_demo(tmp_path: Path, path: str, *flags: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": path}
    return subprocess.run(
        [*WINDLASS, "demo", *flags], env=env, capture_output=True, text=True, check=False, timeout=100
    )


@pytest.mark.kubectl
def test_with_kubectl_it_types_what_a_user_would(tmp_path: Path) -> None:
    if not shutil.which("kubectl"):
        pytest.skip("there is no kubectl on the PATH")
    done = run_demo(tmp_path, os.environ["PATH"])

    assert done.returncode == 0, done.stdout + done.stderr
    assert "$ kubectl apply -f" in done.stdout
    check(done.stdout, tmp_path)


def test_without_kubectl_it_asks_the_api_itself(tmp_path: Path) -> None:
    done = run_demo(tmp_path, "/nowhere")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "There is no kubectl" in done.stdout
    check(done.stdout, tmp_path)


def check(output: str, folder: Path) -> None:
    """Pods ran, and the Job among them has learned what the others know: y = 3 x + 2."""
    assert re.search(r"points-\w+-\w+ +1/1 +Running", output)
    assert re.search(r"step 40 +loss 0\.0\d+ +y = (2\.[89]|3\.[01])\d x \+ (1\.[89]|2\.[01])\d", output)
    assert "learned from 2 pods" in output
    assert re.search(r"fit-\w+ +0/1 +Completed", output)
    assert f"kubeconfig: {folder}/windlass-demo-" in output
    assert list(folder.glob("windlass-demo-*")) == []


@pytest.mark.skipif(skip_reason("ordinary user") != "", reason=skip_reason("ordinary user"))
def test_an_ordinary_user_sees_the_same(own_folder: Path) -> None:
    path = os.environ["PATH"] if KUBECTL else "/usr/bin:/bin"
    argv = ["env", f"TMPDIR={own_folder}", f"PATH={path}", *command("ordinary user", ["demo"], own_folder)]
    done = subprocess.run(argv, cwd=own_folder, capture_output=True, text=True, check=False, timeout=120)

    assert done.returncode == 0, done.stdout + done.stderr
    check(done.stdout, own_folder)


@pytest.fixture
def own_folder() -> Iterator[Path]:
    """Theirs, where they may go: not below the test's own, which are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="wd-", dir="/tmp"))
    os.chown(folder, uid_of("ordinary user"), uid_of("ordinary user"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_without_sandboxes_it_says_so_and_works_all_the_same(tmp_path: Path) -> None:
    done = run_demo(tmp_path, os.environ["PATH"], "--runtime", "process")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Pods run as plain processes here" in done.stdout
    check(done.stdout, tmp_path)


def test_a_table_is_printed_as_kubectl_prints_it() -> None:
    table = {
        "columnDefinitions": [{"name": "Name"}, {"name": "Data"}, {"name": "Node", "priority": 1}],
        "rows": [{"cells": ["long-name", 1, "n0"]}, {"cells": ["b", None, "n1"]}],
    }

    assert render(table) == "NAME        DATA\nlong-name   1\nb           <none>"
