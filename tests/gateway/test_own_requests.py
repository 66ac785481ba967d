"""The gateway's own authorization requests need no library to be recognised, and nothing else is taken for one."""

from typing import Any

import pytest
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from hypothesis import given
from hypothesis import strategies as st
from multidict import MultiDict

from windlass.gateway.identity.own_requests import challenge_of, is_own_request, own_request

OWN = own_request(state="s", nonce="n", verifier="v" * 43)


@given(st.text("abcXYZ019-._~", min_size=43, max_size=128))
def test_the_challenge_is_that_of_authlib(verifier: str) -> None:
    assert challenge_of(verifier) == create_s256_code_challenge(verifier)


def test_the_challenge_is_that_of_the_rfc() -> None:
    assert challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "another"},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "//evil.example/oauth2/callback"},
        {"response_type": "token"},
        {"scope": "openid offline_access"},
        {"code_challenge": ""},
        {"code_challenge": "short"},
        {"code_challenge_method": "plain"},
        {"state": ""},
        {"nonce": ""},
        {"prompt": "none"},
    ],
)
def test_any_other_request_is_left_to_the_library(change: dict[str, Any]) -> None:
    assert is_own_request(OWN)
    assert not is_own_request({**OWN, **change})
    for name in OWN:
        assert not is_own_request({key: value for key, value in OWN.items() if key != name})


def test_a_parameter_that_is_repeated_is_left_to_the_library() -> None:
    repeated = MultiDict(OWN)
    repeated.add("redirect_uri", "https://evil.example/")

    assert not is_own_request(repeated)
