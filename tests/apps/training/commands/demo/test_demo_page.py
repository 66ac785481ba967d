"""The demo's visit to the page of its job: what it reads there, and what it does not put up with."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from windlass.apps.training.commands.demo.demo_page import (
    JobPage,
    PageReport,
    asset_paths,
    has_windows,
    load_and_follow,
)
from windlass.cli.failure import Failure

PAGE = JobPage("TFJob", "team-a", "digits")
DOCUMENT = '<script src="/assets/a.js"></script><link href="/assets/b.css"><link href="/assets/b.css"><a href="/jobs/">'
CURVES = {
    "series": [
        {"name": "accuracy", "replica": "worker-0", "steps": [1]},
        {"name": "loss", "replica": "worker-1", "steps": [1, 2]},
        {"name": "loss", "replica": "worker-0", "steps": []},
    ]
}


def value(state: str) -> dict[str, object]:
    return {"id": 1, "type": "value", "value": {"row": {"state": state}}}


@asynccontextmanager
async def gateway(messages: Sequence[object], document: str = DOCUMENT, *, broken: str = "") -> AsyncIterator[str]:
    """A gateway that sends these messages; it answers 500 at the path `broken`."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == broken:
            return web.Response(status=500)
        if request.path.endswith("/curves"):
            return web.json_response(CURVES)
        return web.Response(text=document if request.path == "/oauth2/link" else "a file", content_type="text/html")

    async def live(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        asked = json.loads((await socket.receive()).data)
        assert asked["topic"] == "job"
        assert asked["params"] == {"kind": "TFJob", "namespace": "team-a", "name": "digits"}
        for message in messages:
            await socket.send_json(message)
        await socket.close()
        return socket

    app = web.Application()
    app.add_routes([web.get("/api/live", live), web.get("/{path:.*}", answer)])
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


async def visit(origin: str) -> PageReport:
    return await load_and_follow(origin, f"{origin}/oauth2/link?token=x", PAGE)


async def test_it_loads_the_files_of_the_page_and_follows_the_job_to_its_end() -> None:
    messages = [
        {"type": "hello", "user": "a"},
        value("Pending"),
        value("Running"),
        value("Running"),
        value("Succeeded"),
    ]
    async with gateway(messages) as origin:
        report = await visit(origin)

    assert report == PageReport(2, ("Pending", "Running", "Succeeded"), ("worker-1",))
    assert report.text() == "loads (2 files); followed live: Pending, Running, Succeeded; losses of worker-1"


async def test_a_page_without_files_is_one_that_is_not_built() -> None:
    async with gateway([value("Failed")], "<p>not built</p>") as origin:
        report = await visit(origin)

    assert report.text() == "is not built (see `make ui-build`); followed live: Failed; losses of worker-1"


@pytest.mark.parametrize("path", ["/oauth2/link", "/assets/a.js", "/api/jobs/TFJob/team-a/digits/curves"])
async def test_an_answer_other_than_200_is_a_failure_that_names_the_path(path: str) -> None:
    async with gateway([value("Succeeded")], broken=path) as origin:
        with pytest.raises(Failure, match=f"the dashboard answered 500 to GET {path}"):
            await visit(origin)


async def test_a_job_that_is_not_shown_is_a_failure_with_the_reason() -> None:
    async with gateway([{"id": 1, "type": "error", "message": "not found"}]) as origin:
        with pytest.raises(Failure, match="the dashboard does not show the job: not found"):
            await visit(origin)


async def test_a_stream_that_ends_before_the_job_is_a_failure() -> None:
    async with gateway([value("Running")]) as origin:
        with pytest.raises(Failure, match="stopped following the job before its end"):
            await visit(origin)


async def test_a_gateway_that_is_gone_is_a_failure() -> None:
    async with gateway([]) as origin:
        pass
    with pytest.raises(Failure, match=f"the dashboard at {origin} does not answer"):
        await visit(origin)


def test_only_files_of_the_page_itself_are_loaded() -> None:
    assert asset_paths(DOCUMENT) == ["/assets/a.js", "/assets/b.css"]


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "firefox"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_a_browser_is_opened_only_where_it_has_windows(
    environment: dict[str, str], platform: str, expected: bool
) -> None:
    assert has_windows(environment, platform) is expected
