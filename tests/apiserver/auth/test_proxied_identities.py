"""Tokens by which the API server says whose request it proxies."""

import pytest

from windlass.apis.proxied_identity import AUDIENCE, is_pipelines_api
from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.jws import BadToken
from windlass.apiserver.auth.proxied_identities import LIFE_SECONDS, MAX_TOKENS, ProxiedIdentities
from windlass.apiserver.auth.user import User
from windlass.kube.errors import Unauthorized

ANNA = User("anna@example.com")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_token_stands_for_its_user_for_a_minute() -> None:
    clock = Clock()
    identities = ProxiedIdentities(clock)
    token = identities.issue(ANNA)

    assert identities.find(token) == ANNA
    assert identities.find(token[:-1] + "?") is None
    clock.now += LIFE_SECONDS
    assert identities.find(token) is None


def test_tokens_of_the_past_are_dropped_and_there_are_never_too_many() -> None:
    clock = Clock()
    identities = ProxiedIdentities(clock)
    first = identities.issue(ANNA)
    issued = [identities.issue(ANNA) for _ in range(MAX_TOKENS + 5)]

    assert identities.find(first) is None
    assert identities.find(issued[-1]) == ANNA
    assert len(identities._users) <= MAX_TOKENS  # pyright: ignore[reportPrivateUsage] - what is kept has a bound


def test_it_is_known_for_its_audience_alone_and_is_no_credential_of_the_server() -> None:
    authenticator = Authenticator()
    token = authenticator.proxied.issue(ANNA)

    assert authenticator.verify_token(token, [AUDIENCE]).user == ANNA
    for audiences in ([], ["https://kubernetes.default.svc"]):
        with pytest.raises(BadToken):
            authenticator.verify_token(token, audiences)
    with pytest.raises(Unauthorized):
        authenticator.authenticate(f"Bearer {token}".encode())


def test_only_the_pipelines_api_gets_one() -> None:
    assert is_pipelines_api("kubeflow", "ml-pipeline")
    assert not is_pipelines_api("anna", "ml-pipeline")
    assert not is_pipelines_api("kubeflow", "minio-service")
