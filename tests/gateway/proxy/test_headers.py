"""A client cannot say who it is by a header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.gateway.proxy.headers import (
    claims_identity,
    identity_headers,
    without_cookies,
    without_hop_by_hop,
    without_identity,
)

CLAIMS = [
    "kubeflow-userid",
    "kubeflow-groups",
    "x-auth-request-email",
    "x-forwarded-user",
    "x-goog-authenticated-user-id",
]


@given(st.sampled_from(CLAIMS), st.randoms())
def test_every_spelling_of_an_identity_header_is_removed(name: str, random) -> None:  # type: ignore[no-untyped-def]
    spelt = "".join(random.choice([c.upper(), c.lower(), "_" if c == "-" else c]) for c in name)

    assert without_identity([(spelt, "admin@example.com"), ("accept", "*/*")]) == [("accept", "*/*")]


@pytest.mark.parametrize("name", ["accept", "x-forwarded-for", "authorization", "kubeflow-user", "x-request-id"])
def test_other_headers_stay(name: str) -> None:
    assert not claims_identity(name)


def test_headers_of_one_connection_stay_behind() -> None:
    headers = [
        ("Connection", "close, X-Private"),
        ("X-Private", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Accept", "*/*"),
    ]

    assert without_hop_by_hop(headers) == [("Accept", "*/*")]


def test_a_backend_never_sees_the_session() -> None:
    headers = [("Cookie", "a=1; oauth2_proxy_kubeflow=secret; b=2"), ("cookie", "oauth2_proxy_kubeflow=x")]

    assert without_cookies(headers, frozenset({"oauth2_proxy_kubeflow"})) == [("Cookie", "a=1; b=2")]


def test_the_gateway_names_the_user() -> None:
    assert identity_headers("a@b.c", ("x", "y")) == [("kubeflow-userid", "a@b.c"), ("kubeflow-groups", "x,y")]
