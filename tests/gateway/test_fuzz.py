"""Whatever is sent to the gateway, it answers: no 500, no traceback, no redirect elsewhere, no page without a login."""

from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform

PIECES = [
    "dex", "oauth2", "auth", "local", "login", "token", "introspect", "userinfo", "callback", "start", "sessions",
    "sign_out", "link", "keys", "approval", "healthz", "api", "notebook", "..", ".", "%2e%2e", "%2f", "%00", "%", ";",
]  # fmt: skip
PATHS = st.lists(st.sampled_from(["", *PIECES]), max_size=5).map(lambda parts: "/" + "/".join(parts))
NAMES = st.sampled_from(
    ["state", "code", "rd", "client_id", "redirect_uri", "scope", "response_type", "back", "token", "nonce"]
)
VALUES = st.one_of(
    st.sampled_from(
        ["kubeflow-oidc-authservice", "/oauth2/callback", "code", "openid", "//evil.example", "https://evil.example"]
    ),
    st.text(max_size=20),
)
FORMS = st.dictionaries(
    st.sampled_from(
        ["login", "password", "grant_type", "code", "client_id", "client_secret", "token", "refresh_token"]
    ),
    st.one_of(
        st.sampled_from(["authorization_code", "refresh_token", "kubeflow-oidc-authservice"]), st.text(max_size=20)
    ),
    max_size=5,
)
HEADER_NAMES = ["Authorization", "Cookie", "Origin", "X-Forwarded-For", "X-Forwarded-Proto", "Accept", "Content-Type"]
HEADER_VALUES = [
    "Bearer x", "Bearer a.b.c", "Basic eDp5", "Basic !", "oauth2_proxy_kubeflow=x", "oauth2_proxy_kubeflow_csrf=a.b",
    "null", "https", "application/json", "text/html", "multipart/form-data", "application/x-www-form-urlencoded", ",,,",
]  # fmt: skip
HEADERS = st.dictionaries(st.sampled_from(HEADER_NAMES), st.sampled_from(HEADER_VALUES), max_size=3)


@pytest.fixture(scope="module")
def gina(platform: Platform) -> Person:
    return a_person(platform, "gina@example.com")


def send(platform: Platform, session: requests.Session, method: str, path: str, **more: object) -> requests.Response:
    """The path as it is: requests would tidy it up."""
    fuzzed: dict[str, Any] = more
    request = session.prepare_request(requests.Request(method, platform.url, **fuzzed))
    query = urlsplit(request.url or "").query
    request.url = f"{platform.url}{path}" + (f"?{query}" if query else "")
    return session.send(request, allow_redirects=False, timeout=60)


def check(platform: Platform, path: str, answer: requests.Response) -> None:
    assert answer.status_code != 500, (path, answer.text)
    assert "Traceback" not in answer.text
    location = answer.headers.get("Location")
    if location is not None:
        end = urljoin(platform.url, location.replace("\\", "/"))
        assert urlsplit(end).netloc == urlsplit(platform.url).netloc, (path, location)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"]),
    path=PATHS,
    query=st.dictionaries(NAMES, VALUES, max_size=4),
    form=FORMS,
    headers=HEADERS,
)
def test_strangers_get_an_answer_and_nothing_else(
    platform: Platform, method: str, path: str, query: dict[str, str], form: dict[str, str], headers: dict[str, str]
) -> None:
    with requests.Session() as session:
        answer = send(
            platform, session, method, path, params=query, data=form if method != "GET" else None, headers=headers
        )

    check(platform, path, answer)
    if answer.status_code == 200:
        assert path.startswith(("/dex/", "/oauth2/")) or path == "/healthz", path
        assert "oauth2_proxy_kubeflow=" not in answer.headers.get("Set-Cookie", "")


@pytest.fixture(scope="module")
def browser(platform: Platform, gina: Person) -> Browser:
    return signed_in(platform, gina)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["GET", "POST", "DELETE"]), path=PATHS, query=st.dictionaries(NAMES, VALUES, max_size=3))
def test_a_person_who_is_signed_in_gets_no_500_either(
    platform: Platform, browser: Browser, method: str, path: str, query: dict[str, str]
) -> None:
    if "sign_out" not in path:
        check(platform, path, send(platform, browser.session, method, path, params=query))
