"""Questions that are put to somebody else by HTTP: JSON there and back, within a time."""

import http.client
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

Ask = Callable[[str, Any], Any]
"""What a server answers to a question (a word) with its particulars; raises CallbackFailed."""
MOST = 64 * 1024 * 1024  # bytes of an answer


class CallbackFailed(Exception):
    """No answer that could be used; the text says why."""


def over_http(prefix: str, timeout: float) -> Ask:
    """Questions are words at the end of the address that `prefix` begins."""
    place = urlsplit(prefix)
    make = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection

    def ask(verb: str, body: Any) -> Any:
        path = f"{place.path.rstrip('/')}/{verb}"
        connection = make(place.hostname or "", place.port, timeout=timeout)
        try:
            connection.request("POST", path, msgspec.json.encode(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            content = response.read(MOST)
        except (OSError, http.client.HTTPException) as error:
            raise CallbackFailed(f"{verb} of {prefix}: {error or type(error).__name__}") from error
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            raise CallbackFailed(f"{verb} of {prefix}: it answered {response.status}")
        try:
            return msgspec.json.decode(content) if content.strip() else {}
        except msgspec.DecodeError as error:
            raise CallbackFailed(f"{verb} of {prefix}: the answer is not JSON: {error}") from error

    return ask
