"""Bearer tokens of people: for this gateway, of this issuer, of users who are there."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.identity.clients import OWN_CLIENT
from windlass.gateway.identity.users import User
from windlass.gateway.settings import GatewaySettings

ANN = User(email="ann@example.com", username="ann", user_id="1", groups=("team",), source="corp")


@pytest.fixture
def context(tmp_path: Path) -> Iterator[GatewayContext]:
    settings = GatewaySettings(folder=tmp_path / "gateway", audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as opened:
        opened.users.remember_external(ANN)
        yield opened


def a_token(context: GatewayContext, **claims: Any) -> str:
    own = {"iss": context.settings.issuer, "aud": OWN_CLIENT, "exp": int(time.time()) + 60, "email": ANN.email}
    return context.signing_keys.sign({**own, **claims})


def user_of(context: GatewayContext, token: str) -> str | None:
    identity = context.bearer_tokens.of_person(token, "gateway")
    return identity.user if identity is not None else None


def test_an_id_token_of_the_gateway_is_its_user(context: GatewayContext) -> None:
    assert user_of(context, a_token(context)) == ANN.email


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-app"},
        {"aud": ""},
        {"iss": "http://127.0.0.1:8080/assertions"},
        {"iss": "https://elsewhere.example/dex"},
        {"exp": 1},
        {"email": "gone@example.com"},
        {"email": ""},
    ],
)
def test_a_token_for_another_app_of_another_issuer_or_user_is_none(context: GatewayContext, claims: Any) -> None:
    assert user_of(context, a_token(context, **claims)) is None


def test_a_token_that_was_changed_is_none(context: GatewayContext) -> None:
    head, body, _ = a_token(context).split(".")
    _, _, signature = a_token(context, email="ben@example.com").split(".")

    assert user_of(context, f"{head}.{body}.{signature}") is None
    assert user_of(context, f"{head}.{body}.") is None
