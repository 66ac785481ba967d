"""Stories in a real browser: Debian's chromium, driven by Playwright, on one Windlass with gateway and node."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.browser.tab import Tab, launched
from tests.e2e.notebooks.desk import Desk, desk_of_a_person, platform_with_sandbox
from tests.e2e.training.images import kept_images, puller
from tests.gateway.platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    with platform_with_sandbox(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture(scope="session")
def pulled(platform: Platform) -> Callable[[str], None]:
    return puller(platform, kept_images())


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Ends with the module: while Playwright runs, no asynchronous test can."""
    with launched() as browser:
        yield browser


@pytest.fixture
def new_tab(chromium: Browser, platform: Platform) -> Iterator[Callable[[], Tab]]:
    """Opens a tab of a browser that nobody has used yet."""
    tabs: list[Tab] = []

    def open_one() -> Tab:
        tabs.append(Tab.open(chromium, platform.url))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.page.context.close()


@pytest.fixture
def tab(new_tab: Callable[[], Tab]) -> Tab:
    return new_tab()


@pytest.fixture
def desk(platform: Platform) -> Iterator[Desk]:
    """A person with a namespace of their own."""
    with desk_of_a_person(platform) as desk:
        yield desk
