"""The session's cookie among those that a browser sends, and which cookies are Secure."""

from types import SimpleNamespace
from typing import Any

import pytest

from windlass.gateway.sessions.cookies import COMPAT, SESSION, is_secure, sent_cookie, session_cookie


def a_request(cookies: str) -> Any:
    return SimpleNamespace(headers={"Cookie": cookies} if cookies else {})


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("", ""),
        ("a=1", "1"),
        ("b=2; a=1", "1"),
        ("b=2;a=1;c=3", "1"),
        (' a = "1" ; b=2', "1"),
        ("a=1=2==", "1=2=="),
        ("a=1; a=2", "1"),
        ("aa=1; ba=2; A=3", ""),
        ("a", ""),
        ("b=a=1", ""),
    ],
)
def test_a_cookie_is_found_by_its_whole_name(sent: str, value: str) -> None:
    assert sent_cookie(a_request(sent), "a") == value


def test_the_name_of_older_clients_counts_only_where_it_is_allowed() -> None:
    older = a_request(f"{COMPAT}=1")

    assert (session_cookie(older, compat=True), session_cookie(older, compat=False)) == ("1", "")
    assert session_cookie(a_request(f"{COMPAT}=1; {SESSION}=2"), compat=True) == "2"


HERE, EXTERNAL = "http://127.0.0.1:8080", "https://ml.example.com"


@pytest.mark.parametrize(
    ("peer", "forwarded", "host", "origin", "secure"),
    [
        ("127.0.0.1", "https", "ml.example.com", HERE, True),
        ("::1", "HTTPS", "ml.example.com", HERE, True),
        ("127.0.0.1", "http, https", "ml.example.com", HERE, True),
        ("127.0.0.1", "https, http", "ml.example.com", HERE, False),
        ("127.0.0.1", "", "127.0.0.1:8080", HERE, False),
        ("192.0.2.1", "https", "ml.example.com", HERE, False),
        ("", "https", "ml.example.com", HERE, False),
        ("192.0.2.1", "", "ml.example.com", EXTERNAL, True),
        ("192.0.2.1", "", "ML.example.com:443", EXTERNAL, True),
        ("192.0.2.1", "https", "localhost:8080", EXTERNAL, False),
        ("192.0.2.1", "", "ml.example.com", "http://ml.example.com", False),
        ("192.0.2.1", "", "[", EXTERNAL, False),
    ],
)
def test_cookies_are_secure_where_the_browser_speaks_https_to_us_or_to_a_trusted_proxy(
    peer: str, forwarded: str, host: str, origin: str, secure: bool
) -> None:
    headers = {"X-Forwarded-Proto": forwarded} if forwarded else {}
    request: Any = SimpleNamespace(secure=False, remote=peer, headers=headers, host=host)

    assert is_secure(request, origin) is secure
    request.secure = True
    assert is_secure(request, origin)
