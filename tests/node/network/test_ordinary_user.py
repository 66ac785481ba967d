"""The same as root's tests, as a user without rights."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, to become somebody else")
@pytest.mark.timeout(600)
def test_all_of_it_works_for_an_ordinary_user() -> None:
    python = next((p for p in ("/usr/bin/python3", sys.executable) if shutil.which(p)), sys.executable)
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, 1000, 1000)
        told = subprocess.run(
            [
                *("setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"),
                *("env", f"HOME={home}", f"PYTHONPATH={ROOT / 'src'}:{ROOT}:{packages}", "PYTHONDONTWRITEBYTECODE=1"),
                *(python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--basetemp={home}/t"),
                str(Path(__file__).with_name("test_live.py")),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=580,
        )
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-1000:]
