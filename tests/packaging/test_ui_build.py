"""When the dashboard is built, and from what."""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ui_build(tmp_path: Path) -> ModuleType:
    """The tool, on an empty checkout."""
    spec = importlib.util.spec_from_file_location("ui_build", ROOT / "tools" / "ui_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(UI=tmp_path / "ui", BUILT=tmp_path / "ui" / "dist" / ".built")
    for folder in ("src", "dist", "node_modules"):
        (tmp_path / "ui" / folder).mkdir(parents=True)
    return module


def test_it_is_built_again_only_after_a_source_has_changed(ui_build: ModuleType) -> None:
    source, other = ui_build.UI / "src" / "app.tsx", ui_build.UI / "node_modules" / "x.js"
    source.touch()
    other.touch()
    before = ui_build.is_current(ui_build.BUILT)
    ui_build.BUILT.touch()
    os.utime(ui_build.BUILT, (ui_build.newest_source(),) * 2)
    after = ui_build.is_current(ui_build.BUILT)
    os.utime(other, (2e9, 2e9))
    still = ui_build.is_current(ui_build.BUILT)
    os.utime(source, (2e9, 2e9))

    assert (before, after, still, ui_build.is_current(ui_build.BUILT)) == (False, True, True, False)


@pytest.mark.parametrize(("printed", "version"), [("v20.19.5", (20, 19)), ("v18.2.0", (18, 2)), ("?", ())])
def test_the_version_of_node_is_read(ui_build: ModuleType, tmp_path: Path, printed: str, version: tuple[int]) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho '{printed}'\n")
    node.chmod(0o755)

    assert ui_build.version_of(str(node)) == version
    assert ui_build.version_of(None) == ()


def test_a_wheel_of_node_is_locked(ui_build: ModuleType) -> None:
    assert f"\n{ui_build.NODE_WHEEL}==" in ui_build.LOCK.read_text()


@pytest.mark.skipif(not (ROOT / "ui" / "package-lock.json").exists(), reason="there is no dashboard in this checkout")
def test_the_lock_of_the_dashboard_names_no_registry() -> None:
    assert '"resolved"' not in (ROOT / "ui" / "package-lock.json").read_text()


@pytest.mark.skipif(not (ROOT / "ui" / "package-lock.json").exists(), reason="there is no dashboard in this checkout")
def test_the_lock_of_the_dashboard_is_complete_on_every_system() -> None:
    """A package that is optional on one system is needed on another, and `npm ci` refuses a lock without it."""
    packages = json.loads((ROOT / "ui" / "package-lock.json").read_text())["packages"]
    optional = {name for package in packages.values() for name in package.get("optionalDependencies", {})}

    assert optional
    assert sorted(name for name in optional if f"node_modules/{name}" not in packages) == []
