"""Whose session a cookie is: a user's who is there, in the groups of now."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request

from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.identity.users import User
from windlass.gateway.login.authentication import of_session
from windlass.gateway.request import Identity
from windlass.gateway.settings import GatewaySettings


@pytest.fixture
def context(tmp_path: Path) -> Iterator[GatewayContext]:
    settings = GatewaySettings(folder=tmp_path / "gateway", audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as opened:
        yield opened


def signed_in(context: GatewayContext, email: str, cookie: str = "oauth2_proxy_kubeflow") -> Identity | None:
    value = context.sessions.start(email)
    return of_session(context, make_mocked_request("GET", "/", headers={"Cookie": f"{cookie}={value}"}))


@pytest.mark.parametrize("cookie", ["oauth2_proxy_kubeflow", "authservice_session"])
def test_a_session_is_its_users_with_the_groups_of_now(context: GatewayContext, cookie: str) -> None:
    for groups in (("team",), ("other",)):
        user = User(email="ann@example.com", username="ann", user_id="1", groups=groups, source="corp")
        context.users.remember_external(user)
        identity = signed_in(context, "ann@example.com", cookie)

        assert identity is not None
        assert (identity.user, identity.groups, identity.proof) == ("ann@example.com", groups, "session")


def test_a_session_of_a_user_who_is_gone_is_nobodys(context: GatewayContext) -> None:
    """As of one that a file of users had, and has no more."""
    assert signed_in(context, "gone@example.com") is None


def test_a_cookie_of_no_session_is_nobodys(context: GatewayContext) -> None:
    request = make_mocked_request("GET", "/", headers={"Cookie": "oauth2_proxy_kubeflow=guess"})

    assert of_session(context, request) is None
    assert of_session(context, make_mocked_request("GET", "/")) is None
