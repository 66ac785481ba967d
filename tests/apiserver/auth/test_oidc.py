"""ID tokens, against an issuer that speaks OpenID Connect over the loopback interface."""

import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.loops import end_connections
from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.oidc import KEYS_LAST_SECONDS, MIN_REFETCH_SECONDS, Oidc, OidcSettings
from windlass.apiserver.auth.user import User
from windlass.apiserver.pki import Pki
from windlass.kube.errors import Unauthorized
from windlass.kube.json import Object


class Issuer:
    """Publishes its keys and signs tokens; counts how often it is asked for its keys."""

    def __init__(self) -> None:
        self.url = ""
        self.asked = 0
        self.down = False
        self.keys: dict[str, Any] = {"one": rsa.generate_private_key(65537, 2048)}
        self.published = ["one"]

    async def start(self, tls: ssl.SSLContext | None) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/realm/.well-known/openid-configuration", self._configuration)
        app.router.add_get("/realm/keys", self._keys)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
        await site.start()
        port = runner.addresses[0][1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}/realm"
        return runner

    async def _configuration(self, _: web.Request) -> web.Response:
        if self.down:
            raise web.HTTPServiceUnavailable
        return web.json_response({"issuer": self.url, "jwks_uri": f"{self.url}/keys"})

    async def _keys(self, _: web.Request) -> web.Response:
        self.asked += 1
        found = []
        for name in self.published:
            key = self.keys[name]
            algorithm: Any = jwt.get_algorithm_by_name("RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256")
            found.append({**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": name, "use": "sig"})
        found.append({"kty": "unheard-of", "kid": "odd"})
        return web.json_response({"keys": found})

    def token(self, key: str = "one", algorithm: str = "RS256", named: bool = True, **claims: object) -> bytes:
        whole: Object = {"iss": self.url, "aud": "windlass", "sub": "jane", "exp": int(time.time()) + 300, **claims}
        present = {name: value for name, value in whole.items() if value is not None}
        signed = jwt.encode(present, self.keys[key], algorithm, headers={"kid": key} if named else None)
        return b"Bearer " + signed.encode()


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    issuer = Issuer()
    runner = await issuer.start(None)
    yield issuer
    await runner.cleanup()


def a_door(issuer: Issuer, clock: Clock | None = None, **settings: Any) -> Authenticator:
    now = clock or time.monotonic
    chosen = OidcSettings(issuer_url=issuer.url, client_id="windlass", **{"allow_http": True, **settings})
    return Authenticator(oidc=Oidc(chosen, now), now=now)


async def test_a_token_of_the_issuer_is_its_subject(issuer: Issuer) -> None:
    user = await a_door(issuer).authenticate_fetching(issuer.token())

    assert user == User(f"{issuer.url}#jane", groups=("system:authenticated",))


@pytest.mark.parametrize(
    ("settings", "claims", "name", "groups"),
    [
        ({"username_prefix": "-"}, {}, "jane", ()),
        ({"username_prefix": "oidc:"}, {}, "oidc:jane", ()),
        ({"username_claim": "email"}, {"email": "j@x.org", "email_verified": True}, "j@x.org", ()),
        ({"username_claim": "email"}, {"email": "j@x.org"}, "j@x.org", ()),
        (
            {"username_prefix": "-", "groups_claim": "roles", "groups_prefix": "oidc:"},
            {"roles": ["a", "b"]},
            "jane",
            ("oidc:a", "oidc:b"),
        ),
        ({"username_prefix": "-", "groups_claim": "roles"}, {"roles": "solo"}, "jane", ("solo",)),
        ({"username_prefix": "-", "required_claims": (("hd", "x.org"),)}, {"hd": "x.org"}, "jane", ()),
    ],
)
async def test_claims_become_names_and_groups(
    issuer: Issuer, settings: Object, claims: Object, name: str, groups: tuple[str, ...]
) -> None:
    user = await a_door(issuer, **settings).authenticate_fetching(issuer.token(**claims))

    assert user == User(name, groups=(*groups, "system:authenticated"))


@pytest.mark.parametrize(
    ("settings", "claims"),
    [
        ({}, {"aud": "somebody-else"}),
        ({}, {"exp": 1}),
        ({}, {"exp": None}),
        ({}, {"nbf": 4_000_000_000}),
        ({}, {"iss": "https://elsewhere"}),
        ({}, {"sub": None}),
        ({"username_claim": "email"}, {"email": "j@x.org", "email_verified": False}),
        ({"username_claim": "email"}, {"email": "j@x.org", "email_verified": "yes"}),
        ({"groups_claim": "roles"}, {"roles": [1]}),
        ({"required_claims": (("hd", "x.org"),)}, {}),
    ],
)
async def test_tokens_that_do_not_fit_are_refused(issuer: Issuer, settings: Object, claims: Object) -> None:
    with pytest.raises(Unauthorized):
        await a_door(issuer, **settings).authenticate_fetching(issuer.token(**claims))


async def test_a_token_signed_by_a_stranger_with_a_known_key_id_is_refused(issuer: Issuer) -> None:
    door = a_door(issuer)
    await door.authenticate_fetching(issuer.token())
    issuer.keys["one"] = rsa.generate_private_key(65537, 2048)

    with pytest.raises(Unauthorized):
        await door.authenticate_fetching(issuer.token())


async def test_an_algorithm_that_was_not_chosen_is_refused(issuer: Issuer) -> None:
    issuer.keys["two"] = ec.generate_private_key(ec.SECP256R1())
    issuer.published = ["one", "two"]

    with pytest.raises(Unauthorized):
        await a_door(issuer).authenticate_fetching(issuer.token("two", "ES256"))
    assert await a_door(issuer, signing_algs=("ES256",)).authenticate_fetching(issuer.token("two", "ES256"))


async def test_a_token_without_a_key_id_is_tried_with_every_key(issuer: Issuer) -> None:
    issuer.keys |= {"ec": ec.generate_private_key(ec.SECP256R1()), "two": rsa.generate_private_key(65537, 2048)}
    issuer.published = ["ec", "one", "two"]

    assert await a_door(issuer).authenticate_fetching(issuer.token("two", named=False))


async def test_a_key_serves_every_algorithm_of_its_type(issuer: Issuer) -> None:
    door = a_door(issuer, signing_algs=("RS512", "PS256"))

    assert await door.authenticate_fetching(issuer.token(algorithm="RS512"))
    assert await door.authenticate_fetching(issuer.token(algorithm="PS256"))


async def test_keys_are_fetched_once_and_again_when_the_issuer_rotates_them(issuer: Issuer) -> None:
    clock = Clock()
    door = a_door(issuer, clock)
    for number in range(5):
        await door.authenticate_fetching(issuer.token(jti=str(number)))
    assert issuer.asked == 1

    issuer.keys["two"] = rsa.generate_private_key(65537, 2048)
    issuer.published = ["two"]
    with pytest.raises(Unauthorized):  # too soon to ask again
        await door.authenticate_fetching(issuer.token("two"))
    clock.time += MIN_REFETCH_SECONDS
    assert await door.authenticate_fetching(issuer.token("two"))
    assert issuer.asked == 2


async def test_a_withdrawn_key_stops_counting(issuer: Issuer) -> None:
    clock = Clock()
    door = a_door(issuer, clock)
    await door.authenticate_fetching(issuer.token())
    issuer.published = []

    clock.time += KEYS_LAST_SECONDS + 1
    with pytest.raises(Unauthorized):
        await door.authenticate_fetching(issuer.token())


async def test_an_issuer_that_is_down_refuses_nobody_it_let_in_before(issuer: Issuer) -> None:
    clock = Clock()
    door = a_door(issuer, clock)
    await door.authenticate_fetching(issuer.token())

    issuer.down = True
    clock.time += KEYS_LAST_SECONDS + 1
    assert await door.authenticate_fetching(issuer.token(jti="new"))


async def test_an_issuer_that_is_down_from_the_start_means_unauthorized(issuer: Issuer) -> None:
    issuer.down = True

    with pytest.raises(Unauthorized):
        await a_door(issuer).authenticate_fetching(issuer.token())


async def test_an_issuer_with_a_private_ca_is_trusted_through_its_file(pki: Pki, tmp_path: Path) -> None:
    issuer = Issuer()
    runner = await issuer.start(pki.ssl_context())
    try:
        door = a_door(issuer, ca_file=pki.ca_file, allow_http=False)
        assert await door.authenticate_fetching(issuer.token())
        other = Pki.load_or_create(tmp_path)
        with pytest.raises(Unauthorized):
            await a_door(issuer, ca_file=other.ca_file).authenticate_fetching(issuer.token())
    finally:
        await runner.cleanup()
        await end_connections()


def test_settings_that_cannot_work_are_named() -> None:
    settings = OidcSettings(issuer_url="http://x", client_id="", signing_algs=("HS256",))

    problems = settings.problems()

    assert len(problems) == 3
    with pytest.raises(ValueError, match="https"):
        Oidc(settings)
