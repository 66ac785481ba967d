"""Environments that outlive a test run: frameworks are large, and building one takes minutes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

IMAGES_DIR = "WINDLASS_IMAGES_DIR"
LONGEST_BUILD = 800
"""Seconds; a framework with all that it needs is a gigabyte or more."""


class HasDataDir(Protocol):
    @property
    def data_dir(self) -> Path: ...


def kept_images() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get(IMAGES_DIR) or cache / "windlass" / "test-images")


def puller(platform: HasDataDir, images_dir: Path) -> Callable[[str], None]:
    """Has an image's environment built, so that no test waits for that; skips where it cannot be had."""
    built: set[str] = set()

    def pull(image: str) -> None:
        if image in built:
            return
        argv = [sys.executable, "-m", "windlass", "images", "pull", image]
        argv += ["--data-dir", str(platform.data_dir), "--images-dir", str(images_dir)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=LONGEST_BUILD, check=False)
        if done.returncode:
            pytest.skip(f"the environment of {image} cannot be built here: {done.stderr[-500:]}")
        built.add(image)

    return pull
