"""Every module that the developers' pages name exists."""

import re
from pathlib import Path

import pytest

from .pages import ROOT

SOURCE = ROOT / "src" / "windlass"
PATH = re.compile(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py|(?:[a-z_0-9]+/){2,})`")
INVENTED = frozenset({"controllers/lamps/__init__.py"})
"""Modules of the examples that a reader is to write."""


def exists(name: str) -> bool:
    if (ROOT / name).exists() or (SOURCE / name).exists():
        return True
    # A module may be named by the end of its path, below the package that the text is about.
    return any(SOURCE.glob(f"**/{name.rstrip('/')}"))


@pytest.mark.parametrize("page", ["architecture.md", "developers.md"])
def test_every_module_that_a_page_names_exists(page: str) -> None:
    named = set(PATH.findall(Path(ROOT / "docs" / page).read_text()))

    assert named, "the page names no module"
    assert sorted(name for name in named - INVENTED if not exists(name)) == []
