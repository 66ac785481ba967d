"""Bearer tokens at the gateway and at the API server: one person, one RBAC."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import requests

from tests.gateway.browser import Browser, Person, a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

NAMESPACES = "/api/v1/namespaces"


@pytest.fixture(scope="module")
def dora(platform: Platform) -> Person:
    return a_person(platform, "dora@example.com", "readers")


@pytest.fixture(scope="module")
def may_read(platform: Platform) -> None:
    """Group `readers` may list namespaces."""
    platform.api.create(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        {
            "metadata": {"name": "readers"},
            "rules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}],
        },
    )
    platform.api.create(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        {
            "metadata": {"name": "readers"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "readers"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "readers"}],
        },
    )


def who(platform: Platform, token: str, path: str = "/oauth2/userinfo") -> requests.Response:
    return requests.get(f"{platform.url}{path}", headers={"Authorization": f"Bearer {token}"}, timeout=60)


def access_token(platform: Platform, person: Person, *flags: str) -> str:
    done = platform.windlass("user", "token", person.email, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_access_token_is_the_person_at_the_gateway_and_at_the_api(
    platform: Platform, dora: Person, may_read: None
) -> None:
    token = access_token(platform, dora, "--name", "both")

    assert who(platform, token).json()["email"] == dora.email
    assert platform.api.request("GET", NAMESPACES, token=token).status == 200
    refused = platform.api.request("GET", "/api/v1/secrets", token=token)
    assert refused.status == 403
    assert dora.email in refused.json()["message"]


def test_a_token_counts_only_in_its_scope(platform: Platform, dora: Person, may_read: None) -> None:
    api = access_token(platform, dora, "--name", "api", "--scope", "api")
    gateway = access_token(platform, dora, "--name", "gateway", "--scope", "gateway")

    assert who(platform, api).status_code == 401
    assert who(platform, gateway).status_code == 200
    assert platform.api.request("GET", NAMESPACES, token=api).status == 200
    assert platform.api.request("GET", NAMESPACES, token=gateway).status == 401


def test_a_revoked_token_counts_no_more(platform: Platform, dora: Person, may_read: None) -> None:
    token = access_token(platform, dora, "--name", "gone")
    assert platform.api.request("GET", NAMESPACES, token=token).status == 200
    assert "gone" in platform.windlass("user", "token", dora.email, "--list").stdout
    assert platform.windlass("user", "token", dora.email, "--revoke", "gone").returncode == 0

    assert who(platform, token).status_code == 401, "at once"
    refused = lambda: platform.api.request("GET", NAMESPACES, token=token).status == 401  # noqa: E731
    eventually(refused, 30, "the API server asks again")


def test_an_expired_token_is_refused(platform: Platform, dora: Person) -> None:
    token = access_token(platform, dora, "--name", "brief", "--days", "0.001")
    database = platform.data_dir / "gateway" / "gateway.db"
    subprocess.run(["python3", "-c", EXPIRE, str(database)], check=True)

    assert who(platform, token).status_code == 401


EXPIRE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE access_tokens SET expires = 1 WHERE name = 'brief'")
connection.commit()
"""


def test_an_id_token_is_the_person_at_the_gateway_and_at_the_api(
    platform: Platform, dora: Person, may_read: None
) -> None:
    """The gateway's own client, as a program would use it that keeps the ID token."""
    token = id_token(platform, dora)

    assert who(platform, token).json()["email"] == dora.email
    assert platform.api.request("GET", NAMESPACES, token=token).status == 200
    tampered = token[:-6] + ("AAAAAA" if not token.endswith("AAAAAA") else "BBBBBB")
    assert who(platform, tampered).status_code == 401
    assert platform.api.request("GET", NAMESPACES, token=tampered).status == 401


