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

NPM = """case "$*" in
    ci*) mkdir -p node_modules && touch node_modules/.package-lock.json ;;
    run*) mkdir -p dist && touch dist/index.html ;;
esac"""


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


def test_an_install_of_a_clone_builds_the_dashboard_where_node_is_at_hand(checkout: Path, tmp_path: Path) -> None:
    """Node and npm are stand-ins: what the build makes of the sources is not what is tested."""
    (checkout / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "ui_build.py", checkout / "tools")
    (checkout / "ui").mkdir()
    (checkout / "ui" / "package-lock.json").write_text("{}")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, script in (("node", "echo v20.19.0"), ("npm", NPM)):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)

    done = build(checkout, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")

    assert done.returncode == 0, done.stderr
    assert "windlass/gateway/pages/built/index.html" in contents(checkout)


def test_an_install_without_node_is_one_without_the_dashboard_unless_that_is_required(checkout: Path) -> None:
    refused, built = build(checkout, WINDLASS_WITH_UI="1"), build(checkout)

    assert refused.returncode != 0
    assert "the dashboard is not built" in refused.stderr
    assert built.returncode == 0, built.stderr
    assert not any("/built/" in name for name in contents(checkout))


def test_make_wheel_requires_the_dashboard() -> None:
    assert "WINDLASS_WITH_UI=1 $(PIP) wheel" in (ROOT / "Makefile").read_text()
