"""The dashboard's own tests, and rules about its sources that no linter has."""

import subprocess
from pathlib import Path

import pytest

from tests.ui.conftest import BUILD, UI

PARTS = sorted(path.name for path in (UI / "src" / "parts").iterdir() if path.is_dir())


def test_the_logic_of_the_dashboard(packages: Path) -> None:
    done = subprocess.run([*BUILD, "--run", "test"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_stories(part: str) -> None:
    assert list((UI / "src" / "parts" / part).glob("*.stories.tsx"))


def test_every_component_of_the_parts_is_in_a_story() -> None:
    """By itself, or within another one that uses it."""
    sources = [path for path in (UI / "src" / "parts").rglob("*.tsx") if not path.stem.endswith(".test")]
    used = "\n".join(path.read_text() for path in (*sources, *(UI / "src").rglob("*.stories.tsx")))

    components = {path.stem for path in sources if not path.stem.endswith(".stories")}
    around_every_story = {"ToastProvider"}
    assert {name for name in components - around_every_story if f'/{name}"' not in used} == set()
