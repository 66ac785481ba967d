"""Users, clients and issuers of a file in dex's format, and what a client gets from the provider."""

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.gateway.browser import Browser
from tests.gateway.issuer import MOVED, Issuer, running_issuer
from tests.gateway.platform import Platform
from windlass.gateway.identity.connectors.connector import OidcConnector
from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.http_client import check_endpoint
from windlass.gateway.identity.connectors.oidc import ExternalIssuer
from windlass.gateway.identity.file_fields import BadUsersFile
from windlass.gateway.identity.static_file import parse

HASH = "$2y$12$4K/VkmDd1q1Orb3xAt82zu8gk7Ad6ReFR4LCP9UeYE90NLiN9Df72"  # of 12341234, as Kubeflow's manifests have it
CALLBACK = "https://grafana.example.com/callback"
FILE = """
issuer: http://dex.auth.svc.cluster.local:5556/dex
storage: {{type: kubernetes}}
enablePasswordDB: true
staticPasswords:
- email: static@example.com
  hash: {hash}
  username: static
  userID: "15841185641784"
  groups: [ml-team]
staticClients:
- id: grafana
  secret: grafana-secret
  redirectURIs: ["{callback}"]
- id: cli
  public: true
  redirectURIs: ["http://127.0.0.1:8000/callback"]
connectors:
- type: oidc
  id: company
  name: Company login
  config: {{issuer: "{issuer}", clientID: windlass, clientSecret: their-secret}}
"""
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def issuer(platform: Platform) -> Iterator[Issuer]:
    path = platform.data_dir / "users.yaml"
    with running_issuer() as running:
        path.write_text(FILE.format(hash=HASH, callback=CALLBACK, issuer=running.url))
        yield running
        path.unlink()


def authorize(platform: Platform, **more: str) -> str:
    """The URL of an authorization request of Grafana's."""
    query = {"client_id": "grafana", "redirect_uri": CALLBACK, "response_type": "code", "state": "s", "nonce": "n"}
    query |= {"scope": "openid email groups profile offline_access", **more}
    return f"{platform.url}/dex/auth?{urlencode(query)}"


def code_for(platform: Platform, **more: str) -> str:
    browser = Browser(platform.url)
    page = browser.get(authorize(platform, **more))
    sent = browser.post(page.url, data={"login": "static@example.com", "password": "12341234"}, allow_redirects=False)
    assert sent.status_code == 303, sent.text
    end = sent.headers["Location"]
    query = parse_qs(urlsplit(end).query)
    assert end.startswith(more.get("redirect_uri", CALLBACK))
    assert query["state"] == ["s"]
    return query["code"][0]


def token(platform: Platform, **form: str) -> requests.Response:
    return requests.post(f"{platform.url}/dex/token", data=form, auth=("grafana", "grafana-secret"), timeout=60)


def grant(platform: Platform, code: str, **more: str) -> requests.Response:
    return token(platform, grant_type="authorization_code", code=code, redirect_uri=CALLBACK, **more)


def claims_of(platform: Platform, id_token: str) -> dict[str, Any]:
    keys = requests.get(f"{platform.url}/dex/keys", timeout=60).json()
    assert all("d" not in key for key in keys["keys"]), "private parts stay here"
    return jwt.decode(id_token, KeySet.import_key_set(keys), ["RS256"]).claims


def test_bcrypt_hashes_of_a_dex_configuration_sign_in(platform: Platform, issuer: Issuer) -> None:
    browser = Browser(platform.url)

    assert browser.sign_in("static@example.com", "12341234").status_code == 200
    assert browser.get("/oauth2/userinfo").json()["groups"] == ["ml-team"]


