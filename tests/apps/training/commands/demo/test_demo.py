"""The demo trains for everyone, and its page shows it. It says when TensorFlow cannot be had, and cleans up.

Most of these train with NumPy, whose environment is small; the stories of training try TensorFlow.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.ordinary_user import command, skip_reason, uid_of
from tests.e2e.training.terminal import CTRL_C, Terminal
from windlass.gateway.pages.files import built_folder

PAGE = "/jobs/TFJob/kubeflow-user-example-com/digits"
WINDLASS = (sys.executable, "-P", "-m", "windlass")
PATIENCE = 280
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
KEPT = ("--images-dir", os.environ.get("WINDLASS_IMAGES_DIR") or str(CACHE / "windlass" / "test-images"))
"""Where stories of training keep environments between runs too."""


def run_demo(folder: Path, *flags: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WINDLASS, "demo", *flags],
        env={**os.environ, "HOME": str(folder), "TMPDIR": str(folder), **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def check(done: subprocess.CompletedProcess[str], folder: Path, workers: int = 2) -> None:
    """The workers learned, the losses were printed meanwhile, and nothing is left."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(set(re.findall(r"^  (\S+)  epoch 15/15 loss 0\.\d+", done.stdout, re.M))) == workers
    accuracy = re.search(r"^([\d.]+)% of unseen digits are recognized", done.stdout, re.M)
    assert accuracy, done.stdout
    assert float(accuracy[1]) > 90
    assert re.search(r"TFJob +digits +Succeeded +(\d)/\1", done.stdout)
    check_dashboard(done.stdout, workers)
    assert re.search(
        r"It took \d+ s: Windlass [\d.]+ s, environment [\d.]+ s, replicas [\d.]+ s, training", done.stdout
    )
    assert "Next steps: docs/getting-started.md" in done.stdout
    assert list(folder.glob("windlass-demo-*")) == []


def check_dashboard(output: str, workers: int) -> None:
    """It said how to sign in, and its page loads and followed the job."""
    assert re.search(r"^  Dashboard   http://127\.0\.0\.1:\d+$", output, re.M), output
    assert re.search(r"^  Sign in     user@example\.com  \S{8,}$", output, re.M), output
    line = re.search(rf"^  dashboard: {PAGE} (.*); followed live: (.*); losses of (.*)$", output, re.M)
    assert line, output
    is_built = (built_folder() / "index.html").is_file()
    assert re.fullmatch(r"loads \([1-9]\d* files\)" if is_built else r"is not built .*", line[1])
    assert line[2].endswith("Succeeded")
    assert line[3] == ", ".join(f"worker-{index}" for index in range(workers))


@pytest.mark.timeout(300)
def test_without_a_terminal_it_tells_line_by_line_and_ends_by_itself(tmp_path: Path) -> None:
    done = run_demo(tmp_path, "--framework", "numpy")

    check(done, tmp_path)
    assert "Building the environment of NumPy: numpy, scikit-learn" in done.stdout
    assert re.search(r"^  Installed \d+ packages", done.stdout, re.M), done.stdout
    assert "\x1b[" not in done.stdout


@pytest.mark.timeout(300)
def test_what_cannot_be_installed_is_said_and_the_next_is_tried(tmp_path: Path) -> None:
    impossible = tmp_path / "constraints.txt"
    impossible.write_text("tensorflow-cpu==0.0.1\ntorch==0.0.1\n")
    done = run_demo(tmp_path, PIP_CONSTRAINT=str(impossible))

    check(done, tmp_path)
    assert re.search(r"^TensorFlow cannot be installed here: .*tensorflow", done.stdout, re.M)
    assert re.search(r"^PyTorch cannot be installed here: .*torch", done.stdout, re.M)
    assert "Building the environment of NumPy" in done.stdout


@pytest.mark.timeout(300)
def test_where_nothing_can_be_installed_it_fails_and_says_so(tmp_path: Path) -> None:
    done = run_demo(tmp_path, PIP_NO_INDEX="1", PIP_CONFIG_FILE="/dev/null")

    assert done.returncode == 1
    assert "no framework can be installed here: tried TensorFlow, PyTorch, NumPy" in done.stderr


@pytest.mark.timeout(300)
@pytest.mark.skipif(skip_reason("ordinary user") != "", reason=skip_reason("ordinary user"))
def test_an_ordinary_user_sees_the_same(own_folder: Path) -> None:
    argv = command("ordinary user", ["demo", "--framework", "numpy"], own_folder)
    done = subprocess.run(
        ["env", f"TMPDIR={own_folder}", *argv],
        cwd=own_folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip

    check(done, own_folder)


@pytest.fixture
def own_folder() -> Iterator[Path]:
    """Theirs, where they may go: not below the test's own, which are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="wd-", dir="/tmp"))
    os.chown(folder, uid_of("ordinary user"), uid_of("ordinary user"))
    yield folder
    for left in folder.glob("windlass-demo-*"):  # of a demo that failed
        subprocess.run([*WINDLASS, "down", "--kill", "--data-dir", str(left)], check=False, timeout=60)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(300)
def test_without_sandboxes_one_worker_trains_alone_and_that_is_said(tmp_path: Path) -> None:
    done = run_demo(tmp_path, "--framework", "numpy", "--runtime", "process", *KEPT)

    check(done, tmp_path, workers=1)
    assert "Pods are plain processes here" in done.stdout


@pytest.mark.timeout(300)
def test_in_a_terminal_it_shows_itself_live_and_waits_for_enter(tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    browser.chmod(0o700)
    terminal = in_terminal(tmp_path, BROWSER=str(browser))
    terminal.until("Opened in your browser", within=PATIENCE)
    page = signed_in(opened.read_text())
    terminal.until("Press Enter to stop and remove it", within=PATIENCE)
    terminal.press("\n")

    assert page == PAGE
    assert terminal.end() == 0, terminal.shown
    assert "REPLICA" in terminal.shown
    assert re.search(r"worker-1 .*15/15", terminal.shown)
    assert "of unseen digits" in terminal.shown
    assert list(tmp_path.glob("windlass-demo-*")) == []


@pytest.mark.timeout(300)
def test_ctrl_c_ends_it_and_leaves_nothing_behind(tmp_path: Path) -> None:
    terminal = in_terminal(tmp_path)
    terminal.until("Building the environment", within=PATIENCE)
    terminal.press(CTRL_C)

    assert terminal.end() == 1
    assert list(tmp_path.glob("windlass-demo-*")) == []


def signed_in(link: str) -> str:
    """Follow a link, as a browser would; the page that it leads to."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link, timeout=60) as answer:
        return urllib.parse.urlsplit(answer.url).path


def in_terminal(folder: Path, **env: str) -> Terminal:
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder), "TERM": "xterm", "COLUMNS": "120", **env}
    return Terminal([*WINDLASS, "demo", "--framework", "numpy", *KEPT], folder, environment)
