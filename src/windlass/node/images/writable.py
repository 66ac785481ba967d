# pyright: strict
"""Makes `pip install` work in pods: environments are shared and read-only, so packages go to the container's folder.

The environment's pip.conf sends them there, and a .pth file puts them before its own. The folder's name cannot be
guessed: where pods share /tmp with the machine, nobody else can put programs there first.
"""

import secrets
from pathlib import Path

PTH = """\
import os, sys; _p = '{folder}/lib/python%d.%d/site-packages' % sys.version_info[:2]; \
_p in sys.path or sys.path.insert(next((i for i, e in enumerate(sys.path) if e.endswith('site-packages')), \
len(sys.path)), _p)
"""


def prepare(environment: Path) -> str:
    """Return the folder to which pip installs when it runs in this environment."""
    folder = f"/tmp/.python-{secrets.token_hex(8)}"
    (environment / "pip.conf").write_text(f"[install]\nprefix = {folder}\nno-warn-script-location = true\n")
    for packages in environment.glob("lib/python3*/site-packages"):
        (packages / "_windlass.pth").write_text(PTH.format(folder=folder))
    return folder