@pytest.mark.parametrize("headers", [{"Host": "rebound.example:8080"}, {"X-Forwarded-For": "203.0.113.7"}])
def test_the_published_password_counts_on_this_machine_only(
    platform: Platform, issuer: Issuer, headers: dict[str, str]
) -> None:
    """A site may make its name lead here, and knows the password; a proxy here may serve other machines."""
    browser = Browser(platform.url)
    page = browser.login_page()
    form = {"login": "static@example.com", "password": "12341234"}

    refused = browser.post(page.url, data=form, headers=headers, allow_redirects=False)

    assert refused.status_code == 403
    assert "counts only on the machine" in refused.text
    assert browser.post(page.url, data=form, allow_redirects=False).status_code == 303


def test_discovery_names_dexs_endpoints(platform: Platform) -> None:
    found = requests.get(f"{platform.url}/dex/.well-known/openid-configuration", timeout=60).json()

    issuer = f"{platform.url}/dex"
    assert found["issuer"] == issuer
    endpoints = {"authorization": "auth", "token": "token", "userinfo": "userinfo", "introspection": "token/introspect"}
    assert {name: found[f"{name}_endpoint"] for name in endpoints} == {n: f"{issuer}/{p}" for n, p in endpoints.items()}
    assert found["jwks_uri"] == f"{issuer}/keys"
    assert requests.get(f"{issuer}/healthz", timeout=60).status_code == 200


def test_a_client_gets_dexs_claims_for_a_code(platform: Platform, issuer: Issuer) -> None:
    answer = grant(platform, code_for(platform))
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    claims = claims_of(platform, answer.json()["id_token"])

    assert claims.keys() == {
        "iss", "sub", "aud", "exp", "iat", "nonce", "at_hash", "email", "email_verified", "groups", "name",
        "preferred_username",
    }  # fmt: skip
    assert (claims["iss"], claims["aud"], claims["nonce"]) == (f"{platform.url}/dex", "grafana", "n")
    assert (claims["sub"], claims["email"], claims["groups"]) == ("15841185641784", "static@example.com", ["ml-team"])
    assert claims["exp"] - claims["iat"] == 24 * 3600
    bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    userinfo = requests.get(f"{platform.url}/dex/userinfo", headers=bearer, timeout=60)
    assert userinfo.json()["email"] == "static@example.com"


def test_a_code_is_bound_to_its_client_and_redirect_and_counts_once(platform: Platform, issuer: Issuer) -> None:
    code = code_for(platform)

    wrong = token(platform, grant_type="authorization_code", code=code, redirect_uri="https://other.example")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "invalid_grant")
    other = requests.post(
        f"{platform.url}/dex/token",
        data={"grant_type": "authorization_code", "code": code, "client_id": "cli", "code_verifier": VERIFIER},
        timeout=60,
    )
    assert other.json()["error"] == "invalid_grant"
    assert grant(platform, code).status_code == 200
    assert grant(platform, code).json()["error"] == "invalid_grant"


def test_pkce_needs_the_verifier(platform: Platform, issuer: Issuer) -> None:
    more = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}

    assert grant(platform, code_for(platform, **more)).json()["error"] == "invalid_request"
    assert grant(platform, code_for(platform, **more), code_verifier="w" * 43).json()["error"] == "invalid_grant"
    assert grant(platform, code_for(platform, **more), code_verifier=VERIFIER).status_code == 200


def test_a_public_client_has_no_secret_but_must_use_pkce(platform: Platform, issuer: Issuer) -> None:
    redirect = "http://127.0.0.1:8000/callback"
    more = {"client_id": "cli", "redirect_uri": redirect}
    form = {"grant_type": "authorization_code", "client_id": "cli", "redirect_uri": redirect}
    url = f"{platform.url}/dex/token"
    without = requests.post(url, data={**form, "code": code_for(platform, **more)}, timeout=60)
    challenge = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    proven = {**form, "code": code_for(platform, **more, **challenge), "code_verifier": VERIFIER}

    assert without.status_code == 400
    assert requests.post(url, data=proven, timeout=60).status_code == 200


