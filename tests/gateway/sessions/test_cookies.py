"""The session's cookie among those that a browser sends."""

from types import SimpleNamespace
from typing import Any

import pytest

from windlass.gateway.sessions.cookies import COMPAT, SESSION, sent_cookie, session_cookie


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
