"""A client cannot say who it is by a header."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apis.networking_istio_v1alpha3 import HeaderOperations
from windlass.gateway.proxy.headers import (
    claims_identity,
    forwarded_headers,
    identity_headers,
    route_headers,
    takes_session,
)

CLAIMS = [
    "kubeflow-userid",
    "kubeflow-groups",
    "x-auth-request-email",
    "x-forwarded-user",
    "x-goog-authenticated-user-id",
]


@given(st.sampled_from(CLAIMS), st.randoms())
def test_every_spelling_of_an_identity_header_is_removed(name: str, random: Random) -> None:
    spelt = "".join(random.choice([c.upper(), c.lower(), "_" if c == "-" else c]) for c in name)

    assert [*forwarded_headers([(spelt, "admin@example.com"), ("accept", "*/*")])] == [("accept", "*/*")]


@pytest.mark.parametrize("name", ["accept", "x-forwarded-for", "authorization", "kubeflow-user", "x-request-id"])
def test_other_headers_stay(name: str) -> None:
    assert not claims_identity(name)


def test_headers_of_one_connection_stay_behind() -> None:
    headers = [("Connection", "close, X-Mine"), ("X-Mine", "1"), ("Transfer-Encoding", "chunked"), ("Accept", "*/*")]

    assert [*forwarded_headers(headers, connection="close, X-Mine")] == [("Accept", "*/*")]


@pytest.mark.parametrize("connection", ["Content-Length, Host", "close,content-length , HOST"])
def test_a_client_cannot_take_the_length_from_its_body(connection: str) -> None:
    """Without the length, a backend would read the body as the next request, with any identity in its headers."""
    headers = [("Content-Length", "5"), ("Host", "a"), ("Connection", connection)]

    assert [*forwarded_headers(headers, connection=connection)] == [("Content-Length", "5"), ("Host", "a")]


def test_a_backend_never_sees_the_session() -> None:
    headers = [("Cookie", "a=1; oauth2_proxy_kubeflow=secret; b=2"), ("cookie", "oauth2_proxy_kubeflow=x")]

    assert [*forwarded_headers(headers, hidden_cookies=frozenset({"oauth2_proxy_kubeflow"}))] == [
        ("Cookie", "a=1; b=2")
    ]


def test_what_the_gateway_sets_replaces_what_the_client_sent() -> None:
    assert [*forwarded_headers([("Authorization", "x")], replaced={"authorization"})] == []


def test_the_gateway_names_the_user() -> None:
    assert identity_headers("a@b.c", ("x", "y")) == [("kubeflow-userid", "a@b.c"), ("kubeflow-groups", "x,y")]


def test_a_route_sets_no_identity_and_no_second_request() -> None:
    operations = HeaderOperations(
        set_={"X-RStudio-Root-Path": "/x/", "Kubeflow_Userid": "admin", "X-Windlass-May-Write": "true", "a b": "c"},
        add={"X-Split": "a\r\nGET / HTTP/1.1"},
    )

    assert route_headers(operations) == [("X-RStudio-Root-Path", "/x/")]


@pytest.mark.parametrize(
    "name", ["X-Forwarded-Uri", "x_forwarded_uri", "X-ORIGINAL-URL", "X-Rewrite-Url", "X-Forwarded-Prefix"]
)
def test_a_client_tells_a_backend_of_no_other_request(name: str) -> None:
    assert list(forwarded_headers([(name, "/dex/"), ("Accept", "*/*")])) == [("Accept", "*/*")]


HIDDEN = frozenset({"oauth2_proxy_kubeflow", "XSRF-TOKEN"})


@pytest.mark.parametrize(
    "cookie",
    [
        b"XSRF-TOKEN=a; Path=/",
        b"XSRF-TOKEN\t= a",
        b" oauth2_proxy_kubeflow=a; Domain=example.com",
        b"XSRF-TOKEN",
        b"=XSRF-TOKEN=a",
        b" =oauth2_proxy_kubeflow=a; Path=/",
        b"=",
    ],
)
def test_a_backend_sets_no_cookie_of_the_gateway_under_any_spelling(cookie: bytes) -> None:
    """Browsers send a cookie without a name back as its value alone, which may be a pair of any name."""
    assert takes_session(b"Set-Cookie", cookie, HIDDEN)


@pytest.mark.parametrize(
    "cookie", [b"_xsrf=a", b"xsrf-token=a", b"a=XSRF-TOKEN=b", b"a", b"a; =b", b"__Host-a=b; Secure; Path=/", b""]
)
def test_a_backends_own_cookies_pass(cookie: bytes) -> None:
    assert not takes_session(b"set-cookie", cookie, HIDDEN)
