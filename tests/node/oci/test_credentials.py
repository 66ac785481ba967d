"""Credentials of pull secrets are for the registries that they name, the longest path first, as with kubelet."""

import base64
import json
from typing import Any

import pytest

from windlass.node.images.reference import parse
from windlass.node.oci.challenges import Challenge
from windlass.node.oci.challenges import parse as parse_challenge
from windlass.node.oci.credentials import Credential, keyring


def secret(content: Any, key: str = ".dockerconfigjson") -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    return {"data": {key: base64.b64encode(text.encode()).decode()}}


def auths(**users: str) -> dict[str, Any]:
    return {"auths": {place: {"username": user, "password": "p"} for place, user in users.items()}}


def users(image: str, *secrets: dict[str, Any]) -> list[str]:
    return [one.username for one in keyring(secrets).matching(parse(image))]


@pytest.mark.parametrize(
    ("place", "image", "matches"),
    [
        ("quay.io", "quay.io/a/b", True),
        ("https://quay.io", "quay.io/a/b", True),
        ("https://quay.io/v2/", "quay.io/a/b", True),
        ("quay.io", "ghcr.io/a/b", False),
        ("quay.io", "evil-quay.io/a", False),
        ("quay.io:5000", "quay.io/a", False),
        ("localhost:5000", "localhost:5000/a", True),
        ("*.example.com", "registry.example.com/a", True),
        ("*.example.com", "a.b.example.com/a", False),
        ("quay.io/team", "quay.io/team/a", True),
        ("quay.io/team", "quay.io/teams/a", False),
        ("https://index.docker.io/v1/", "python", True),
        ("docker.io", "team/a", True),
        ("", "python", False),
    ],
)
def test_a_credential_is_for_the_place_that_it_names(place: str, image: str, matches: bool) -> None:
    assert users(image, secret({"auths": {place: {"username": "u", "password": "p"}}})) == (["u"] if matches else [])


def test_the_longest_path_comes_first() -> None:
    config = {"auths": {"quay.io": {"auth": "YTpi"}, "quay.io/team": {"username": "team", "password": "p"}}}

    assert users("quay.io/team/x", secret(config)) == ["team", "a"]


def test_both_kinds_of_secret_are_read() -> None:
    entry = {"quay.io": {"auth": base64.b64encode(b"ann:se:cret").decode()}}

    for found in (secret({"auths": entry}), secret(entry, ".dockercfg")):
        assert keyring([found]).matching(parse("quay.io/a")) == [Credential("ann", "se:cret")]


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"auths": []}', '{"auths": {"quay.io": 1}}', '{"auths": {"quay.io": {"auth": "%"}}}']
)
def test_a_malformed_secret_has_no_credentials(content: str) -> None:
    assert users("quay.io/a", secret(content), {"data": {".dockerconfigjson": "%%%"}}, {}) == []


def test_a_fingerprint_does_not_disclose_the_password() -> None:
    credential = Credential("ann", "secret")

    assert "secret" not in credential.fingerprint
    assert credential.fingerprint != Credential("ann", "other").fingerprint


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            'Bearer realm="https://auth.example.com/token",service="r, x",scope="repository:a/b:pull"',
            Challenge(
                "bearer",
                {"realm": "https://auth.example.com/token", "service": "r, x", "scope": "repository:a/b:pull"},
            ),
        ),
        ('Basic realm="a \\"b\\""', Challenge("basic", {"realm": 'a "b"'})),
        ("BASIC", Challenge("basic", {})),
        ("bearer realm=x , scope=y", Challenge("bearer", {"realm": "x", "scope": "y"})),
        ("", None),
        ('"', None),
    ],
)
def test_challenges_are_parsed(header: str, expected: Challenge | None) -> None:
    assert parse_challenge(header) == expected
