"""Image references are read as Docker reads them."""

import pytest

from windlass.node.images.reference import InvalidReference, Reference, parse

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python", Reference("docker.io", "library/python", "latest")),
        ("python:3.11", Reference("docker.io", "library/python", "3.11")),
        ("library/python:3.11", Reference("docker.io", "library/python", "3.11")),
        ("index.docker.io/library/python", Reference("docker.io", "library/python", "latest")),
        ("team/app", Reference("docker.io", "team/app", "latest")),
        ("localhost/app", Reference("localhost", "app", "latest")),
        ("localhost:5000/app:1", Reference("localhost:5000", "app", "1")),
        ("localhost:5000/app", Reference("localhost:5000", "app", "latest")),
        ("gcr.io/a/b/c:v1", Reference("gcr.io", "a/b/c", "v1")),
        (f"python@{DIGEST}", Reference("docker.io", "library/python", "", DIGEST)),
        (f"python:3@{DIGEST}", Reference("docker.io", "library/python", "3", DIGEST)),
    ],
)
def test_a_reference_is_normalised(text: str, expected: Reference) -> None:
    assert parse(text) == expected
    assert parse(str(expected)) == expected
    assert parse(expected.familiar) == expected


@pytest.mark.parametrize(
    "text", ["", ":", "UPPER", "a b", "a:", "a//b", "a/b:c:d", "a@b", "a@sha256:12", "/a", "-a", "a:é"]
)
def test_what_is_no_reference_is_refused_as_kubernetes_words_it(text: str) -> None:
    with pytest.raises(InvalidReference, match="couldn't parse image name"):
        parse(text)
