"""Service account tokens: good while they last, for whom they are meant, and while their objects live."""

import base64
from datetime import UTC, datetime
from pathlib import Path

import jwt
import pytest

from windlass.apiserver.auth.jws import BadToken, SigningKey, b64
from windlass.apiserver.auth.service_accounts import BoundObject, ServiceAccountTokens
from windlass.apiserver.auth.token_request import answer_token_request
from windlass.apiserver.pki import Pki
from windlass.kube.errors import ApiError, BadRequest, Conflict, Invalid, NotFound
from windlass.kube.json import Object, encode, timestamp

from .builders import World

ISSUER = "https://kubernetes.default.svc.cluster.local"


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def world() -> World:
    world = World()
    world.add("serviceaccounts", "ml", "trainer", "sa-1")
    world.add("pods", "ml", "worker-0", "pod-1", spec={"serviceAccountName": "trainer", "nodeName": "laptop"})
    world.add("nodes", "", "laptop", "node-1")
    return world


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tokens(signing_key: SigningKey, world: World, clock: Clock) -> ServiceAccountTokens:
    return ServiceAccountTokens(signing_key, world.get, now=clock)


POD = BoundObject("Pod", "worker-0", "pod-1")


def test_a_token_stands_for_its_service_account(tokens: ServiceAccountTokens) -> None:
    token, expires = tokens.issue("ml", "trainer", "sa-1", expiration_seconds=600)

    verified = tokens.verify(token)

    assert verified.user.name == "system:serviceaccount:ml:trainer"
    assert verified.user.uid == "sa-1"
    assert verified.user.groups == ("system:serviceaccounts", "system:serviceaccounts:ml", "system:authenticated")
    assert verified.audiences == (ISSUER,)
    assert expires == timestamp(datetime.fromtimestamp(1_800_000_600, UTC))


def test_a_token_of_a_pod_names_the_pod_and_its_node(tokens: ServiceAccountTokens) -> None:
    node = BoundObject("Node", "laptop", "node-1")
    token, _ = tokens.issue("ml", "trainer", "sa-1", bound_object=POD, node=node)

    extra = tokens.verify(token).user.extra_object()

    assert extra.pop("authentication.kubernetes.io/credential-id")[0].startswith("JTI=")
    assert extra == {
        "authentication.kubernetes.io/pod-name": ["worker-0"],
        "authentication.kubernetes.io/pod-uid": ["pod-1"],
        "authentication.kubernetes.io/node-name": ["laptop"],
        "authentication.kubernetes.io/node-uid": ["node-1"],
    }


def test_a_token_ends(tokens: ServiceAccountTokens, clock: Clock) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1", expiration_seconds=600)
    clock.time += 600

    with pytest.raises(BadToken, match="expired"):
        tokens.verify(token)


def test_a_token_is_not_good_before_its_time(tokens: ServiceAccountTokens, clock: Clock) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1")
    clock.time -= 60

    with pytest.raises(BadToken, match="not valid yet"):
        tokens.verify(token)


def test_a_token_for_others_is_refused_here_and_good_for_them(tokens: ServiceAccountTokens) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1", audiences=["vault", "istio"])

    assert tokens.verify(token, ["other", "vault"]).audiences == ("vault",)
    with pytest.raises(BadToken, match="audiences"):
        tokens.verify(token)


@pytest.mark.parametrize(
    ("resource", "namespace", "name"), [("serviceaccounts", "ml", "trainer"), ("pods", "ml", "worker-0")]
)
def test_a_token_dies_with_what_it_is_bound_to(
    tokens: ServiceAccountTokens, world: World, resource: str, namespace: str, name: str
) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1", bound_object=POD)
    tokens.verify(token)

    world.remove(resource, namespace, name)
    with pytest.raises(BadToken, match="does not exist"):
        tokens.verify(token)

    world.add(resource, namespace, name, "made-again")
    with pytest.raises(BadToken, match="not the object"):
        tokens.verify(token)


