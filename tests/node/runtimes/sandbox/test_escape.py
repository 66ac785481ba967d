"""Runs every attempt to escape as root and as an ordinary user, as far as this machine and who runs the tests allow."""

import ast
import platform
from pathlib import Path

import pytest

from tests.node.runtimes.conftest import User
from windlass.node.seccomp.bpf import ARCHITECTURES

_SCENARIOS = Path(__file__).with_name("escape_scenarios.py")
_NAMES = [each.name for each in ast.parse(_SCENARIOS.read_text()).body if isinstance(each, ast.AsyncFunctionDef)]

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ARCHITECTURES, reason="no table of system calls for this machine"),
    pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="containers see no Python: /usr/bin/python3"),
]


@pytest.mark.parametrize("name", _NAMES)
def test_escape(user: User, data: Path, name: str) -> None:
    done = user.run(str(_SCENARIOS), name, str(data))

    assert done.returncode == 0, done.stderr + done.stdout
