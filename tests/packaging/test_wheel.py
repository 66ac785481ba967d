"""The wheel has the built dashboard and Kubernetes' definitions in it, and no dashboard is missing by mistake."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = Path("src", "windlass", "kube", "kubernetes_version.py")
NEEDED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", Path("src", "windlass", "__init__.py"), VERSION)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a wheel is built from, with few modules: they are not what is tested."""
    folder = tmp_path / "checkout"
    (folder / VERSION).parent.mkdir(parents=True)
    for name in NEEDED:
        shutil.copy(ROOT / name, folder / name)
    (folder / "examples").mkdir()
    return folder


def build(checkout: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."]
    environment = {**os.environ, **more}
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def contents(checkout: Path) -> set[str]:
    (wheel,) = (checkout / "dist").glob("windlass-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_built_dashboard_is_in_the_wheel(checkout: Path) -> None:
    assets = checkout / "ui" / "dist" / "assets"
    assets.mkdir(parents=True)
    (assets.parent / "index.html").write_text("<!doctype html>")
    (assets.parent / ".built").touch()
    (assets / "app-1a2b.js.br").write_text("x")

    done = build(checkout)

    assert done.returncode == 0, done.stderr
    assert "windlass/kube/kubernetes_definitions.json" in contents(checkout)
    built = {name for name in contents(checkout) if "/built/" in name}
    assert built == {f"windlass/gateway/pages/built/{name}" for name in ("index.html", "assets/app-1a2b.js.br")}


def test_a_wheel_without_the_dashboard_has_to_be_asked_for(checkout: Path) -> None:
    refused, built = build(checkout), build(checkout, WINDLASS_WITHOUT_UI="1")

    assert refused.returncode != 0
    assert "make wheel" in refused.stderr
    assert built.returncode == 0, built.stderr
