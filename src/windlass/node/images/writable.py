# pyright: strict
"""Makes `pip install` work in pods: environments are shared and read-only, so packages go to the container's folder.

The environment's pip.conf sends them there, and a .pth file puts them before its own. The folder's name cannot be
guessed: where pods share /tmp with the machine, nobody else can put programs there first. Another .pth file lets
virtual environments that are made in the container see all these packages (`programs/nested_venv`).
"""

import secrets
from pathlib import Path

from windlass.node.images import shipped

PTH = """\
import os, sys; _p = '{folder}/lib/python%d.%d/site-packages' % sys.version_info[:2]; \
_p in sys.path or sys.path.insert(next((i for i, e in enumerate(sys.path) if e.endswith('site-packages')), \
len(sys.path)), _p)
"""
NESTED_VENV_PTH = "import sys; _s = {shims!r}; _s in sys.path or sys.path.insert(0, _s)\n"
NESTED_VENV = shipped.FOLDER / "nested_venv" / "__init__.py"


def prepare(environment: Path) -> str:
    """Return the folder to which pip installs when it runs in this environment."""
    folder = f"/tmp/.python-{secrets.token_hex(8)}"
    (environment / "pip.conf").write_text(f"[install]\nprefix = {folder}\nno-warn-script-location = true\n")
    for packages in environment.glob("lib/python3*/site-packages"):
        (packages / "_windlass.pth").write_text(PTH.format(folder=folder))
    extend_venv(environment)
    return folder


def extend_venv(environment: Path) -> None:
    """Put our `venv` before the standard library's; environments of earlier versions get it too. Idempotent."""
    for packages in environment.glob("lib/python3*/site-packages"):
        shims, mark = packages.parent / "windlass-shims", packages / "_windlass_venv.pth"
        if mark.exists():
            continue
        (shims / "venv").mkdir(parents=True, exist_ok=True)
        (shims / "venv" / "__init__.py").write_text(NESTED_VENV.read_text())
        mark.write_text(NESTED_VENV_PTH.format(shims=str(shims)))  # last: it makes the shim count
