"""The demo shows the same with kubectl and without, and leaves nothing behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from windlass.cli.demo import render

WINDLASS = (sys.executable, "-P", "-m", "windlass")


def run_demo(tmp_path: Path, path: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": path}
    return subprocess.run([*WINDLASS, "demo"], env=env, capture_output=True, text=True, check=False, timeout=100)


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
    assert "NAME     MODEL       RATE   EPOCHS   AGE" in output
    assert "digits   mnist-cnn   0.01   10" in output
    assert f"kubeconfig: {folder}/windlass-demo-" in output
    assert list(folder.glob("windlass-demo-*")) == []


def test_a_table_is_printed_as_kubectl_prints_it() -> None:
    table = {
        "columnDefinitions": [{"name": "Name"}, {"name": "Data"}, {"name": "Node", "priority": 1}],
        "rows": [{"cells": ["long-name", 1, "n0"]}, {"cells": ["b", None, "n1"]}],
    }

    assert render(table) == "NAME        DATA\nlong-name   1\nb           <none>"