def test_a_pod_that_is_going_away_keeps_its_token_for_a_minute(
    tokens: ServiceAccountTokens, world: World, clock: Clock
) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1", bound_object=POD)
    deleted = timestamp(datetime.fromtimestamp(clock.time, UTC))
    world.objects["pods", "ml", "worker-0"]["metadata"]["deletionTimestamp"] = deleted

    clock.time += 30
    tokens.verify(token)
    clock.time += 31
    with pytest.raises(BadToken, match="was deleted"):
        tokens.verify(token)


def test_a_token_of_a_pod_outlives_the_node(tokens: ServiceAccountTokens, world: World) -> None:
    node = BoundObject("Node", "laptop", "node-1")
    token, _ = tokens.issue("ml", "trainer", "sa-1", bound_object=POD, node=node)
    world.remove("nodes", "", "laptop")

    assert tokens.verify(token).user.uid == "sa-1"


def test_a_token_names_its_algorithm_and_key_and_no_type(tokens: ServiceAccountTokens, signing_key: SigningKey) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1")

    assert jwt.get_unverified_header(token) == {"alg": "ES256", "kid": signing_key.key_id}


def forged(header: Object, claims: Object, signature: bytes = b"x" * 64) -> str:
    return ".".join(b64(part) for part in (encode(header), encode(claims), signature))


def test_forgeries_are_refused(tokens: ServiceAccountTokens, tmp_path: Path) -> None:
    good, _ = tokens.issue("ml", "trainer", "sa-1")
    claims = jwt.decode(good, options={"verify_signature": False})
    head, body, tail = good.split(".")
    other = Pki.load_or_create(tmp_path)
    strangers = SigningKey(other.service_account_key_file).sign(claims)
    bad = [
        forged({"alg": "none"}, claims, b""),
        forged({"alg": "HS256"}, claims, b"y" * 32),
        forged({"alg": "ES256"}, claims),
        forged({"alg": "ES256"}, claims, b"\0" * 64),
        strangers,
        f"{head}.{b64(encode({**claims, 'sub': 'system:serviceaccount:kube-system:root'}))}.{tail}",
        f"{head}.{body}",
        f"{head}.{body}.!!!",
        f"{good}!",
        forged({"alg": "ES384"}, claims, b"y" * 96),
        forged({"alg": "ES256", "crit": ["b64"], "b64": False}, claims),
        "a.b.c",
        "..",
        "",
    ]

    for token in bad:
        with pytest.raises(BadToken):
            tokens.verify(token)


def test_a_token_signed_by_us_for_another_subject_is_refused(
    tokens: ServiceAccountTokens, signing_key: SigningKey
) -> None:
    good, _ = tokens.issue("ml", "trainer", "sa-1")
    claims = jwt.decode(good, options={"verify_signature": False})

    with pytest.raises(BadToken, match="subject"):
        tokens.verify(signing_key.sign({**claims, "sub": "system:serviceaccount:ml:other"}))


def test_anybody_can_check_a_token_with_the_published_keys(tokens: ServiceAccountTokens) -> None:
    token, _ = tokens.issue("ml", "trainer", "sa-1", audiences=["vault"], expiration_seconds=10**7)
    key = jwt.PyJWKSet.from_dict(tokens.jwks())[jwt.get_unverified_header(token)["kid"]]

    claims = jwt.decode(
        token,
        key,
        algorithms=["ES256"],
        audience="vault",
        issuer=ISSUER,
        options={"verify_iat": False, "verify_nbf": False},
    )

    assert claims["kubernetes.io"] == {"namespace": "ml", "serviceaccount": {"name": "trainer", "uid": "sa-1"}}


def test_the_discovery_document_points_at_the_keys(tokens: ServiceAccountTokens) -> None:
    document = tokens.discovery_document("https://127.0.0.1:6443")

    assert document["issuer"] == ISSUER
    assert document["jwks_uri"] == "https://127.0.0.1:6443/openid/v1/jwks"


