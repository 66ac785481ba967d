"""Everything that ends by the clock, when the clock is moved forward and back."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from windlass.gateway.database import Database
from windlass.gateway.identity.signed import Signer
from windlass.gateway.identity.signing_keys import BadToken, SigningKeys
from windlass.gateway.login.links import SignInLinks
from windlass.gateway.sessions.store import Sessions
from windlass.gateway.tokens.access_tokens import AccessTokens

START = 1_800_000_000.0
LIFE = timedelta(hours=24)
"""Of all credentials below but the link's."""


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "time", clock)
    return clock


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "gateway.db")
    yield opened
    opened.close()


def session(database: Database) -> Callable[[], bool]:
    sessions = Sessions(database, time.time)
    cookie = sessions.start("a@b")
    (listed,) = sessions.list("a@b")
    return lambda: sessions.is_alive(listed.name) and bool(cookie)


def access_token(database: Database) -> Callable[[], bool]:
    tokens = AccessTokens(database)
    token = tokens.create("a@b", "laptop", LIFE)
    return lambda: tokens.find(token) is not None


def signed_value(database: Database) -> Callable[[], bool]:
    signer = Signer("secret", "sign-in state")
    text = signer.sign({"rd": "/"}, time.time())
    return lambda: signer.read(text, time.time(), LIFE.total_seconds()) is not None


def id_token(database: Database) -> Callable[[], bool]:
    keys = SigningKeys(database, "http://issuer/dex")
    now = int(time.time())
    claims: dict[str, Any] = {"iss": "http://issuer/dex", "iat": now, "exp": now + int(LIFE.total_seconds())}
    token = keys.sign(claims)

    def is_accepted() -> bool:
        try:
            keys.verify(token)
        except BadToken:
            return False
        return True

    return is_accepted


KINDS = [session, access_token, signed_value, id_token]


@pytest.mark.parametrize("kind", KINDS)
def test_it_ends_when_its_time_is_over_and_not_before(
    database: Database, clock: Clock, kind: Callable[[Database], Callable[[], bool]]
) -> None:
    is_accepted = kind(database)
    clock.now = START + LIFE.total_seconds() - 1
    assert is_accepted()
    clock.now = START + LIFE.total_seconds() + 61

    assert not is_accepted()


@pytest.mark.parametrize("kind", KINDS)
def test_a_clock_that_was_set_back_for_a_while_gives_it_no_longer_life(
    database: Database, clock: Clock, kind: Callable[[Database], Callable[[], bool]]
) -> None:
    is_accepted = kind(database)
    clock.now = START - timedelta(days=365).total_seconds()
    is_accepted()
    clock.now = START + LIFE.total_seconds() + 61

    assert not is_accepted()


@pytest.mark.parametrize("kind", [session, access_token, signed_value])
def test_a_clock_that_was_set_back_ends_nothing(
    database: Database, clock: Clock, kind: Callable[[Database], Callable[[], bool]]
) -> None:
    is_accepted = kind(database)
    clock.now = START - timedelta(days=1).total_seconds()

    assert is_accepted()


def test_an_id_token_of_the_future_is_refused(database: Database, clock: Clock) -> None:
    """As every client of OpenID Connect refuses it."""
    is_accepted = id_token(database)
    clock.now = START - timedelta(days=1).total_seconds()

    assert not is_accepted()


@pytest.mark.parametrize("moved", [timedelta(seconds=61), timedelta(seconds=-61)])
def test_a_sign_in_link_is_refused_when_its_minute_is_over_in_either_direction(
    database: Database, clock: Clock, moved: timedelta
) -> None:
    links = SignInLinks(database)
    token = links.create("a@b")
    clock.now = START + moved.total_seconds()

    assert links.redeem(token) is None
    clock.now = START
    assert links.redeem(token) is None, "a link is tried once"


def test_a_sign_in_link_signs_in_once_within_its_minute(database: Database, clock: Clock) -> None:
    links = SignInLinks(database)
    token = links.create("a@b")
    clock.now = START + 59

    assert links.redeem(token) == "a@b"
    assert links.redeem(token) is None
