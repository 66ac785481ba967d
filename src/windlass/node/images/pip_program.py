# pyright: strict
"""Puts `programs/pip_main.py` in the place of pip's `__main__`, in environments that Windlass builds."""

import contextlib
import subprocess
from pathlib import Path

from windlass.node.images import shipped

PROGRAM = shipped.FOLDER / "pip_main.py"
ORIGINAL = "windlass_original_main.py"
"""The name by which that program finds pip's own `__main__`."""
COMPILE_TIMEOUT_SECONDS = 120


def replace_main(environment: Path) -> None:
    """Replace pip's `__main__`, keep it beside, and compile pip. Nothing happens in an environment without pip.

    Files of an environment are hard links to uv's cache, so they are renamed and replaced, and not changed. Pods cannot
    write beside them: pip would compile itself, which takes half of its time, whenever it runs.
    """
    for package in environment.glob("lib/python3*/site-packages/pip"):
        main, original = package / "__main__.py", package / ORIGINAL
        if main.is_file() and not original.exists():
            main.rename(original)
            main.write_text(PROGRAM.read_text())
        command = [str(environment / "bin" / "python"), "-I", "-m", "compileall", "-q", str(package)]
        with contextlib.suppress(OSError, subprocess.SubprocessError):  # pip works without, only slower
            subprocess.run(command, capture_output=True, timeout=COMPILE_TIMEOUT_SECONDS, check=False)
