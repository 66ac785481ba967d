"""The dashboard's own tests, and rules about its sources that no linter has."""

import json
import re
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


def test_every_colour_is_a_token() -> None:
    """A colour that a style sheet writes itself is the same in light and dark."""
    styles = [path for path in (UI / "src").rglob("*.css") if path.name != "tokens.css"]
    raw = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab)\(")
    found = [
        f"{path.relative_to(UI)}:{number}: {line.strip()}"
        for path in styles
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if raw.search(line)
    ]

    assert found == []


def test_every_package_is_used_and_says_why_it_is_there() -> None:
    packages = json.loads((UI / "package.json").read_text())["dependencies"]
    sources = "\n".join(path.read_text() for path in (UI / "src").rglob("*.ts*"))
    page = (UI.parent / "docs" / "dependencies.md").read_text()

    assert [name for name in packages if not re.search(rf'(from |import |import\()"{name}["/]', sources)] == []
    assert [name for name in packages if f"`{name}`" not in page] == []
