"""The content of an artifact whose file or store fails in the middle of the answer."""

import asyncio
import io
import logging
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from windlass.apps.pipelines.artifacts.reader import CHUNK, Content
from windlass.apps.pipelines.wire.artifact_content import stream
from windlass.gateway.app import answer_errors
from windlass.kube.broken_answers import end_broken_answers
from windlass.kube.serving import serving_at

SIZE = 3 * CHUNK


class FailingFile(io.BytesIO):
    """A file whose second read fails, as that of an object does when its store is restarted."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError("connection refused by the store")
        return super().read(size)


@pytest.mark.parametrize("middleware", [answer_errors, end_broken_answers], ids=["people", "pods"])
@pytest.mark.parametrize(
    ("make", "size", "reason"),
    [
        (FailingFile, SIZE, "connection refused by the store"),
        (io.BytesIO, SIZE - 1, "the file has become shorter"),
    ],
    ids=["failed", "shortened"],
)
async def test_content_that_cannot_be_read_to_its_end_ends_the_connection(
    middleware: Any, make: type[io.BytesIO], size: int, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "windlass")
    content = Content("file", SIZE, make(bytes(size)))

    async def answer(request: web.Request) -> web.StreamResponse:
        return await stream(cast(Any, SimpleNamespace(http=request)), content)

    app = web.Application(middlewares=[middleware])
    app.router.add_get("/artifact", answer)
    async with (
        serving_at(app, "127.0.0.1", 0) as (host, port),
        aiohttp.ClientSession() as client,
        client.get(f"http://{host}:{port}/artifact") as received,
    ):
        with pytest.raises(aiohttp.ClientError):
            await asyncio.wait_for(received.read(), 10)

    assert received.status == 200
    assert content.file.closed
    assert [record.getMessage() for record in caplog.records if record.name.startswith("windlass")] == [
        f"answer broken off method=GET path=/artifact error={reason}"
    ]
