"""Questions to an extender by HTTP: JSON there and back, within a time."""

import http.client
from collections.abc import Callable, Hashable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec

from windlass.kube.json import BadJson, parse
from windlass.scheduler.plugins.extender.client import CallbackFailed, ExtenderClient, Unreachable

Ask: TypeAlias = Callable[[str, Any], Any]
"""What a server answers to a question (a word) with its particulars; raises CallbackFailed."""
MAX_ANSWER_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BlockingClient:
    """Each answer is waited for."""

    ask: Ask

    def begin(self) -> None:
        pass

    def __call__(self, verb: str, body: Any, about: Hashable = None) -> Any:
        return self.ask(verb, body)


def connect_blocking(url: str, timeout: float) -> ExtenderClient:
    """A client for simulations and explanations, which may wait for each answer."""
    return BlockingClient(over_http(url, timeout))


def over_http(url: str, timeout: float) -> Ask:
    """Questions are words at the end of the path of `url`."""
    address = urlsplit(url)
    make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection

    def ask(verb: str, body: Any) -> Any:
        path = f"{address.path.rstrip('/')}/{verb}"
        try:
            with closing(make(address.hostname or "", address.port, timeout=timeout)) as connection:
                connection.request("POST", path, msgspec.json.encode(body), {"Content-Type": "application/json"})
                response = connection.getresponse()
                content = response.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:  # the last of an address that is none
            raise Unreachable(f"{verb} of {url}: {error or type(error).__name__}") from error
        if response.status != http.HTTPStatus.OK:
            raise CallbackFailed(f"{verb} of {url}: it answered {response.status}")
        try:
            return parse(content) if content.strip() else {}
        except BadJson as error:
            raise CallbackFailed(f"{verb} of {url}: the answer is not JSON: {error}") from error

    return ask
