"""What the conformance tests ask with: one kept connection, and objects found by their kind as a client finds them."""

import http.client
import json
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from tests.support import Answer, Windlass, eventually

_PATCHES = {"apply": "application/apply-patch+yaml"}


def unless_outrun(answer: Answer) -> Any:
    """What was written; None where somebody else was faster, and the version named is not the newest any more."""
    assert answer.status in (200, 409), answer.body
    return answer.json() if answer.status == 200 else None


@dataclass
class Caller:
    """A client of one server, as the administrator or with another token, on one connection."""

    server: Windlass
    token: str = ""
    discovered: dict[str, dict[str, Any]] = field(default_factory=dict)
    used_at: float = 0.0

    @cached_property
    def _connection(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.server.ca)
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context, timeout=60)

    def close(self) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: Any = None, media: str = "", **query: Any) -> Answer:
        headers = {"authorization": f"Bearer {self.token or self.server.token}"}
        if body is not None:
            headers["content-type"] = media or "application/json"
        where = f"{path}?{urlencode(query)}" if query else path
        if time.monotonic() - self.used_at > 60:  # the server closes what is idle for minutes, as during other tests
            self._connection.close()
        self.used_at = time.monotonic()
        self._connection.request(method, where, None if body is None else json.dumps(body).encode(), headers)
        response = self._connection.getresponse()
        collected: dict[str, list[str]] = {}
        for name, value in response.getheaders():
            collected.setdefault(name.lower(), []).append(value)
        return Answer(response.status, response.read(), collected)

    def json(self, method: str, path: str, body: Any = None, media: str = "", expect: int = 200, **query: Any) -> Any:
        answer = self.ask(method, path, body, media, **query)
        assert answer.status == expect, f"{method} {path}: {answer.status} {answer.body.decode()[:2000]}"
        return answer.json()

    def get(self, path: str, **query: Any) -> Any:
        return self.json("GET", path, **query)

    def create(self, path: str, obj: Any, **query: Any) -> Any:
        return self.json("POST", path, obj, expect=201, **query)

    def update(self, path: str, obj: Any, **query: Any) -> Any:
        return self.json("PUT", path, obj, **query)

    def replace(self, path: str, change: Callable[[Any], object], at: str = "") -> Any:
        """Read, change and write back (`at` another place than what was read), again while a controller is faster."""

        def written() -> Any:
            newest = self.get(path)
            change(newest)
            return unless_outrun(self.ask("PUT", at or path, newest))

        return eventually(written, within=120)

    def patch(self, path: str, patch: Any, form: str = "merge", expect: int = 200, **query: Any) -> Any:
        media = _PATCHES.get(form, f"application/{form}-patch+json")
        return self.json("PATCH", path, patch, media, expect=expect, **query)

    def delete(self, path: str, options: Any = None, **query: Any) -> Any:
        return self.json("DELETE", path, options, **query)

    def is_gone(self, path: str) -> bool:
        return self.ask("GET", path).status == 404

    def group_version(self, api_version: str) -> str:
        return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"

    def resources(self, api_version: str) -> list[dict[str, Any]]:
        """What discovery says of a group-version."""
        if api_version not in self.discovered:
            self.discovered[api_version] = self.get(self.group_version(api_version))
        return self.discovered[api_version]["resources"]
