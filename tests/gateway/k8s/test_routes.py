"""The Kubernetes API through the gateway: with the rights of the user, whatever the request claims."""

import json
import socket
from collections.abc import Iterator

import pytest
import requests

from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace

NAMESPACE = "through-api"
CONFIG_MAPS = f"/api/k8s/api/v1/namespaces/{NAMESPACE}/configmaps"
WHO_AM_I = "/api/k8s/apis/authentication.k8s.io/v1/selfsubjectreviews"
IMPERSONATION = (
    "Impersonate-User", "impersonate-user", "IMPERSONATE-USER", "Impersonate_User", "impersonate_user",
    "X-Remote-User", "X-Forwarded-User", "kubeflow-userid",
)  # fmt: skip


@pytest.fixture(scope="module")
def editor(platform: Platform) -> Person:
    person = a_person(platform, "api-editor@example.com")
    make_namespace(platform, NAMESPACE, person)
    return person


@pytest.fixture
def browser(platform: Platform, editor: Person) -> Browser:
    return signed_in(platform, editor)


def send(browser: Browser, method: str, path: str, **more: object) -> requests.Response:
    headers = {"X-XSRF-TOKEN": browser.cookies["XSRF-TOKEN"], **(more.pop("headers", None) or {})}  # type: ignore[dict-item]
    return browser.session.request(method, f"{browser.url}{path}", headers=headers, timeout=60, **more)  # type: ignore[arg-type]


def config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}}


def test_objects_are_made_changed_and_deleted_in_the_users_name(browser: Browser) -> None:
    created = send(browser, "POST", CONFIG_MAPS, json=config_map("one"))
    patched = send(
        browser,
        "PATCH",
        f"{CONFIG_MAPS}/one",
        data=json.dumps({"data": {"a": "c"}}),
        headers={"Content-Type": "application/merge-patch+json"},
    )
    deleted = send(browser, "DELETE", f"{CONFIG_MAPS}/one")

    assert [answer.status_code for answer in (created, patched, deleted)] == [201, 200, 200]
    assert patched.json()["data"] == {"a": "c"}
    assert browser.get(f"{CONFIG_MAPS}/one").json()["reason"] == "NotFound"


def test_other_namespaces_are_forbidden(browser: Browser) -> None:
    answer = browser.get("/api/k8s/api/v1/namespaces/kube-system/secrets")

    assert (answer.status_code, answer.json()["kind"], answer.json()["reason"]) == (403, "Status", "Forbidden")
    assert "api-editor@example.com" in answer.json()["message"]


@pytest.mark.parametrize("header", IMPERSONATION)
def test_a_request_cannot_choose_another_user(browser: Browser, header: str) -> None:
    claimed = {header: "system:admin", "Impersonate-Group": "system:masters", "Impersonate-Uid": "1"}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = send(browser, "POST", WHO_AM_I, json=body, headers=claimed)

    assert answer.status_code == 201, answer.text
    assert answer.json()["status"]["userInfo"]["username"] == "api-editor@example.com"
    assert "system:masters" not in answer.json()["status"]["userInfo"]["groups"]
    assert browser.get("/api/k8s/api/v1/secrets", headers=claimed).status_code == 403


def test_unsafe_requests_need_the_token_of_the_page(browser: Browser) -> None:
    answer = browser.post(CONFIG_MAPS, json=config_map("forged"))

    assert answer.status_code == 403
    assert "XSRF" in answer.json()["error"]


def test_without_a_session_nothing_is_answered(platform: Platform) -> None:
    assert requests.get(f"{platform.url}/api/k8s/version", timeout=60).status_code == 401


def test_a_body_that_is_too_large_is_refused(browser: Browser) -> None:
    large = {**config_map("large"), "data": {"a": "x" * (3 << 20)}}

    assert send(browser, "POST", CONFIG_MAPS, json=large).status_code == 413
    chunks: Iterator[bytes] = (b"x" * (1 << 20) for _ in range(5))
    assert send(browser, "POST", CONFIG_MAPS, data=chunks).status_code == 413


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "v4.channel.k8s.io",
}


def test_connections_into_pods_are_refused(browser: Browser) -> None:
    for upgrade, what in ((UPGRADE, "portforward"), (UPGRADE, "attach"), ({}, "exec?command=sh")):
        answer = browser.get(f"/api/k8s/api/v1/namespaces/{NAMESPACE}/pods/none/{what}", headers=upgrade)

        assert answer.status_code == 403
        assert "kubectl" in answer.json()["message"]


def test_a_command_in_a_pod_is_decided_on_by_the_api_server(browser: Browser) -> None:
    def answered(namespace: str) -> tuple[int, str]:
        path = f"/api/k8s/api/v1/namespaces/{namespace}/pods/none/exec?command=sh&stdout=true"
        answer = browser.get(path, headers={**UPGRADE, "Origin": browser.url})
        return answer.status_code, answer.json()["message"]

    assert answered(NAMESPACE) == (404, 'pods "none" not found')
    code, message = answered("kube-system")
    assert code == 403
    assert message == 'api-editor@example.com may not create pods/exec "none" in namespace "kube-system"'


def test_a_watch_is_passed_on_event_by_event_and_ends_with_the_session(platform: Platform, browser: Browser) -> None:
    watching = browser.get(f"{CONFIG_MAPS}?watch=true&fieldSelector=metadata.name=seen", stream=True)
    lines = watching.iter_lines(chunk_size=1)
    send(browser, "POST", CONFIG_MAPS, json=config_map("seen"))

    assert json.loads(next(lines))["object"]["metadata"]["name"] == "seen"
    browser.get("/oauth2/sign_out", allow_redirects=False)
    with pytest.raises((requests.RequestException, StopIteration)):
        next(lines)


def test_a_client_that_goes_takes_its_watch_along(platform: Platform, browser: Browser) -> None:
    before = platform.end_of_log()
    host, _, port = platform.url.removeprefix("http://").partition(":")
    cookie = f"oauth2_proxy_kubeflow={browser.cookies['oauth2_proxy_kubeflow']}"
    with socket.create_connection((host, int(port)), timeout=30) as link:
        head = f"GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n\r\n"
        link.sendall(head.encode())
        assert b" 200 " in link.recv(65536)

    assert browser.get("/healthz").text == "ok"
    assert "Traceback" not in platform.log_after(before)
