"""Who gets in: token files, client certificates, nobody without either; and what the audit log keeps of it."""

import base64
import http.client
import json
import ssl
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import Windlass, eventually, running
from windlass.apiserver.pki import Pki

TOKENS = 'janes-token,jane,jane-1,"team-a,team-b"\nbobs-token,bob,bob-1\n'


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    folder = tmp_path_factory.mktemp("access")
    (folder / "tokens.csv").write_text(TOKENS)
    other = Pki.load_or_create(folder / "other-ca")
    flags = ["--token-auth-file", str(folder / "tokens.csv"), "--client-ca-file", str(other.ca_file)]
    flags += ["--audit-log-path", str(folder / "audit.log")]
    with running(folder, *flags) as windlass:
        windlass.create("/api/v1/namespaces", {"metadata": {"name": "team-a"}})
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"}
        subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "team-a"}
        binding = {"metadata": {"name": "team"}, "roleRef": role, "subjects": [subject]}
        windlass.create("/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/rolebindings", binding)
        yield windlass


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version"])
def test_health_and_version_need_no_login(guarded: Windlass, path: str) -> None:
    assert guarded.request("GET", path, token="").status == 200


@pytest.mark.parametrize("path", ["/", "/api", "/apis", "/metrics", "/openapi/v2", "/api/v1/namespaces", "/nope"])
def test_everything_else_needs_one(guarded: Windlass, path: str) -> None:
    anonymous, stranger = guarded.request("GET", path, token=""), guarded.request("GET", path, token="made-up")

    assert (anonymous.status, stranger.status) == (401, 401)
    assert anonymous.json()["reason"] == "Unauthorized"


def test_a_user_of_one_namespace_sees_nothing_of_another(guarded: Windlass) -> None:
    guarded.create("/api/v1/namespaces/default/secrets", {"metadata": {"name": "theirs"}})
    guarded.create("/api/v1/namespaces/team-a/configmaps", {"metadata": {"name": "ours"}}, token="janes-token")

    for path in (
        "namespaces/default/secrets/theirs",
        "namespaces/default/secrets",
        "secrets",
        "namespaces/team-x/pods",
    ):
        assert guarded.request("GET", f"/api/v1/{path}", token="janes-token").status == 403, path
    refused = guarded.request("GET", "/api/v1/namespaces/team-a/configmaps", token="bobs-token")
    why = 'User "bob" cannot list resource "configmaps" in API group "" in the namespace "team-a"'
    assert refused.json()["message"] == f"configmaps is forbidden: {why}"


def test_a_certificate_of_the_extra_ca_logs_in_and_that_of_a_stranger_does_not(
    guarded: Windlass, tmp_path: Path
) -> None:
    trusted = Pki(guarded.data_dir.parent / "other-ca")
    stranger = Pki.load_or_create(tmp_path / "stranger")

    assert whoami(guarded, trusted, tmp_path)["username"] == "carol"
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
        whoami(guarded, stranger, tmp_path)


def whoami(server: Windlass, pki: Pki, folder: Path) -> dict[str, str]:
    certificate, key = pki.client_certificate("carol", ["team-a"])
    (folder / "carol.pem").write_bytes(certificate + key)
    context = ssl.create_default_context(cafile=server.ca)
    context.load_cert_chain(folder / "carol.pem")
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=60)
    review = json.dumps({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"})
    try:
        connection.request(
            "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, {"content-type": "application/json"}
        )
        return json.loads(connection.getresponse().read())["status"]["userInfo"]
    finally:
        connection.close()


def test_a_service_account_token_works_until_its_account_is_deleted(guarded: Windlass) -> None:
    accounts = "/api/v1/namespaces/team-a/serviceaccounts"
    guarded.create(accounts, {"metadata": {"name": "robot"}})
    token = guarded.create(f"{accounts}/robot/token", {"spec": {"expirationSeconds": 600}})["status"]["token"]
    reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

    who = guarded.create(reviews, {}, token=token)["status"]["userInfo"]
    guarded.request("DELETE", f"{accounts}/robot")

    assert who["username"] == "system:serviceaccount:team-a:robot"
    assert guarded.request("POST", reviews, {}, token=token).status == 401


def test_credentials_are_for_their_owner_alone(guarded: Windlass) -> None:
    for path in [
        guarded.kubeconfig,
        *(guarded.data_dir / "credentials").iterdir(),
        guarded.data_dir / "pki" / "ca.key",
    ]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE((guarded.data_dir / "run" / "api.sock").stat().st_mode) & 0o077 == 0


def test_the_audit_log_tells_who_did_what_and_keeps_secrets(guarded: Windlass) -> None:
    hidden = base64.b64encode(b"very-secret").decode()
    guarded.create(
        "/api/v1/namespaces/team-a/secrets", {"metadata": {"name": "s"}, "data": {"k": hidden}}, token="janes-token"
    )
    log = guarded.data_dir.parent / "audit.log"

    def entry() -> dict[str, object] | None:
        events = [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return next(
            (
                e
                for e in events
                if e["verb"] == "create"
                and e.get("objectRef", {}).get("resource") == "secrets"
                and e["user"]["username"] == "jane"
            ),
            None,
        )

    found = eventually(entry)
    assert found["responseStatus"]["code"] == 201
    for text in (log.read_text(), guarded.log_after(0)):
        assert hidden not in text
        assert "very-secret" not in text
        assert "janes-token" not in text
