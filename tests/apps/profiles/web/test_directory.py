"""Who may make a profile: administrators any, everyone else their own and only where registration is on."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.web import directory
from windlass.apps.profiles.web.new_profiles import profile_for
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.kube.client import Client
from windlass.kube.errors import Forbidden
from windlass.kube.testing import NOW, MemoryServer

ANN = Identity("ann@example.com")


def a_context(*, registration: bool, is_admin: bool = False) -> GatewayContext:
    async def allows(identity: Identity, access: object) -> bool:
        return is_admin

    parts: Any = SimpleNamespace(
        settings=SimpleNamespace(registration_flow=registration),
        proxy=SimpleNamespace(reviews=SimpleNamespace(allows=allows)),
        client=Client(MemoryServer(lambda: NOW)),
        audit=SimpleNamespace(record=lambda *_, **__: None),
    )
    return cast(GatewayContext, parts)


async def names(context: GatewayContext) -> list[str]:
    return [profile.metadata.name for profile in (await context.client.list(Profile)).items]


async def test_without_registration_nobody_makes_a_profile() -> None:
    context = a_context(registration=False)

    with pytest.raises(Forbidden, match="registration is off"):
        await directory.create_profile(context, ANN, profile_for("ann", ANN.user))
    assert await names(context) == []


@pytest.mark.parametrize(("registration", "is_admin"), [(True, False), (False, True)])
async def test_a_registrant_and_an_administrator_make_one(registration: bool, is_admin: bool) -> None:
    context = a_context(registration=registration, is_admin=is_admin)

    await directory.create_profile(context, ANN, profile_for("ann", ANN.user))

    assert await names(context) == ["ann"]


async def test_an_administrator_makes_one_for_another_and_a_registrant_does_not() -> None:
    await directory.create_profile(a_context(registration=False, is_admin=True), ANN, profile_for("ben", "ben@x.org"))

    with pytest.raises(Forbidden, match="must be your own"):
        await directory.create_profile(a_context(registration=True), ANN, profile_for("ben", "ben@x.org"))
