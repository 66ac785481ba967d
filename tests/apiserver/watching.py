"""A watch over plain HTTP, event by event."""

import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from tests.support import Windlass


class Watch:
    """An open watch; every read waits for the next event, at most as long as the connection's timeout."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.status = response.status
        self.content_type = response.headers.get("content-type", "")

    def next(self) -> dict[str, Any] | None:
        """The next event, or None when the server ended the stream."""
        line = self.response.readline()
        return json.loads(line) if line else None

    def take(self, count: int) -> list[tuple[str, str]]:
        """The types and names of the next events."""
        return [_short(self.next()) for _ in range(count)]

    def rest(self) -> list[dict[str, Any]]:
        """All events until the server ends the stream."""
        events: list[dict[str, Any]] = []
        while (event := self.next()) is not None:
            events.append(event)
        return events


def _short(event: dict[str, Any] | None) -> tuple[str, str]:
    assert event is not None, "the server ended the watch"
    return event["type"], event["object"]["metadata"].get("name", "")


@contextmanager
def watch(server: Windlass, path: str, accept: str = "application/json", **query: str) -> Iterator[Watch]:
    """Watch a collection as the administrator."""
    context = ssl.create_default_context(cafile=server.ca)
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=60)
    try:
        headers = {"authorization": f"Bearer {server.token}", "accept": accept}
        connection.request("GET", f"{path}?{urlencode({'watch': 'true', **query})}", headers=headers)
        yield Watch(connection.getresponse())
    finally:
        connection.close()
