"""What someone else wrote is text on every page of the gateway's own."""

from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from windlass.gateway.identity.login_page import login_form
from windlass.gateway.login.account import account_page
from windlass.gateway.page import message
from windlass.gateway.page_words import speech_of
from windlass.gateway.proxy.entrances.not_ready import not_ready
from windlass.gateway.request import Identity
from windlass.gateway.sessions.store import Session

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
SAY = speech_of({})


def assert_harmless(answer: web.Response) -> None:
    text = answer.text or ""
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "<img" not in text
    assert "\"'>" not in text
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_a_message_is_text() -> None:
    request = make_mocked_request("GET", "/")

    assert_harmless(message(request, "Sign-in failed", HOSTILE, status=403))
    assert_harmless(message(request, HOSTILE, "text", status=403))
    assert_harmless(message(request, "Bad request", "refused: {why}", status=400, why=HOSTILE))
    assert_harmless(message(request, "Bad request", "text", status=400, action=(HOSTILE, "Home")))


def test_the_reason_why_something_is_not_ready_is_text() -> None:
    """Names and messages of events are those of users."""
    assert_harmless(not_ready("ml/lab", HOSTILE, SAY, as_json=False))
    assert_harmless(not_ready(HOSTILE, "It is starting.", SAY, as_json=False))


def test_the_form_shows_text() -> None:
    assert_harmless(login_form("/dex/auth/local/login", SAY, login=HOSTILE))
    assert_harmless(login_form(HOSTILE, SAY))
    assert_harmless(login_form("/", SAY, others=[("/dex/auth/x", HOSTILE)]))
    assert_harmless(login_form("/", SAY, others=[(HOSTILE, "GitHub")]))


def test_sessions_are_listed_as_text() -> None:
    session = Session(b"", HOSTILE, "a@b.c", 0.0, 0.0, HOSTILE, HOSTILE, by_link=False)

    assert_harmless(account_page(Identity("a@b.c", (HOSTILE,)), [session], 1.0, SAY, notice=("Sign in", "or")))
    assert_harmless(account_page(Identity(HOSTILE), [], 1.0, SAY, notice=("Sign in", "or")))
