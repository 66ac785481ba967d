"""Questions to an extender by HTTP: JSON there and back, within a time."""

import http.client
from collections.abc import Callable, Hashable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

Ask = Callable[[str, Any], Any]
"""What a server answers to a question (a word) with its particulars; raises CallbackFailed."""
MAX_ANSWER_BYTES = 64 * 1024 * 1024  # bytes of an answer


class CallbackFailed(Exception):
    """No answer that could be used; the text says why."""


class Unreachable(CallbackFailed):
    """It was not there, or did not answer in time."""


class NotYet(Exception):
    """There may be an answer later on."""


class ExtenderClient(Protocol):
    """How questions are put in cycles."""

    def begin(self) -> None:
        """A cycle begins."""
        ...

    def __call__(self, verb: str, body: Any, about: Hashable = None) -> Any:
        """The answer; raises CallbackFailed, or NotYet. `about` is what makes it the same question as before."""
        ...


@dataclass(frozen=True, slots=True)
class BlockingClient:
    """Each answer is waited for."""

    ask: Ask

    def begin(self) -> None:
        pass

    def __call__(self, verb: str, body: Any, about: Hashable = None) -> Any:
        return self.ask(verb, body)


def over_http(prefix: str, timeout: float) -> Ask:
    """Questions are words at the end of the address that `prefix` begins."""
    place = urlsplit(prefix)
    make = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection

    def ask(verb: str, body: Any) -> Any:
        path = f"{place.path.rstrip('/')}/{verb}"
        try:
            with closing(make(place.hostname or "", place.port, timeout=timeout)) as connection:
                connection.request("POST", path, msgspec.json.encode(body), {"Content-Type": "application/json"})
                response = connection.getresponse()
                content = response.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:  # the last of an address that is none
            raise Unreachable(f"{verb} of {prefix}: {error or type(error).__name__}") from error
        if response.status != http.HTTPStatus.OK:
            raise CallbackFailed(f"{verb} of {prefix}: it answered {response.status}")
        try:
            return msgspec.json.decode(content) if content.strip() else {}
        except msgspec.DecodeError as error:
            raise CallbackFailed(f"{verb} of {prefix}: the answer is not JSON: {error}") from error

    return ask
