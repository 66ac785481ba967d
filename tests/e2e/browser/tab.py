"""A tab of a browser with a profile of its own, and what it noticed: errors, and requests to other hosts."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, Route, WebSocket, expect, sync_playwright

from tests.gateway.browser import Person
from tests.support import eventually

LONGEST_WAIT = 150.0
"""Seconds, for machines that do much else."""
STATIC_FILES = re.compile(r"/(assets|static)/")
NETWORK_CHANGED = "ERR_NETWORK_CHANGED"
"""How Chromium ends requests and WebSockets when a network interface comes or goes; pages try again."""
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched() -> Iterator[Browser]:
    """Debian's chromium; skips where there is none. While Playwright runs, no asynchronous test can."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the PATH")
    expect.set_options(timeout=LONGEST_WAIT * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class KeptFile:
    body: bytes
    headers: dict[str, str]


KEPT_FILES: dict[str, KeptFile] = {}
"""By address, which differs from platform to platform."""
OF_THE_TRANSFER = ("content-encoding", "content-length", "transfer-encoding", "connection")


def fetched(route: Route) -> None:
    """Fetch a static file outside of Chromium, which breaks off what it loads (`NETWORK_CHANGED`): other tests start
    and stop pods meanwhile. Those whose names contain a digest are fetched once."""
    try:
        kept = KEPT_FILES.get(route.request.url)
        if kept is not None:
            route.fulfill(status=200, headers=kept.headers, body=kept.body)
            return
        answer = route.fetch(max_retries=3)
        if answer.status == 200 and "immutable" in answer.headers.get("cache-control", ""):
            headers = {name: value for name, value in answer.headers.items() if name not in OF_THE_TRANSFER}
            KEPT_FILES[route.request.url] = KeptFile(answer.body(), headers)
        route.fulfill(response=answer)
    except Error:  # the page was closed meanwhile, or the server does not answer: the page reports that
        with suppress(Error):
            route.abort()


@dataclass
class Tab:
    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    """Addresses of other hosts that were asked for."""
    sockets: list[WebSocket] = field(default_factory=list)
    received: str = ""
    """The texts that came over WebSockets: a terminal draws its own on a canvas."""

    @classmethod
    def open(cls, browser: Browser, url: str, **options: Any) -> "Tab":
        """A browser that nobody has used yet, with Playwright's options of a context: viewport, colour scheme …"""
        page = browser.new_context(base_url=url, **options).new_page()
        page.set_default_timeout(LONGEST_WAIT * 1000)
        tab = cls(page, url)
        page.route(STATIC_FILES, fetched)
        page.on("console", tab._console)
        page.on("pageerror", lambda error: tab.errors.append(str(error)))
        page.on("request", tab._request)
        page.on("websocket", tab._websocket)
        return tab

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.url)

    def sign_in(self, person: Person, path: str = "/") -> None:
        """Ask for a path, and sign in on the page that comes instead of it."""
        self.page.goto(path)
        self.fill_in(person.email, person.password)
        self.page.wait_for_url(f"{self.url}{path}**", wait_until="commit")

    def fill_in(self, email: str, password: str) -> None:
        self.page.fill("#login", email)
        self.page.fill("#password", password)
        self.page.click("#submit-login")

    def status(self, path: str) -> int:
        answer = self.page.goto(path)
        assert answer is not None
        return answer.status

    def until(self, check: Callable[[], object], what: str, within: float = LONGEST_WAIT) -> None:
        """Wait for what the browser reports, which Playwright only takes in while it is waited for."""

        def checked() -> object:
            self.page.wait_for_timeout(20)
            return check()

        eventually(checked, within, what)

    def _websocket(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framereceived", self._received)

    def _received(self, payload: str | bytes) -> None:
        if isinstance(payload, str):
            self.received += payload

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and NETWORK_CHANGED not in message.text:
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != urlsplit(self.url).netloc:
            self.outside.append(request.url)
