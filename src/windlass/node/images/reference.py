# pyright: strict
"""Image references as Docker parses them: `python` is `docker.io/library/python:latest`."""

import re

from msgspec import Struct

HUB = "docker.io"
HUB_ALIASES = frozenset({"index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})
MIRRORS = {"mirror.gcr.io": "", "public.ecr.aws": "docker/"}
"""Registries with copies of Docker Hub's images, and what the repositories of the copies begin with."""
COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
REPOSITORY = re.compile(rf"{COMPONENT}(?:/{COMPONENT})*")
REGISTRY = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]+)?")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
DIGEST = re.compile(r"[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}")


class InvalidReference(ValueError):
    """Not an image reference; the message is that of Kubernetes' InvalidImageName."""


class Reference(Struct, frozen=True):
    """`registry/repository:tag@digest`, normalised. A digest without a tag leaves the tag empty."""

    registry: str
    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def name(self) -> str:
        """The name without tag and digest."""
        return f"{self.registry}/{self.repository}"

    @property
    def names(self) -> tuple[str, ...]:
        """The name, and that of the image at Docker Hub of which this one is a copy."""
        prefix = MIRRORS.get(self.registry)
        if prefix is None or not self.repository.startswith(prefix):
            return (self.name,)
        return self.name, qualify(f"{HUB}/{self.repository.removeprefix(prefix)}")

    @property
    def familiar(self) -> str:
        """The short form that a user would type."""
        name = self.name.removeprefix(f"{HUB}/library/").removeprefix(f"{HUB}/")
        return name + (f":{self.tag}" if self.tag else "") + (f"@{self.digest}" if self.digest else "")

    def __str__(self) -> str:
        return self.name + (f":{self.tag}" if self.tag else "") + (f"@{self.digest}" if self.digest else "")


def parse(text: str) -> Reference:
    """Parse a reference. Raises InvalidReference."""
    rest, at, digest = text.partition("@")
    if at and not DIGEST.fullmatch(digest):
        raise _invalid(text)
    rest, tag = split_tag(rest)
    name = qualify(rest)
    registry, _, repository = name.partition("/")
    if not rest or not REGISTRY.fullmatch(registry) or not REPOSITORY.fullmatch(repository):
        raise _invalid(text)
    if tag is not None and not TAG.fullmatch(tag):
        raise _invalid(text)
    return Reference(registry, repository, tag if tag is not None else "" if digest else "latest", digest)


def split_tag(name: str) -> tuple[str, str | None]:
    """Split the tag off. The colon of a port is followed by a slash; that of a tag is not."""
    head, colon, tag = name.rpartition(":")
    return (head, tag) if colon and "/" not in tag else (name, None)


def qualify(name: str) -> str:
    """Split the registry off: the first part is one if it looks like a host; the default is Docker Hub."""
    first, slash, rest = name.partition("/")
    if slash and (any(mark in first for mark in ".:*") or first == "localhost" or first != first.lower()):
        registry, repository = (HUB if first in HUB_ALIASES else first), rest
    else:
        registry, repository = HUB, name
    if registry == HUB and "/" not in repository and repository != "*":
        repository = f"library/{repository}"
    return f"{registry}/{repository}"


def _invalid(text: str) -> InvalidReference:
    return InvalidReference(
        f'Failed to apply default image tag "{text}": couldn\'t parse image name "{text}": invalid reference format'
    )
