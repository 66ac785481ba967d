"""Manifests are verified, and the image for this machine is chosen."""

import json
from typing import Any

import pytest

from tests.node.oci.builders import MANIFEST, digest, index, layer, manifest
from windlass.node.images.image import PullFailed
from windlass.node.oci.manifests import (
    Descriptor,
    Index,
    Manifest,
    Platform,
    check_digest,
    choose,
    read,
    this_platform,
    verify,
)

AMD, ARM7, ARM8 = Platform("linux", "amd64"), Platform("linux", "arm64", "v7"), Platform("linux", "arm64", "v8")
UNKNOWN = Platform("unknown", "unknown")


def image(platform: Platform | None, name: str = "a") -> Descriptor:
    return Descriptor(digest(name.encode()), 1, platform=platform)


@pytest.mark.parametrize(
    ("offered", "wanted", "expected"),
    [
        ([image(AMD, "amd"), image(ARM8, "arm")], AMD, "amd"),
        ([image(AMD, "amd"), image(ARM8, "arm")], ARM8, "arm"),
        ([image(ARM7, "7"), image(ARM8, "8")], ARM8, "8"),
        ([image(ARM7, "7")], ARM8, "7"),
        ([image(UNKNOWN, "attestation"), image(AMD, "amd")], AMD, "amd"),
    ],
)
def test_the_image_of_the_platform_is_chosen(offered: list[Descriptor], wanted: Platform, expected: str) -> None:
    assert choose(offered, wanted).digest == digest(expected.encode())


def test_a_platform_without_an_image_is_named() -> None:
    with pytest.raises(PullFailed, match=r"no matching manifest for linux/amd64 .* there are linux/arm64/v8, unknown"):
        choose([image(ARM8), image(UNKNOWN)], AMD)


def test_this_machine_has_a_platform_of_linux() -> None:
    assert this_platform().os == "linux"
    assert this_platform().architecture


def test_manifests_and_indexes_are_told_apart() -> None:
    assert isinstance(read(manifest([layer()])), Manifest)
    assert isinstance(read(index()), Index)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "malformed"),
        (b"[]", "malformed"),
        ({"schemaVersion": 1, "fsLayers": []}, "neither layers nor manifests"),
        ({"layers": [{"digest": "sha256:ab", "size": 1}]}, "the digest 'sha256:ab' is none of"),
        ({"layers": [{"digest": "md5:" + "a" * 32, "size": 1}]}, "none of sha256 or sha512"),
        ({"layers": [{"digest": digest(b""), "size": -1}]}, "negative size"),
        ({"layers": [{"digest": digest(b""), "size": 1}] * 1001}, "1001 layers"),
        ({"layers": [], "mediaType": "application/vnd.cncf.helm.chart"}, "of the type application/vnd.cncf.helm.chart"),
    ],
)
def test_what_is_no_image_is_refused(content: Any, reason: str) -> None:
    with pytest.raises(PullFailed, match=reason):
        read(content if isinstance(content, bytes) else json.dumps({"mediaType": MANIFEST, **content}).encode())


def test_content_must_have_the_digest_that_was_asked_for() -> None:
    verify(b"a", digest(b"a"))
    with pytest.raises(PullFailed, match="has the digest sha256:"):
        verify(b"a", digest(b"b"))


@pytest.mark.parametrize("name", ["sha256:../../etc/passwd", "sha256:" + "A" * 64, "sha1:" + "a" * 40, ""])
def test_a_digest_cannot_be_a_path(name: str) -> None:
    with pytest.raises(PullFailed, match="none of sha256 or sha512"):
        check_digest(name)
