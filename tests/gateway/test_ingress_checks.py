"""The answers to Istio's ingress: who has a session, by a token that opens nothing at the gateway."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.gateway.browser import Browser, a_person, signed_in
from tests.gateway.platform import Platform

CHECK = "/oauth2/auth"


@pytest.fixture(scope="module")
def browser(platform: Platform) -> Browser:
    return signed_in(platform, a_person(platform, "through-the-ingress@example.com"))


def token_of(browser: Browser) -> str:
    answer = browser.get(f"{CHECK}/jupyter/")
    assert answer.status_code == 200, answer.text
    return answer.headers["Authorization"]


@pytest.mark.parametrize("path", ["/", "/jupyter/?ns=ml", "/notebook/ml/lab/tree/a%20b"])
def test_a_page_without_a_session_is_sent_to_the_login_and_back(platform: Platform, path: str) -> None:
    answer = requests.get(f"{platform.url}{CHECK}{path}", allow_redirects=False, timeout=30)

    assert answer.status_code == 302
    place = urlsplit(answer.headers["Location"])
    assert (place.path, parse_qs(place.query)) == ("/oauth2/start", {"rd": [path]})


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_program_without_a_session_is_refused(platform: Platform, method: str) -> None:
    url = f"{platform.url}{CHECK}/jupyter/api/namespaces"
    answer = requests.request(method, url, allow_redirects=False, timeout=30)

    assert (answer.status_code, answer.json()["success"]) == (401, False)


def test_a_session_is_named_by_a_token_of_the_issuer(platform: Platform, browser: Browser) -> None:
    keys = KeySet.import_key_set(requests.get(f"{platform.url}/dex/keys", timeout=30).json())
    claims = jwt.decode(token_of(browser).removeprefix("Bearer "), keys, ["RS256"]).claims
    discovery = requests.get(f"{platform.url}/dex/.well-known/openid-configuration", timeout=30).json()

    assert claims["iss"] == discovery["issuer"]
    assert (claims["email"], claims["groups"]) == ("through-the-ingress@example.com", [])
    assert claims["exp"] - claims["iat"] == 60


def test_the_token_is_no_credential(platform: Platform, browser: Browser) -> None:
    bearer = token_of(browser)
    asked = requests.get(f"{platform.url}/jupyter/api/namespaces", headers={"Authorization": bearer}, timeout=30)

    assert asked.status_code == 401
    assert platform.api.request("GET", "/api/v1/namespaces", token=bearer.removeprefix("Bearer ")).status == 401


def test_a_request_with_cookie_and_token_is_the_sessions_and_needs_the_csrf_header(browser: Browser) -> None:
    headers = {"Authorization": token_of(browser)}
    assert browser.get("/jupyter/api/namespaces", headers=headers).status_code == 200

    refused = browser.post("/jupyter/api/namespaces/none/notebooks", headers=headers, json={})

    assert refused.status_code == 403
    assert "CSRF" in refused.json()["log"]


def test_keys_that_the_api_server_does_not_show_are_not_made_up(platform: Platform) -> None:
    """The embedded gateway is no service account, which alone may read them."""
    assert requests.get(f"{platform.url}/oauth2/cluster-keys", timeout=30).status_code == 503
