"""An idle gateway does without what only a sign-in needs."""

import subprocess
import sys
from pathlib import Path

import requests

from tests.gateway.browser import a_person, signed_in
from tests.gateway.platform import Platform

LARGE = ("authlib", "joserfc", "cryptography", "argon2", "bcrypt", "yaml", "kubernetes_asyncio", "ldap3", "numpy")
SCRIPT = f"""
import sys
import windlass.gateway.server
print(sorted(name for name in {LARGE!r} if name in sys.modules))
"""


def test_the_large_libraries_are_imported_at_the_first_sign_in() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_users_are_read_without_an_http_client() -> None:
    """The supervisor does so, to make the first one."""
    script = "import sys, windlass.gateway.identity.users, windlass.gateway.settings; print('aiohttp' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_the_login_page_is_shown_without_them(tmp_path: Path) -> None:
    running = Platform(tmp_path, ["--no-node"])
    running.up()
    try:
        page = requests.get(running.url, timeout=60)
        assert 'id="login"' in page.text
        assert loaded(running) == []

        browser = signed_in(running, a_person(running, "memory@example.com"))
        assert browser.get("/oauth2/userinfo").status_code == 200
        assert loaded(running), "or the test looks in the wrong place"
    finally:
        running.down()


def loaded(running: Platform) -> list[str]:
    """Those of the large libraries that sign people in which the gateway has mapped."""
    maps = Path(f"/proc/{running.pid('gateway')}/maps").read_text()
    return [name for name in ("cryptography", "argon2") if f"/{name}/" in maps or f"_{name}" in maps]