def a_filled_secret(tokens: ServiceAccountTokens, world: World) -> tuple[Object, str]:
    secret = world.add("secrets", "ml", "old-token", "secret-1", type="kubernetes.io/service-account-token")
    assert tokens.fill_secret(secret, world.objects["serviceaccounts", "ml", "trainer"], b"CA")
    return secret, base64.b64decode(secret["data"]["token"]).decode()


def test_a_secret_is_filled_with_a_token_that_lasts_as_long_as_it(tokens: ServiceAccountTokens, world: World) -> None:
    secret, token = a_filled_secret(tokens, world)

    assert base64.b64decode(secret["data"]["ca.crt"]) == b"CA"
    assert base64.b64decode(secret["data"]["namespace"]) == b"ml"
    assert tokens.verify(token).user.name == "system:serviceaccount:ml:trainer"
    assert tokens.verify(token).expires is None

    world.remove("secrets", "ml", "old-token")
    with pytest.raises(BadToken, match="invalidated"):
        tokens.verify(token)


def test_filling_a_full_secret_changes_nothing(tokens: ServiceAccountTokens, world: World) -> None:
    secret, token = a_filled_secret(tokens, world)

    assert not tokens.fill_secret(secret, world.objects["serviceaccounts", "ml", "trainer"], b"CA")
    assert base64.b64decode(secret["data"]["token"]).decode() == token


def test_a_secret_whose_token_was_replaced_ends_the_old_one(tokens: ServiceAccountTokens, world: World) -> None:
    secret, token = a_filled_secret(tokens, world)
    secret["data"]["token"] = base64.b64encode(b"another").decode()

    with pytest.raises(BadToken, match="does not match"):
        tokens.verify(token)


def ask(tokens: ServiceAccountTokens, world: World, spec: Object) -> Object:
    account = world.objects["serviceaccounts", "ml", "trainer"]
    return answer_token_request(tokens, world.get, account, {"spec": spec})


def test_a_token_request_is_answered_with_a_bound_token(tokens: ServiceAccountTokens, world: World) -> None:
    ref = {"kind": "Pod", "apiVersion": "v1", "name": "worker-0", "uid": "pod-1"}

    answer = ask(tokens, world, {"boundObjectRef": ref, "expirationSeconds": 900})

    assert answer["kind"] == "TokenRequest"
    assert answer["spec"]["audiences"] == [ISSUER]
    assert answer["status"]["expirationTimestamp"] == timestamp(datetime.fromtimestamp(1_800_000_900, UTC))
    extra = tokens.verify(answer["status"]["token"]).user.extra_object()
    assert extra["authentication.kubernetes.io/node-name"] == ["laptop"]


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ({"expirationSeconds": 599}, Invalid, "may not specify a duration less than 10 minutes"),
        ({"expirationSeconds": 2**32 + 1}, Invalid, "may not specify a duration larger than 2^32 seconds"),
        ({"boundObjectRef": {"kind": "Pod", "name": "gone"}}, NotFound, 'pods "gone" not found'),
        ({"boundObjectRef": {"kind": "Pod", "name": "worker-0", "uid": "x"}}, Conflict, "does not match the UID"),
        ({"boundObjectRef": {"kind": "ConfigMap", "name": "a", "apiVersion": "v1"}}, BadRequest, "Kind=ConfigMap"),
        ({"boundObjectRef": {"kind": "Pod", "name": "stranger"}}, BadRequest, "different serviceaccount name"),
    ],
)
def test_a_bad_token_request_is_refused(
    tokens: ServiceAccountTokens, world: World, spec: Object, error: type[ApiError], message: str
) -> None:
    world.add("pods", "ml", "stranger", "pod-2", spec={"serviceAccountName": "other"})

    with pytest.raises(error) as refused:
        ask(tokens, world, spec)

    assert message in refused.value.message
