"""A page of the dashboard, as far as the stream is concerned."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.gateway.browser import Person, signed_in
from tests.gateway.platform import Platform

WAIT_SECONDS = 20.0


class Page:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, **message: Any) -> None:
        await self.socket.send_str(json.dumps(message))

    async def follow(self, id: int, resource: str, namespace: str = "", *, version: str = "", **params: str) -> None:
        """Subscribe to objects of the core group, unless `group` says otherwise."""
        asked = {"group": "", "version": "v1", "resource": resource, "namespace": namespace, **params}
        await self.send(
            op="subscribe", id=id, topic="objects", params=asked, **({"version": version} if version else {})
        )

    async def receive(self) -> dict[str, Any]:
        message = await asyncio.wait_for(self.socket.receive(), WAIT_SECONDS)
        assert message.type is aiohttp.WSMsgType.TEXT, message
        return json.loads(message.data)

    async def next(self, type: str, id: int | None = None) -> dict[str, Any]:
        """The next message of a type; others are dropped."""
        while True:
            message = await self.receive()
            if message["type"] == "error" != type and id == message.get("id"):
                raise AssertionError(message)
            if message["type"] == type and (id is None or message.get("id") == id):
                return message

    async def change_of(self, id: int, name: str) -> dict[str, Any]:
        """The next state of an object of that name."""
        while True:
            for obj in (await self.next("changes", id))["changed"]:
                if obj["metadata"]["name"] == name:
                    return obj

    async def removal_of(self, id: int, uid: str) -> None:
        while uid not in (await self.next("changes", id))["removed"]:
            pass


@asynccontextmanager
async def a_page(platform: Platform, person: Person) -> AsyncIterator[Page]:
    browser = await asyncio.to_thread(signed_in, platform, person)
    async with (
        aiohttp.ClientSession(cookies=browser.cookies) as session,
        session.ws_connect(f"{platform.url}/api/live", max_msg_size=0) as socket,
    ):
        page = Page(socket)
        assert await page.receive() == {"type": "hello", "user": person.email}
        yield page


def names(message: dict[str, Any]) -> set[str]:
    return {obj["metadata"]["name"] for obj in message["items"]}
