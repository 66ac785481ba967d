"""Windlass as root and as somebody without rights: who the node's tests run it as, and how.

Root's interpreter and packages may lie where nobody else may look, so another user runs the system's python on the same
packages, if that is of the same version.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import windlass

ORDINARY = 1000
WHO = ("root", "ordinary user")
"""What fixtures are parametrized with."""
_ROOT = Path(windlass.__file__).parents[2]


def python_for(who: str) -> str:
    """The interpreter that runs Windlass for them."""
    return sys.executable if who == "root" or os.geteuid() != 0 else "/usr/bin/python3"


def uid_of(who: str) -> int:
    return 0 if who == "root" else os.geteuid() or ORDINARY


def python_path() -> str:
    """Windlass, its tests, and the packages that they need."""
    packages = [path for path in sys.path if path.endswith("site-packages")]
    return os.pathsep.join([str(_ROOT / "src"), str(_ROOT), *packages])


def as_user(argv: list[str], home: Path) -> list[str]:
    """The command line that runs `argv` as an ordinary user, who owns `home`; as we are, if we are not root."""
    environment = ["env", f"HOME={home}", f"PYTHONPATH={python_path()}", "PYTHONDONTWRITEBYTECODE=1"]
    if os.geteuid() != 0:
        return [*environment, *argv]
    become = ["setpriv", "--reuid", str(ORDINARY), "--regid", str(ORDINARY), "--clear-groups"]
    return [*become, *environment, *argv]


def command(who: str, argv: list[str], home: Path) -> list[str]:
    """`argv` (`windlass …` without the first word) as root or as an ordinary user."""
    full = [python_for(who), "-m", "windlass", *argv]
    return as_user(full, home) if who != "root" else full


def skip_reason(who: str) -> str:
    """Why Windlass cannot be tried here as them; "" where it can."""
    if who == "root":
        return "" if os.geteuid() == 0 else "the tests are not run by root"
    return _why_not_ordinary()


@cache
def _why_not_ordinary() -> str:
    if os.geteuid() != 0:
        return ""
    if not shutil.which("setpriv"):
        return "there is no setpriv to become somebody else with"
    python = python_for("ordinary user")
    check = f"import sys, msgspec, windlass; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if not Path(python).exists():
        return f"there is no {python}"
    told = subprocess.run(
        as_user([python, "-c", check], Path("/tmp")), capture_output=True, timeout=60, check=False, cwd="/"
    )
    return f"{python} cannot run Windlass as another user" if told.returncode else ""


def skip_unless_possible(who: str) -> None:
    if reason := skip_reason(who):
        pytest.skip(reason)
