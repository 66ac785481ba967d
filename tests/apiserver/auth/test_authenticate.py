"""Who sent this? All sources through the one door, and what it remembers."""

import base64
import time
from datetime import timedelta
from pathlib import Path
from ssl import PEM_cert_to_DER_cert

import pytest

from windlass.apiserver.auth.authenticate import RECHECK_SECONDS, Authenticator
from windlass.apiserver.auth.jws import SigningKey
from windlass.apiserver.auth.service_accounts import BoundObject, ServiceAccountTokens
from windlass.apiserver.auth.user import ANONYMOUS, User, authenticated
from windlass.apiserver.pki import Pki
from windlass.kube.errors import Unauthorized

from .builders import World

JANE = authenticated("jane", "42", ("devs",))


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def world() -> World:
    world = World()
    world.add("serviceaccounts", "ml", "trainer", "sa-1")
    return world


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def door(signing_key: SigningKey, world: World, clock: Clock) -> Authenticator:
    door = Authenticator(service_accounts=ServiceAccountTokens(signing_key, world.get), now=clock)
    door.add_tokens([("abc", JANE)])
    return door


def a_token(door: Authenticator, seconds: int = 3600) -> bytes:
    assert door.service_accounts is not None
    token, _ = door.service_accounts.issue("ml", "trainer", "sa-1", expiration_seconds=seconds)
    return b"Bearer " + token.encode()


def test_nothing_presented_is_anonymous(door: Authenticator) -> None:
    assert door.authenticate(None) is ANONYMOUS


@pytest.mark.parametrize("header", [b"Bearer abc", b"bearer abc", b"Bearer   abc ", b"BEARER abc"])
def test_a_known_token_is_its_user(door: Authenticator, header: bytes) -> None:
    assert door.authenticate(header) == JANE
    assert door.authenticate(header) == JANE


@pytest.mark.parametrize(
    "header",
    [
        b"Bearer abd",
        b"Bearer ",
        b"Bearer",
        b"",
        b"Basic amFuZTphYmM=",
        b"abc",
        b"Bearer \xff\xfe",
        b"Bearer a.b.c",
        b"Bearer abc def",
        b"Bearer " + b"x" * 100_000,
    ],
)
def test_a_bad_token_is_refused_rather_than_anonymous(door: Authenticator, header: bytes) -> None:
    with pytest.raises(Unauthorized) as refused:
        door.authenticate(header)

    assert refused.value.message == "Unauthorized"
    assert refused.value.code == 401


def test_a_token_file_is_read(door: Authenticator, tmp_path: Path) -> None:
    (tmp_path / "tokens.csv").write_text('xyz,bob,7,"ops,devs"\n')
    door.add_token_file(tmp_path / "tokens.csv")

    assert door.authenticate(b"Bearer xyz").groups == ("ops", "devs", "system:authenticated")


def test_a_websocket_may_bring_its_token_as_a_subprotocol(door: Authenticator) -> None:
    token = base64.urlsafe_b64encode(b"abc").rstrip(b"=")
    protocols = [b"v5.channel.k8s.io", b"base64url.bearer.authorization.k8s.io." + token]

    assert door.authenticate(None, websocket_protocols=protocols) == JANE
    assert door.authenticate(None, websocket_protocols=b", ".join(protocols).split(b",")) == JANE
    assert door.authenticate(None, websocket_protocols=protocols[:1]) is ANONYMOUS
    with pytest.raises(Unauthorized):
        door.authenticate(None, websocket_protocols=[protocols[1] + b"!"])


def test_a_deleted_service_account_is_noticed_soon(door: Authenticator, world: World, clock: Clock) -> None:
    header = a_token(door)
    door.authenticate(header)
    world.remove("serviceaccounts", "ml", "trainer")

    assert door.authenticate(header).name == "system:serviceaccount:ml:trainer"
    clock.time += RECHECK_SECONDS
    with pytest.raises(Unauthorized):
        door.authenticate(header)


def test_a_deleted_service_account_is_noticed_at_once_when_told(door: Authenticator, world: World) -> None:
    header = a_token(door)
    door.authenticate(header)
    world.remove("serviceaccounts", "ml", "trainer")
    door.invalidate()

    with pytest.raises(Unauthorized):
        door.authenticate(header)


def test_news_of_one_object_leaves_other_tokens_remembered(door: Authenticator, world: World) -> None:
    world.add("pods", "ml", "p", "pod-1")
    assert door.service_accounts is not None
    bound, _ = door.service_accounts.issue("ml", "trainer", "sa-1", bound_object=BoundObject("Pod", "p", "pod-1"))
    door.authenticate(b"Bearer abc")
    door.authenticate(a_token(door))
    door.authenticate(b"Bearer " + bound.encode())

    door.invalidate("pod-1")
    assert len(door._by_header) == 2
    door.invalidate("sa-1")
    assert len(door._by_header) == 1


def test_a_token_is_not_remembered_beyond_its_end(door: Authenticator, clock: Clock) -> None:
    header = a_token(door, seconds=3)
    door.authenticate(header)

    ((_, until),) = door._by_header.values()
    assert until <= clock.time + 3


def test_a_client_certificate_is_its_common_name_and_organisations(door: Authenticator, pki: Pki) -> None:
    certificate, _ = pki.client_certificate("jäne", ["devs", "ops"])

    user = door.authenticate(None, PEM_cert_to_DER_cert(certificate.decode()))

    assert (user.name, user.groups) == ("jäne", ("devs", "ops", "system:authenticated"))
    assert door.authenticate(b"Bearer abc", PEM_cert_to_DER_cert(certificate.decode())) is user


def test_a_certificate_that_is_over_is_refused(door: Authenticator, pki: Pki) -> None:
    certificate, _ = pki.client_certificate("jane", lifetime=timedelta(seconds=-1))

    with pytest.raises(Unauthorized):
        door.authenticate(None, PEM_cert_to_DER_cert(certificate.decode()))


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 10, 100, 200, 300])
def test_a_mangled_certificate_is_refused(door: Authenticator, pki: Pki, cut: int) -> None:
    der = PEM_cert_to_DER_cert(pki.client_certificate("jane")[0].decode())

    for mangled in (der[:cut], b"\x30\x84\xff\xff\xff\xff" + der[:cut], bytes(cut)):
        with pytest.raises(Unauthorized):
            door.authenticate(None, mangled)


async def test_the_fetching_way_answers_the_same(door: Authenticator) -> None:
    assert await door.authenticate_fetching(b"Bearer abc") == JANE
    with pytest.raises(Unauthorized):
        await door.authenticate_fetching(b"Bearer nobody")


def test_a_known_token_costs_microseconds(door: Authenticator) -> None:
    header = a_token(door)
    door.authenticate(header)

    best = min(_timed(door, header) for _ in range(20))

    assert best < 30e-6  # ten times what it takes on a quiet machine


def _timed(door: Authenticator, header: bytes, times: int = 200) -> float:
    start = time.perf_counter()
    for _ in range(times):
        door.authenticate(header)
    return (time.perf_counter() - start) / times


def test_users_with_the_same_facts_are_one_key() -> None:
    assert {User("a", groups=("g",)): 1}[User("a", groups=("g",))] == 1
