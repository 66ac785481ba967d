"""An idle gateway does without what only a sign-in needs."""

import subprocess
import sys

LARGE = ("authlib", "joserfc", "cryptography", "argon2", "bcrypt", "yaml", "kubernetes_asyncio", "numpy")
SCRIPT = f"""
import sys
import windlass.gateway.server
print(sorted(name for name in {LARGE!r} if name in sys.modules))
"""


def test_the_large_libraries_are_imported_at_the_first_sign_in() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
