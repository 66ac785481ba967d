"""Runs every scenario as root and as an ordinary user, as far as this machine and who runs the tests allow."""

from pathlib import Path

import pytest

from tests.node.runtimes.conftest import User
from tests.node.runtimes.scenario_names import scenario_names

_SCENARIOS = Path(__file__).with_name("scenarios.py")


@pytest.mark.parametrize("name", scenario_names(_SCENARIOS))
def test_scenario(user: User, data: Path, name: str) -> None:
    done = user.run(str(_SCENARIOS), name, str(data))

    assert done.returncode == 0, done.stderr + done.stdout


def test_the_probe_finds_that_sandboxes_can_be_made(user: User) -> None:
    script = "import asyncio; from windlass.node.runtimes.sandbox.probe import problems; print(asyncio.run(problems()))"

    assert user.run("-c", script).stdout == "[]\n"