def test_a_refresh_token_counts_once_and_gives_another(platform: Platform, issuer: Issuer) -> None:
    first = grant(platform, code_for(platform)).json()["refresh_token"]
    second = token(platform, grant_type="refresh_token", refresh_token=first).json()

    assert claims_of(platform, second["id_token"])["email"] == "static@example.com"
    assert second["refresh_token"] != first
    assert token(platform, grant_type="refresh_token", refresh_token=first).json()["error"] == "invalid_grant"
    without = grant(platform, code_for(platform, scope="openid email")).json()
    assert "refresh_token" not in without, "only for who asks for offline_access"


def test_introspection_is_for_the_tokens_client_alone(platform: Platform, issuer: Issuer) -> None:
    access_token = grant(platform, code_for(platform)).json()["access_token"]
    url, form = f"{platform.url}/dex/token/introspect", {"token": access_token}
    found = requests.post(url, data=form, auth=("grafana", "grafana-secret"), timeout=60).json()

    assert (found["active"], found["email"], found["client_id"]) == (True, "static@example.com", "grafana")
    assert requests.post(url, data=form, auth=("grafana", "wrong"), timeout=60).status_code == 401
    assert requests.post(url, data=form, timeout=60).status_code == 401
    forged = requests.post(url, data={"token": "a.b.c"}, auth=("grafana", "grafana-secret"), timeout=60).json()
    assert forged == {"active": False}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"client_id": "unknown"}, "client"),
        ({"redirect_uri": "https://evil.example/"}, "redirect"),
        ({"redirect_uri": "https://grafana.example.com/callback/../x"}, "redirect"),
    ],
)
def test_a_bad_authorization_request_is_shown_and_not_redirected(
    platform: Platform, issuer: Issuer, more: dict[str, str], words: str
) -> None:
    answer = requests.get(authorize(platform, **more), allow_redirects=False, timeout=60)

    assert answer.status_code == 400
    assert words in answer.text.lower()


def test_another_response_type_is_an_error_at_the_client(platform: Platform, issuer: Issuer) -> None:
    answer = requests.get(authorize(platform, response_type="token"), allow_redirects=False, timeout=60)

    assert answer.headers["Location"].startswith(f"{CALLBACK}?error=unsupported_response_type")


def test_rotation_adds_a_key_and_old_tokens_stay_valid(platform: Platform, issuer: Issuer) -> None:
    old = grant(platform, code_for(platform)).json()["id_token"]
    assert platform.windlass("user", "rotate").returncode == 0
    new = grant(platform, code_for(platform)).json()["id_token"]

    kids = [json.loads(base64.urlsafe_b64decode(one.split(".")[0] + "=="))["kid"] for one in (old, new)]
    assert kids[0] != kids[1]
    assert claims_of(platform, old)["email"] == claims_of(platform, new)["email"]


async def test_an_issuer_that_redirects_is_not_followed() -> None:
    with running_issuer() as running:
        connector = OidcConnector("company", "Company", f"{running.url}{MOVED}", "windlass", "their-secret")
        with pytest.raises(ConnectorFailed, match=r"/moved/\.well-known/openid-configuration answers 302"):
            await ExternalIssuer(connector, CALLBACK).departure()


@pytest.mark.parametrize(
    ("endpoint", "url", "why"),
    [
        ("jwks_uri", "http://169.254.169.254/keys", "not a public address"),
        ("jwks_uri", "http://[fd00:ec2::254]/keys", "not a public address"),
        ("jwks_uri", "http://[::ffff:127.0.0.1]/keys", "not a public address"),
        ("jwks_uri", "http://10.0.0.1:6443/keys", "not a public address"),
        ("jwks_uri", "http://localhost:{port}/keys", "no public address"),
        ("jwks_uri", "file:///etc/passwd", "cannot be used"),
        ("jwks_uri", "http://user@127.0.0.1:{port}/keys", "cannot be used"),
        ("jwks_uri", "http://[", "no URL"),
        ("token_endpoint", "http://192.168.1.1/token", "not a public address"),
        ("token_endpoint", "http://localhost:{port}/token", "no public address"),
        ("authorization_endpoint", "javascript:alert(1)", "cannot be used"),
    ],
)
async def test_an_issuer_names_no_address_of_the_gateways_networks(endpoint: str, url: str, why: str) -> None:
    """Only the issuer's own host, which the administrator has written down, may be anywhere."""
    with running_issuer() as running:
        running.endpoints[endpoint] = url.format(port=urlsplit(running.url).port)
        issuer = ExternalIssuer(OidcConnector("company", "Company", running.url, "windlass", "their-secret"), CALLBACK)
        with pytest.raises(ConnectorFailed, match=why):
            await issuer.arrival("the-code", (await issuer.departure())[1])


