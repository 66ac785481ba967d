"""A tunnel is closed when its sign-in ends, whatever ends it."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from tests.gateway.builders import settings
from windlass.gateway import app
from windlass.gateway.access import open_tunnels
from windlass.gateway.access.open_tunnels import OpenTunnels
from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.database import DatabaseUnavailable
from windlass.gateway.request import Identity
from windlass.kube.errors import ServiceUnavailable


class Tunnel:
    closed = False

    def close(self) -> None:
        self.closed = True


async def always(identity: Identity, access: Access | None) -> bool:
    return True


@pytest.fixture
def context(tmp_path: Path) -> Iterator[GatewayContext]:
    with open_context(settings(folder=tmp_path), Mock(), {}) as opened:
        opened.users.add("ann@example.com", "a password", groups=["ml"])
        yield opened


def signed_in(context: GatewayContext) -> Identity:
    context.sessions.start("ann@example.com")
    session = context.sessions.list("ann@example.com")[0]
    return Identity("ann@example.com", ("ml",), "session", session.name)


def is_closed(context: GatewayContext, identity: Identity) -> bool:
    tunnels, tunnel = OpenTunnels(always), Tunnel()
    tunnels.add(tunnel, identity, None)
    tunnels.close_ended(context.is_current)
    assert len(tunnels) == (0 if tunnel.closed else 1)
    return tunnel.closed


def test_a_tunnel_of_a_person_who_is_signed_in_stays(context: GatewayContext) -> None:
    assert not is_closed(context, signed_in(context))
    assert not is_closed(context, Identity("ann@example.com", ("ml",), "access-token"))
    assert not is_closed(context, Identity("system:serviceaccount:a:b", ("system:serviceaccounts",), "service-account"))


async def test_a_right_that_cannot_be_asked_for_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_tunnels, "RETRY_INTERVAL", timedelta())
    answers: list[bool | Exception] = [ServiceUnavailable("away"), ServiceUnavailable("away"), False]

    async def answer(identity: Identity, access: Access | None) -> bool:
        given = answers.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    tunnels, tunnel = OpenTunnels(answer), Tunnel()
    tunnels.add(tunnel, Identity("ann@example.com"), None)
    tunnels.check_soon()

    async with asyncio.timeout(10):
        while not tunnel.closed:
            await asyncio.sleep(0)


def test_it_is_closed_when_the_session_ends(context: GatewayContext) -> None:
    identity = signed_in(context)
    context.sessions.revoke(identity.user, identity.session)

    assert is_closed(context, identity)


def test_it_is_closed_when_the_user_is_removed_or_changes_groups(context: GatewayContext) -> None:
    identity = signed_in(context)
    context.users.set_groups(identity.user, ["ops"])
    assert is_closed(context, identity)
    context.users.set_groups(identity.user, ["ml"])
    assert not is_closed(context, identity)
    by_token = Identity(identity.user, identity.groups, "access-token")
    assert not is_closed(context, by_token)
    context.users.remove(identity.user)
    assert is_closed(context, identity)
    assert is_closed(context, by_token)


def test_it_is_closed_when_its_token_is_revoked_replaced_or_expired(context: GatewayContext) -> None:
    def identity() -> Identity:
        token = context.access_tokens.create("ann@example.com", "laptop", timedelta(days=1), ["gateway"])
        found = context.bearer_tokens.of_person(token, "gateway")
        assert found is not None
        return found

    first = identity()
    assert not is_closed(context, first)
    second = identity()
    assert is_closed(context, first), "the token of the same name is another one"
    assert not is_closed(context, second)
    context.database.write("UPDATE access_tokens SET expires = 1")
    assert is_closed(context, second)
    third = identity()
    context.access_tokens.revoke("ann@example.com", "laptop")
    assert is_closed(context, third)


def test_it_is_closed_when_the_token_of_another_issuer_expires(context: GatewayContext) -> None:
    account = Identity("system:serviceaccount:a:b", (), "service-account")
    person = Identity("ann@example.com", ("ml",), "id-token")

    for identity in (account, person):
        assert not is_closed(context, replace(identity, ends=time.time() + 60))
        assert is_closed(context, replace(identity, ends=time.time() - 1))


@dataclass
class Checked:
    """A gateway whose sign-ins change all the time."""

    proxy: SimpleNamespace
    answers: list[bool | Exception]

    @property
    def sign_ins_as_of(self) -> object:
        return object()

    def is_current(self, identity: Identity) -> bool:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_they_are_checked_again_after_the_database_could_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "TUNNEL_CHECK_SECONDS", 0.0)
    tunnels, tunnel = OpenTunnels(always), Tunnel()
    tunnels.add(tunnel, Identity("ann@example.com"), None)
    gateway = Checked(SimpleNamespace(tunnels=tunnels), [True, DatabaseUnavailable("it is busy"), False])
    checking = asyncio.create_task(app.close_ended_tunnels(cast(Any, gateway)))

    async with asyncio.timeout(10):
        while not tunnel.closed:
            await asyncio.sleep(0)
    checking.cancel()


def test_it_is_closed_when_the_session_is_too_old(context: GatewayContext) -> None:
    identity = signed_in(context)
    context.database.write("UPDATE sessions SET created = created - ?", timedelta(days=8).total_seconds())

    assert is_closed(context, identity)


async def test_it_is_closed_when_a_policy_admits_it_no_more() -> None:
    tunnels, kept, refused = OpenTunnels(always), Tunnel(), Tunnel()

    async def never() -> bool:
        return False

    tunnels.add(kept, Identity("ann@example.com"), None)
    tunnels.add(refused, Identity("ann@example.com"), None, never)
    tunnels.check_soon()
    while not refused.closed:
        await asyncio.sleep(0)

    assert not kept.closed
    assert len(tunnels) == 1
