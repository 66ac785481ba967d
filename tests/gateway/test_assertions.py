"""What the gateway signs for apps outside of it: readable by its keys, for one app, and no way to sign in."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from windlass.gateway.database import Database
from windlass.gateway.identity.assertions import Assertions
from windlass.gateway.identity.signing_keys import BadToken, SigningKeys
from windlass.gateway.request import Identity

ORIGIN = "http://127.0.0.1:8080"
ANN = Identity("ann@example.com", ("team",), "session", "s")


@pytest.fixture
def keys(tmp_path: Path) -> SigningKeys:
    return SigningKeys(Database(tmp_path / "gateway.db"), f"{ORIGIN}/dex")


def test_an_assertion_names_the_user_to_one_app_for_five_minutes(keys: SigningKeys) -> None:
    token = asyncio.run(Assertions(keys, ORIGIN, lambda: 1000.0).of(ANN, "app.kubeflow.svc"))

    claims = jwt.decode(token, KeySet.import_key_set(cast(Any, keys.published())), ["RS256"]).claims
    assert claims == {
        "iss": f"{ORIGIN}/assertions",
        "sub": "ann@example.com",
        "aud": "app.kubeflow.svc",
        "iat": 1000,
        "exp": 1300,
        "groups": ["team"],
    }


def test_an_assertion_is_no_id_token(keys: SigningKeys) -> None:
    token = asyncio.run(Assertions(keys, ORIGIN).of(ANN, "app.kubeflow.svc"))

    with pytest.raises(BadToken):
        keys.verify(token)


def test_one_serves_the_requests_of_a_minute_and_another_app_gets_another(keys: SigningKeys) -> None:
    now = [1000.0]
    assertions = Assertions(keys, ORIGIN, lambda: now[0])
    first = asyncio.run(assertions.of(ANN, "app.kubeflow.svc"))

    assert asyncio.run(assertions.of(ANN, "app.kubeflow.svc")) == first
    assert asyncio.run(assertions.of(ANN, "other.kubeflow.svc")) != first
    now[0] += 61
    assert asyncio.run(assertions.of(ANN, "app.kubeflow.svc")) != first
    now[0] -= 3600  # a clock that was set back
    assert asyncio.run(assertions.of(ANN, "app.kubeflow.svc")) != first