def id_token(platform: Platform, person: Person) -> str:
    from urllib.parse import parse_qs, urlencode, urlsplit

    query = {"client_id": "kubeflow-oidc-authservice", "redirect_uri": "/oauth2/callback", "response_type": "code"}
    query |= {"scope": "openid email groups"}
    browser = Browser(platform.url)
    page = browser.get(f"/dex/auth?{urlencode(query)}")
    sent = browser.post(page.url, data={"login": person.email, "password": person.password}, allow_redirects=False)
    code = parse_qs(urlsplit(sent.headers["Location"]).query)["code"][0]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": "/oauth2/callback"}
    secret = subprocess.run(
        ["python3", "-c", SECRET, str(platform.data_dir / "gateway" / "gateway.db")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    auth = ("kubeflow-oidc-authservice", secret.stdout.strip())
    return requests.post(f"{platform.url}/dex/token", data=form, auth=auth, timeout=60).json()["id_token"]


SECRET = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT value FROM secrets WHERE name = 'client'").fetchone()[0])
"""


def test_the_token_of_a_removed_user_is_refused(platform: Platform) -> None:
    person = a_person(platform, "short@example.com")
    tokens = [access_token(platform, person), id_token(platform, person)]
    assert [who(platform, token).status_code for token in tokens] == [200, 200]
    assert platform.windlass("user", "rm", person.email).returncode == 0

    assert [who(platform, token).status_code for token in tokens] == [401, 401]


def test_a_service_account_is_itself_at_the_gateway(platform: Platform) -> None:
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    eventually(lambda: platform.api.request("GET", account).status == 200, 60, "the default service account")

    def token(*audiences: str) -> str:
        spec = {"audiences": list(audiences)} if audiences else {}
        return platform.api.create(f"{account}/token", {"spec": spec})["status"]["token"]

    found = who(platform, token()).json()
    assert found["email"] == "system:serviceaccount:default:default"
    assert "system:serviceaccounts:default" in found["groups"]
    assert who(platform, token("elsewhere.example.com")).status_code == 401
    pipelines = token("pipelines.kubeflow.org")
    assert who(platform, pipelines).status_code == 401
    assert who(platform, pipelines, "/pipeline/apis/v2beta1/runs").status_code != 401


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "wlp_", "wlp_" + "A" * 43, "é", "x" * 20_000, "e30.e30.e30"])
def test_a_bad_token_is_401_and_never_a_redirect(platform: Platform, token: str) -> None:
    header = {"Authorization": f"Bearer {token}".encode()}
    answer = requests.get(f"{platform.url}/", headers=header, allow_redirects=False, timeout=60)

    assert answer.status_code in (400, 401), answer.text
    assert "Location" not in answer.headers


def test_other_ways_of_authorization_are_refused(platform: Platform, dora: Person) -> None:
    answer = requests.get(f"{platform.url}/", auth=(dora.email, dora.password), allow_redirects=False, timeout=60)

    assert answer.status_code == 401


def test_the_token_of_a_page_for_its_own_server_leaves_the_session_in_force(platform: Platform, dora: Person) -> None:
    browser = Browser(platform.url)
    browser.sign_in(dora.email, dora.password)

    assert browser.get("/", headers={"Authorization": "token of-a-jupyter-server"}).status_code == 200
    assert browser.get("/", headers={"Authorization": "Bearer of-nobody"}).status_code == 401


def test_a_bearer_token_needs_no_csrf_header_but_a_session_does(platform: Platform, dora: Person) -> None:
    url = f"{platform.url}/jupyter/api/namespaces/default/notebooks"
    bearer = {"Authorization": f"Bearer {access_token(platform, dora, '--name', 'csrf')}"}
    browser = Browser(platform.url)
    browser.sign_in(dora.email, dora.password)
    by_session = browser.post(url, json={})
    assert "XSRF-TOKEN" not in requests.post(url, json={}, headers=bearer, timeout=60).text
    assert by_session.status_code == 403
    assert "XSRF-TOKEN" in by_session.json()["log"]
    from_elsewhere = browser.post(f"{platform.url}/pipeline/apis/x", headers={"Origin": "https://evil.example"})
    assert (from_elsewhere.status_code, from_elsewhere.json()["user"]) == (403, dora.email)


@pytest.mark.kubectl
def test_kubectl_is_the_person_with_their_own_kubeconfig(platform: Platform, dora: Person, may_read: None) -> None:
    done = platform.windlass("kubeconfig", "--user", dora.email)
    assert done.returncode == 0, done.stderr
    path = Path(done.stdout.strip())
    assert path.stat().st_mode & 0o077 == 0

    def kubectl(*words: str) -> str:
        argv = [KUBECTL or "kubectl", "--kubeconfig", str(path), *words]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60).stdout

    assert "default" in kubectl("get", "namespaces", "-o", "name")
    assert kubectl("auth", "can-i", "get", "secrets").strip() == "no"
    merged = platform.windlass("kubeconfig", "--user", dora.email, "--merge")
    assert f"Context `windlass-{dora.email}` is in" in merged.stdout
    assert f"windlass-{dora.email}" in (platform.home / ".kube" / "config").read_text()


def test_open_makes_a_link_that_signs_in_once(platform: Platform, dora: Person) -> None:
    link = platform.windlass("open", "--print", "--user", dora.email).stdout.strip()
    assert re.fullmatch(rf"{re.escape(platform.url)}/oauth2/link\?token=[\w-]{{43}}", link)
    browser = Browser(platform.url)
    first = browser.get(link)

    assert (first.url, first.status_code) == (f"{platform.url}/", 200)
    assert browser.get("/oauth2/userinfo").json()["email"] == dora.email
    again = Browser(platform.url)
    assert again.get(link).status_code == 403
    assert "oauth2_proxy_kubeflow" not in again.cookies


def test_what_people_do_with_rights_and_secrets_is_in_the_audit_log(platform: Platform, dora: Person) -> None:
    token = access_token(platform, dora, "--name", "audited")
    assert platform.api.request("GET", "/api/v1/namespaces/kube-system/secrets/a", token=token).status == 403
    assert platform.api.request("GET", "/api/v1/namespaces/default/pods", token=token).status == 403
    platform.api.request("PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/none", {})

    def events() -> list[tuple[str, str]]:
        lines = platform.audit_log.read_text().splitlines()
        found = [event for line in lines if line.endswith("}") and "objectRef" in (event := json.loads(line))]
        return [(event["user"]["username"], event["objectRef"]["resource"]) for event in found]

    eventually(lambda: ("kubernetes-admin", "clusterroles") in events(), 30, "the change of a role")
    found = events()
    assert (dora.email, "secrets") in found
    assert (dora.email, "pods") not in found, "ordinary requests are not recorded"


def test_the_first_user_gets_a_profile(platform: Platform) -> None:
    """As soon as the kind is served."""
    path = "/apis/kubeflow.org/v1/profiles/kubeflow-user-example-com"
    if platform.api.request("GET", "/apis/kubeflow.org/v1/profiles").status == 404:
        pytest.skip("the API server serves no Profile kind")
    profile = eventually(lambda: (answer := platform.api.request("GET", path)).status == 200 and answer.json(), 60)

    assert profile["spec"]["owner"] == {"kind": "User", "name": "user@example.com"}
