"""Keys are made and rotated when they are needed, and old ones verify for as long as their tokens live."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from windlass.gateway.database import Database
from windlass.gateway.identity.signing_keys import ROTATE_AFTER, SigningKeys


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[SigningKeys]:
    database = Database(tmp_path / "gateway.db")
    yield SigningKeys(database, "http://issuer/dex")
    database.close()


def claims() -> dict[str, object]:
    return {"iss": "http://issuer/dex", "exp": int(time.time()) + 60}


def test_the_first_token_makes_the_first_key(keys: SigningKeys) -> None:
    assert keys.verify(keys.sign(claims()))["iss"] == "http://issuer/dex"


def test_an_old_key_is_replaced_and_still_verifies(keys: SigningKeys, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - ROTATE_AFTER.total_seconds() - 60)
    keys.sign(claims())
    monkeypatch.setattr(time, "time", lambda: now)
    old = keys.published()["keys"]

    token = keys.sign(claims())

    assert keys.verify(token)
    assert len(keys.published()["keys"]) == 2
    assert {key["kid"] for key in old} <= {key["kid"] for key in keys.published()["keys"]}