def test_an_issuer_with_https_names_no_endpoint_without() -> None:
    check_endpoint("https://id.example", "token_endpoint", "https://tokens.example/token")
    with pytest.raises(ConnectorFailed, match="cannot be used"):
        check_endpoint("https://id.example", "token_endpoint", "http://tokens.example/token")


def test_a_person_of_an_external_issuer_signs_in(platform: Platform, issuer: Issuer) -> None:
    issuer.claims = {
        "sub": "7",
        "email": "Eve@Example.com",
        "email_verified": True,
        "groups": ["ops", "system:masters"],
    }
    browser = Browser(platform.url)
    page = browser.login_page()
    assert "Continue with Company login" in page.text
    link = page.text.split('class="button quiet" href="')[1].split('"')[0].replace("&amp;", "&")
    end = browser.get(link)

    assert end.status_code == 200, end.text
    assert end.url == f"{platform.url}/"
    facts = browser.get("/oauth2/userinfo").json()
    assert (facts["email"], facts["groups"]) == ("eve@example.com", ["ops"]), "nobody becomes Kubernetes' administrator"
    assert "company" in platform.windlass("user", "list").stdout


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "7", "email": "static@example.com", "email_verified": True},
        {"sub": "7", "email": "unverified@example.com", "email_verified": False},
        {"sub": "7"},
        {"sub": "7", "email": "ok@example.com", "aud": "another"},
        {"sub": "7", "email": "ok@example.com", "nonce": "another"},
        {"sub": "7", "email": "ok@example.com", "exp": 1},
    ],
    ids=["a local user's address", "unverified", "no address", "audience", "nonce", "expired"],
)
def test_what_an_external_issuer_says_is_checked(platform: Platform, issuer: Issuer, claims: dict[str, Any]) -> None:
    issuer.claims = claims
    browser = Browser(platform.url)
    link = browser.login_page().text.split('class="button quiet" href="')[1].split('"')[0].replace("&amp;", "&")
    end = browser.get(link)

    assert end.status_code == 403
    assert "Sign-in failed" in end.text
    assert "oauth2_proxy_kubeflow" not in browser.cookies


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("staticPasswords: 7", "staticPasswords is not a list"),
        ("staticPasswords: [{email: a@b}]", "staticPasswords[0].hash"),
        ("staticPasswords: [{email: ab, hash: $2y$x}]", "staticPasswords[0].email"),
        ("staticPasswords: [{email: a@b, hash: secret}]", "neither bcrypt"),
        ("staticPasswords: [{email: a@b, hash: $2y$x, groups: ['system:masters']}]", "system:"),
        ("staticClients: [{id: a}]", "staticClients[0].secret"),
        ("connectors: [{type: saml, id: a}]", "'saml' is not supported"),
        ("connectors: [{type: oidc, id: local, config: {}}]", "connectors[0].id"),
        ("- a", "not a mapping"),
        ("{", "not YAML"),
    ],
)
def test_a_broken_file_names_the_entry(text: str, words: str) -> None:
    with pytest.raises(BadUsersFile) as error:
        parse(text, {})

    assert words in str(error.value)


def test_a_hash_may_come_from_the_environment() -> None:
    config = parse("staticPasswords: [{email: a@b, hashFromEnv: DEX_USER_PASSWORD}]", {"DEX_USER_PASSWORD": HASH})

    assert config.users[0].password_hash == HASH
