"""What the first load of the dashboard takes on the way to a browser."""

import re

import pytest

from tests.e2e.dashboard.conftest import BUILT

MOST_GZIP_BYTES = 350 * 1024
FIRST = re.compile(r'(?:src|href)="/(assets/[^"]+)"')
IMPORTED = re.compile(r'(?:from|import)\s*"\./([^"]+\.js)"')


@pytest.mark.skipif(not BUILT.is_file(), reason="the dashboard is not built: `make ui-build`")
def test_the_home_page_loads_at_most_350_kilobytes() -> None:
    folder = BUILT.parent
    waiting = {*FIRST.findall(BUILT.read_text()), *home_page()}
    loaded: set[str] = set()
    while waiting:
        name = waiting.pop()
        loaded.add(name)
        if name.endswith(".js"):
            waiting |= {f"assets/{one}" for one in IMPORTED.findall((folder / name).read_text())} - loaded

    assert len(loaded) > 2
    total = sum((folder / f"{name}.gz").stat().st_size for name in (*loaded, BUILT.name))
    assert total <= MOST_GZIP_BYTES, f"{total} bytes in {sorted(loaded)}"


def home_page() -> set[str]:
    """The page itself is a chunk of its own, with its style sheet."""
    assets = BUILT.parent / "assets"
    return {f"assets/{path.name}" for path in assets.glob("Home-*") if path.suffix in (".js", ".css")}
