"""The gallery of the dashboard's components, built, served and opened in a real browser."""

import functools
import http.server
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
UI = ROOT / "ui"
BUILD = (sys.executable, str(ROOT / "tools" / "ui_build.py"), "--optional")
CHROMIUM = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="session")
def packages() -> Path:
    """What npm has installed; tests that need it are skipped where it cannot be had."""
    built = subprocess.run([*BUILD, "--gallery"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    if not (UI / "gallery-dist" / ".built").is_file():
        pytest.skip(f"the dashboard's packages cannot be installed here: {built.stderr}")
    return UI / "node_modules"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests are not of interest."""


@pytest.fixture(scope="module")
def gallery(packages: Path) -> Iterator[str]:
    """The address of the gallery."""
    handler = functools.partial(Quiet, directory=str(UI / "gallery-dist"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/gallery.html"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Ends with the module: while Playwright runs, no asynchronous test can."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
