# pyright: strict
"""What an image is to the node: folders, search path, environment and what to run; and why there is none."""

from msgspec import Struct


class Image(Struct, frozen=True):
    """An image that is ready to run. `prefixes` appear read-only at their own paths; `path` goes before the PATH."""

    reference: str
    id: str
    prefixes: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    files: dict[str, str] = {}
    """Where in the container, and the file of the host that appears there, read-only."""
    environment: dict[str, str] = {}
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    needs_command: bool = False
    """It has an entrypoint that is not here, so that a container's `args` are not enough."""
    remedy: str = ""
    """Why there is nothing to run for a container that names no command, and what to do; empty where there is."""
    working_dir: str = "/"
    user: int | None = None
    size: int = 0
    warnings: tuple[str, ...] = ()


class UnknownImage(Exception):
    """Nothing says what to run for this reference; the message says how to map it."""


class PullFailed(Exception):
    """The environment of a known image could not be made; the message says why."""
