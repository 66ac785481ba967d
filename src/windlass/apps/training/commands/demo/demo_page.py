"""The demo's job on the dashboard: opened in a browser, or loaded and followed over HTTP where nobody looks."""

import asyncio
import os
import re
import sys
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.apps.training.commands.demo.demo_screen import Screen
from windlass.cli.failure import Failure
from windlass.cli.settings import Settings
from windlass.cli.user.sign_in_link import make_sign_in_link
from windlass.supervisor.datadir import DataDir

if TYPE_CHECKING:
    import aiohttp

TIMEOUT_SECONDS = 60.0
"""How long after the job's end its page may take to show that."""
ENDED = ("Succeeded", "Failed")
_ASSET = re.compile(r'(?:src|href)="(/assets/[^"]+)"')


@dataclass(frozen=True)
class JobPage:
    """The address of a job on the dashboard."""

    kind: str
    namespace: str
    name: str

    @property
    def path(self) -> str:
        return f"/jobs/{self.kind}/{self.namespace}/{self.name}"

    @property
    def params(self) -> dict[str, str]:
        """Of the topic `job`."""
        return {"kind": self.kind, "namespace": self.namespace, "name": self.name}


@dataclass(frozen=True)
class PageReport:
    """What a browser would have got."""

    files: int
    """Scripts and style sheets of the page; none if the dashboard is not built."""
    states: tuple[str, ...]
    """The states of the job that were sent to the page."""
    curves: tuple[str, ...]
    """Replicas with a curve of their loss."""

    def text(self) -> str:
        page = f"loads ({self.files} files)" if self.files else "is not built (see `make ui-build`)"
        curves = ", ".join(self.curves) or "no replica"
        return f"{page}; followed live: {', '.join(self.states)}; losses of {curves}"


@asynccontextmanager
async def opened_page(data: DataDir, page: JobPage, shown: Screen) -> AsyncIterator[None]:
    """Open the job's page, signed in, where there is a browser; elsewhere say where it is."""
    link = make_sign_in_link(Settings(data_dir=data.root), target=page.path)
    is_open = await asyncio.to_thread(open_in_browser, link.url)
    how = "Opened in your browser" if is_open else "See it in a browser"
    shown.step(f"{how}: {link.origin}{page.path}")
    yield


@asynccontextmanager
async def checked_page(data: DataDir, page: JobPage, shown: Screen) -> AsyncIterator[None]:
    """Load and follow the job's page over HTTP while the job runs; a `Failure` if that does not work."""
    link = make_sign_in_link(Settings(data_dir=data.root), target=page.path)
    visit = asyncio.create_task(load_and_follow(link.origin, link.url, page))
    try:
        yield
        shown.note(f"dashboard: {page.path} {(await _finished(visit)).text()}")
    finally:
        visit.cancel()
        await asyncio.gather(visit, return_exceptions=True)


async def _finished(visit: "asyncio.Task[PageReport]") -> PageReport:
    try:
        return await asyncio.wait_for(visit, TIMEOUT_SECONDS)
    except TimeoutError:
        raise Failure(f"the job's page did not show its end within {TIMEOUT_SECONDS:.0f} s") from None


def open_in_browser(url: str) -> bool:
    """Whether a browser with a window was there to open it."""
    return has_windows(os.environ, sys.platform) and webbrowser.open(url)


def has_windows(environment: Mapping[str, str], platform: str) -> bool:
    """Without them `webbrowser` would run a text browser in this very terminal."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return platform in ("darwin", "win32") or any(environment.get(name) for name in names)


async def load_and_follow(origin: str, link: str, page: JobPage) -> PageReport:
    """Do what a browser does: sign in, load the page and its files, and follow the job to its end."""
    import aiohttp

    jar = aiohttp.CookieJar(unsafe=True)  # the host is an address
    try:
        async with aiohttp.ClientSession(origin, cookie_jar=jar, headers={"Origin": origin}) as session:
            files = asset_paths(await _get(session, link.removeprefix(origin)))
            for path in files:
                await _get(session, path)
            states = await _followed(session, page)
            curves = await _json(session, f"/api{page.path}/curves")
    except (aiohttp.ClientError, OSError) as error:
        raise Failure(f"the dashboard at {origin} does not answer: {error}") from error
    return PageReport(len(files), states, loss_replicas(curves))


def asset_paths(document: str) -> list[str]:
    return sorted(set(_ASSET.findall(document)))


def loss_replicas(curves: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(sorted({one["replica"] for one in curves["series"] if one["name"] == "loss" and one["steps"]}))


async def _followed(session: "aiohttp.ClientSession", page: JobPage) -> tuple[str, ...]:
    """The states of the job, by the stream that pages follow."""
    states: list[str] = []
    async with session.ws_connect("/api/live", max_msg_size=0) as socket:
        await socket.send_json({"op": "subscribe", "id": 1, "topic": "job", "params": page.params})
        async for frame in socket:
            message = frame.json()
            if message["type"] == "error":
                raise Failure(f"the dashboard does not show the job: {message['message']}")
            if message["type"] != "value":
                continue
            state = str(message["value"]["row"]["state"])
            states += [state] if state not in states[-1:] else []
            if state in ENDED:
                return tuple(states)
    raise Failure("the dashboard stopped following the job before its end")


async def _get(session: "aiohttp.ClientSession", path: str) -> str:
    async with session.get(path) as answer:
        _check(answer)
        return await answer.text()


async def _json(session: "aiohttp.ClientSession", path: str) -> dict[str, Any]:
    async with session.get(path) as answer:
        _check(answer)
        return await answer.json()


def _check(answer: "aiohttp.ClientResponse") -> None:
    if answer.status != 200:
        raise Failure(f"the dashboard answered {answer.status} to GET {answer.url.path}")
