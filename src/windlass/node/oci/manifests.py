# pyright: strict
"""Manifests and indexes of images: reads them, verifies digests, and chooses the image for this machine. Pure."""

import hashlib
import platform as machine
import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from windlass.kube.json import BadJson, parse_as
from windlass.node.images.image import PullFailed

MANIFESTS = ("application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json")
INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")
ACCEPT = ", ".join((*MANIFESTS, *INDEXES))
MAX_MANIFEST = 4 << 20
"""Bytes; registries accept no larger ones."""
MAX_LAYERS = 1000
ALGORITHMS = {"sha256": 64, "sha512": 128}
"""Digests that are verified, and how many digits they have."""
REF_NAME = "org.opencontainers.image.ref.name"

_ARCHITECTURES = {
    "x86_64": ("amd64", ""),
    "aarch64": ("arm64", "v8"),
    "armv7l": ("arm", "v7"),
    "armv6l": ("arm", "v6"),
    "i686": ("386", ""),
}


class Platform(Struct, frozen=True):
    os: str = ""
    architecture: str = ""
    variant: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.os, self.architecture, self.variant) if part)


class Descriptor(Struct, frozen=True, rename="camel"):
    """A reference to content by its digest."""

    digest: str
    size: int
    media_type: str = ""
    platform: Platform | None = None
    annotations: dict[str, str] | None = None

    @property
    def file_name(self) -> str:
        return self.digest.replace(":", "-")


class Manifest(Struct, frozen=True, rename="camel"):
    """An image: its layers, the lowest first."""

    layers: list[Descriptor]
    media_type: str = ""

    @property
    def size(self) -> int:
        """Bytes of the layers as they are stored in a registry."""
        return sum(layer.size for layer in self.layers)


class Index(Struct, frozen=True, rename="camel"):
    """Images for several platforms under one name."""

    manifests: list[Descriptor]
    media_type: str = ""


def digest_of(content: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"


def check_digest(digest: str) -> str:
    """Return the algorithm of a digest. Raises PullFailed for a digest that cannot be verified."""
    algorithm, _, digits = digest.partition(":")
    if len(digits) != ALGORITHMS.get(algorithm) or not re.fullmatch(r"[0-9a-f]+", digits):
        raise PullFailed(f"the digest {digest[:200]!r} is none of {' or '.join(ALGORITHMS)}")
    return algorithm


def verify(content: bytes, digest: str) -> None:
    """Raises PullFailed if the content has another digest."""
    found = digest_of(content, check_digest(digest))
    if found != digest:
        raise PullFailed(f"the manifest has the digest {found}, not {digest}")


def read(content: bytes) -> Manifest | Index:
    """Decode a manifest or an index. Raises PullFailed."""
    try:
        found = parse_as(content, dict[str, msgspec.Raw])
        kind = Index if "manifests" in found else Manifest
        if kind is Manifest and "layers" not in found:
            raise PullFailed("it is not an image: its manifest has neither layers nor manifests (schema 1 is too old)")
        decoded: Manifest | Index = parse_as(content, kind)
    except BadJson as error:
        raise PullFailed(f"its manifest is malformed: {error}") from error
    if decoded.media_type and decoded.media_type not in (*MANIFESTS, *INDEXES):
        raise PullFailed(f"its manifest is of the type {decoded.media_type[:200]}, which is not that of an image")
    if isinstance(decoded, Manifest):
        _check_layers(decoded.layers)
    return decoded


def _check_layers(layers: Sequence[Descriptor]) -> None:
    if len(layers) > MAX_LAYERS:
        raise PullFailed(f"it has {len(layers)} layers, more than {MAX_LAYERS}")
    for layer in layers:
        check_digest(layer.digest)
        if layer.size < 0:
            raise PullFailed(f"its layer {layer.digest} has a negative size")


def this_platform() -> Platform:
    name = machine.machine()
    architecture, variant = _ARCHITECTURES.get(name, (name, ""))
    return Platform("linux", architecture, variant)


def choose(manifests: Sequence[Descriptor], wanted: Platform) -> Descriptor:
    """Return the image for a platform; another variant of its architecture will do. Raises PullFailed."""
    same = [one for one in manifests if one.platform is not None and _is_for(one.platform, wanted)]
    exact = [one for one in same if one.platform is not None and one.platform.variant == wanted.variant]
    if same:
        return (exact or same)[0]
    offered = sorted({str(one.platform) for one in manifests if one.platform is not None})
    raise PullFailed(
        f"no matching manifest for {wanted} in the manifest list entries: there are {', '.join(offered) or 'none'}"
    )


def _is_for(offered: Platform, wanted: Platform) -> bool:
    return (offered.os, offered.architecture) == (wanted.os, wanted.architecture)
