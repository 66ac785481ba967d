"""docs/security.md names tests that exist, and no command has a flag that it rules out."""

import re
from pathlib import Path

import pytest

from windlass.cli.components.gateway import gateway
from windlass.cli.components.server import server
from windlass.cli.up import up

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_exists(file: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE)


def test_every_row_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| hole", "| fault"))]

    assert len(rows) >= 20
    assert [row for row in rows if "::test_" not in row] == []


def test_no_flag_turns_authentication_off() -> None:
    flags = [word for command in (up, server, gateway) for option in command.params for word in option.opts]

    assert len(flags) > 30
    assert [flag for flag in flags if "auth" in flag and ("no-" in flag or "disable" in flag or "skip" in flag)] == []
