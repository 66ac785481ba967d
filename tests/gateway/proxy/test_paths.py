"""Every decision about a path is made on the one reading that it has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.gateway.proxy.paths import BadPath, encoded, is_below, normalise

PIECES = st.sampled_from(
    ["/", "//", ".", "..", "%2e", "%2E%2e", "%2f", "%5c", "\\", "%00", "%25", "%252e", "a", "notebook", "%C3%A9", "%ff", "?", ";", "é"]  # noqa: E501 - a list of pieces
)  # fmt: skip
TARGETS = st.lists(PIECES, max_size=12).map(lambda pieces: "/" + "".join(pieces))


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/", "/"),
        ("/a/b", "/a/b"),
        ("/a//b/", "/a/b/"),
        ("/a/./b/..", "/a/"),
        ("/a/%2e%2e/b", "/b"),
        ("/../../a", "/a"),
        ("//dex/auth", "/dex/auth"),
        ("/a%20b", "/a b"),
        ("/100%25", "/100%"),
    ],
)
def test_a_path_is_decoded_once_and_resolved(raw: str, path: str) -> None:
    assert normalise(raw) == path


@pytest.mark.parametrize(
    "raw", ["", "a", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/a%00", "/a\nb", "/%ff", "/a%", "/%g1"]
)
def test_a_path_with_more_than_one_reading_is_refused(raw: str) -> None:
    with pytest.raises(BadPath):
        normalise(raw)


@given(TARGETS)
def test_what_is_sent_on_is_the_path_that_was_decided_on(raw: str) -> None:
    try:
        path = normalise(raw)
    except BadPath:
        return
    assert normalise(encoded(path)) == path
    assert not {"..", "."} & set(path.split("/"))
    assert "//" not in path


@given(TARGETS)
def test_no_spelling_leaves_a_prefix(raw: str) -> None:
    """A path that is below /dex/ stays there for every backend that decodes once and resolves dots."""
    try:
        path = normalise("/dex" + raw)
    except BadPath:
        return
    if is_below(path, "/dex"):
        assert normalise(encoded(path)).startswith("/dex")


def test_a_prefix_ends_at_a_segment() -> None:
    assert is_below("/dex/auth", "/dex")
    assert is_below("/dex", "/dex/")
    assert not is_below("/dexter", "/dex")
