# pyright: strict
"""An image as the node uses it: folders, search path, environment and command; and why an image is not available."""

from typing import Literal, TypeAlias

from msgspec import Struct


class Image(Struct, frozen=True):
    """An image that is ready to run. `prefixes` appear read-only at their own paths; `path` is put before the PATH."""

    reference: str
    id: str
    prefixes: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    files: dict[str, str] = {}
    """Paths in the container and the host's files and folders that appear there, read-only."""
    environment: dict[str, str] = {}
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    needs_command: bool = False
    """The image has an entrypoint that is not available here, so a container's `args` alone are not enough."""
    remedy: str = ""
    """Why there is nothing to run for a container without a command, and what to do; empty where there is."""
    working_dir: str = "/"
    user: int | None = None
    size: int = 0
    warnings: tuple[str, ...] = ()


class UnknownImage(Exception):
    """No rule maps this reference; the message says how to add one."""


PullFailureReason: TypeAlias = Literal["", "timeout", "unreachable", "not found"]
"""Reasons that decisions depend on: uv took too long, an index could not be reached, an index lacks a package."""


class PullFailed(Exception):
    """The environment of a known image could not be built; the message says why."""

    def __init__(self, message: str, reason: PullFailureReason = "") -> None:
        super().__init__(message)
        self.reason: PullFailureReason = reason
