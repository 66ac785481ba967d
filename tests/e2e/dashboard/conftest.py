"""The dashboard in a real browser, as built: one demo platform with gateway and node for all of its tests."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.browser.tab import Tab, launched
from tests.e2e.dashboard.people import DEMO, DEMO_NAMESPACE
from tests.e2e.dashboard.plugin import install_plugin
from tests.e2e.notebooks.desk import Desk
from tests.e2e.training.images import kept_images, puller
from tests.gateway.browser import signed_in
from tests.gateway.platform import Platform

BUILT = Path(__file__).parents[3] / "ui" / "dist" / "index.html"
FLAGS = ["--demo", "--registration-flow"]


class PlatformWithPlugin(Platform):
    """Its Python finds one package more."""

    up_seconds = 0.0
    """How long its first start took, from the command until it was ready."""

    def windlass(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        folders = [str(self.home / "plugin" / "site"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        return super().windlass(*words, stdin=stdin, PYTHONPATH=os.pathsep.join(filter(None, folders)), **more)


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlatformWithPlugin]:
    if not BUILT.is_file():
        pytest.skip("the dashboard is not built: `make ui-build` needs Node or a package registry")
    running = PlatformWithPlugin(tmp_path_factory.mktemp("dashboard"), [*FLAGS, "--images-dir", str(kept_images())])
    if not os.environ.get("DOCS_IMAGES"):  # pictures of the documentation show no page of another package
        install_plugin(running.home / "plugin")
    began = time.monotonic()
    running.up()
    running.up_seconds = time.monotonic() - began
    try:
        yield running
    finally:
        running.down()


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    return puller(platform, kept_images())


@pytest.fixture(scope="session")
def desk(platform: Platform) -> Desk:
    """The demo user with kubectl, for what a test prepares behind the page."""
    return Desk(platform, DEMO_NAMESPACE, DEMO, signed_in(platform, DEMO))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Ends with the module: while Playwright runs, no asynchronous test can."""
    with launched() as browser:
        yield browser


@pytest.fixture
def new_tab(chromium: Browser, platform: Platform) -> Iterator[Callable[..., Tab]]:
    """Opens a tab of a browser that nobody has used yet."""
    tabs: list[Tab] = []

    def open_one(**options: object) -> Tab:
        tabs.append(Tab.open(chromium, platform.url, **{"viewport": {"width": 1280, "height": 800}, **options}))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.page.context.close()


@pytest.fixture
def tab(new_tab: Callable[..., Tab]) -> Tab:
    """The demo user's, signed in and on the home page."""
    tab = new_tab()
    tab.sign_in(DEMO)
    return tab
