"""An environment with Kubeflow's SDK, made once and kept: it needs an older client of Kubernetes than our own tests."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass

SDK = "kubeflow-training==1.9.4"
PACKAGES = (SDK, "kubernetes==35.0.0")
STORIES = Path(__file__).with_name("sdk_stories.py")
KEPT = Path(__file__).parents[3] / ".make"


def sdk_python(*packages: str) -> Path:
    """The Python that can import an SDK, the first of the packages; skips the test where it cannot be installed."""
    wanted = packages or PACKAGES
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    others = sha256(" ".join(wanted).encode()).hexdigest()[:8]
    folder = KEPT / f"{wanted[0].replace('==', '-')}-{others}-{version}"
    python = folder / "bin" / "python"
    if not python.exists():
        _make(folder, wanted)
    return python


def _make(folder: Path, packages: tuple[str, ...]) -> None:
    folder.parent.mkdir(exist_ok=True)
    building = folder.with_name(f"{folder.name}-{os.getpid()}")
    for words in (
        ["venv", "--quiet", "--python", sys.executable, str(building)],
        ["pip", "install", "--quiet", "--python", str(building / "bin" / "python"), *packages],
    ):
        done = subprocess.run(
            [Path(sys.executable).with_name("uv"), *words], capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode != 0:
            shutil.rmtree(building, ignore_errors=True)
            pytest.skip(f"{packages[0]} cannot be installed here: {done.stderr.strip()[-300:]}")
    try:
        building.rename(folder)
    except OSError:  # another test run was faster
        shutil.rmtree(building)


@dataclass
class Sdk:
    """Tells stories with the unmodified TrainingClient."""

    server: Windlass
    namespace: str
    python: Path | None = None
    """One with more than the SDK; None for the usual one."""

    def run_story(self, story: str, kind: str, within: float = 300.0) -> Any:
        """What a story of sdk_stories.py found out."""
        words = (story, kind, str(self.server.kubeconfig), self.namespace)
        return run_story(self.python or sdk_python(), STORIES, words, within)


def run_story(python: Path, stories: Path, words: Sequence[str], within: float) -> Any:
    """What a program of stories says last, which is JSON."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [python, stories, *words],
        capture_output=True,
        text=True,
        timeout=within,
        check=False,
        env=environment,
        cwd=stories.parent,
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return json.loads(done.stdout.splitlines()[-1])
