"""How the plugin asks its server: what a client is, and which answers there may be besides the server's."""

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeAlias


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


Connect: TypeAlias = Callable[[str, float], ExtenderClient]
"""Makes the client of a server, by its URL and the seconds within which it must answer."""


class Unconnected:
    """The client of a scheduler that must not ask: to read a configuration, or to decide without a network."""

    def begin(self) -> None:
        pass

    def __call__(self, verb: str, body: Any, about: Hashable = None) -> Any:
        raise CallbackFailed(f"{verb}: extenders are not asked here")


def unconnected(url: str, timeout: float) -> ExtenderClient:
    return Unconnected()
