"""Two people, their namespaces, and what each learns of the other's: a running platform."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.gateway.browser import Browser, a_person, signed_in
from tests.gateway.platform import Platform
from tests.support import eventually

PROFILES = "/apis/kubeflow.org/v1/profiles"


@dataclass
class User:
    """Someone who is signed in, and their profile."""

    email: str
    browser: Browser
    namespace: str = ""

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.browser.get(path, headers={"Accept": "application/json"}, **more)

    def send(self, method: str, path: str, body: Any = None) -> requests.Response:
        return self.browser.session.request(method, f"{self.browser.url}{path}", json=body, timeout=60)


def a_user(platform: Platform, name: str, *groups: str) -> User:
    person = a_person(platform, f"{name}@example.com", *groups)
    return User(person.email, signed_in(platform, person))


def make_profile(platform: Platform, name: str, owner: str) -> None:
    spec = {"owner": {"kind": "User", "name": owner}}
    platform.api.create(
        PROFILES,
        {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": name}, "spec": spec},
    )
    eventually(lambda: is_ready(platform, name), 30, f"profile {name}")


def is_ready(platform: Platform, name: str) -> bool:
    answer = platform.api.request("GET", f"{PROFILES}/{name}")
    conditions = answer.json().get("status", {}).get("conditions", []) if answer.status == 200 else []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


@pytest.fixture(scope="module")
def ann(platform: Platform) -> User:
    user = a_user(platform, "share-ann")
    user.namespace = "share-ann"
    make_profile(platform, user.namespace, user.email)
    return user


@pytest.fixture(scope="module")
def ben(platform: Platform) -> User:
    return a_user(platform, "share-ben", "share-team")


def roles(user: User) -> dict[str, str]:
    return {one["namespace"]: one["role"] for one in user.get("/api/workgroup/env-info").json()["namespaces"]}


def may(platform: Platform, user: User, verb: str, resource: str, namespace: str, subresource: str = "") -> bool:
    attributes = {"verb": verb, "resource": resource, "namespace": namespace, "subresource": subresource}
    spec = {"user": user.email, "groups": ["share-team"], "resourceAttributes": attributes}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return platform.api.request("POST", path, review).json()["status"]["allowed"]


def policies(platform: Platform, namespace: str) -> set[str]:
    path = f"/apis/security.istio.io/v1beta1/namespaces/{namespace}/authorizationpolicies"
    return {one["metadata"]["name"] for one in platform.api.request("GET", path).json()["items"]}


def test_the_first_user_gets_the_first_profile(platform: Platform) -> None:
    eventually(lambda: is_ready(platform, "kubeflow-user-example-com"), 60, "the first profile")

    namespace = platform.api.request("GET", "/api/v1/namespaces/kubeflow-user-example-com").json()
    assert namespace["metadata"]["annotations"]["owner"] == "user@example.com"


def test_without_a_session_nothing_is_answered(platform: Platform) -> None:
    for path in ("/api/workgroup/env-info", "/api/namespaces", "/kfam/v1/bindings"):
        answer = requests.get(f"{platform.url}{path}", headers={"Accept": "application/json"}, timeout=30)
        assert answer.status_code == 401, path


def test_an_unknown_path_of_the_api_is_a_404_with_an_error(ann: User) -> None:
    answer = ann.get("/api/what/is/this")

    assert answer.status_code == 404
    assert "error" in answer.json()


def test_a_stranger_learns_nothing_of_a_namespace(ann: User, ben: User) -> None:
    assert ann.namespace not in [one["metadata"]["name"] for one in ben.get("/api/namespaces").json()]
    assert ben.get(f"/api/activities/{ann.namespace}").status_code == 403
    assert ben.get(f"/api/workgroup/get-contributors/{ann.namespace}").status_code == 403
    assert ben.get("/api/workgroup/get-contributors/no-such-namespace").status_code == 403
    assert ben.get("/api/workgroup/get-all-namespaces").status_code == 403
    bindings = ben.get("/kfam/v1/bindings").json()["bindings"]
    assert ann.namespace not in [one["referredNamespace"] for one in bindings]
    assert ben.get("/kfam/v1/role/clusteradmin").text == "false"
    assert ben.get("/debug").status_code == 403
    assert ben.get("/kfam/v1/role/clusteradmin", params={"user": ""}).text == "false"
    assert ben.get("/kfam/v1/role/clusteradmin", params={"user": "someone@example.com"}).status_code == 403


def test_the_owner_sees_their_namespace(ann: User) -> None:
    assert [one["metadata"]["name"] for one in ann.get("/api/namespaces").json()] == [ann.namespace]
    assert ann.get(f"/api/activities/{ann.namespace}").status_code == 200
    assert roles(ann) == {ann.namespace: "owner"}
    exists = ann.get("/api/workgroup/exists").json()
    assert exists == {"user": ann.email, "hasAuth": True, "hasWorkgroup": True, "registrationFlowAllowed": True}


def test_viewer_then_contributor_then_nobody(platform: Platform, ann: User, ben: User) -> None:
    place = f"/api/workgroup/add-contributor/{ann.namespace}"
    policy = "user-share-ben-example-com-clusterrole-edit"

    assert ben.send("POST", place, {"contributor": ben.email}).status_code == 403
    answer = ann.send("POST", place, {"contributor": ben.email, "role": "view"})
    assert (answer.status_code, answer.json()) == (200, [ben.email])
    assert roles(ben) == {ann.namespace: "viewer"}
    assert may(platform, ben, "list", "pods", ann.namespace)
    assert not may(platform, ben, "get", "secrets", ann.namespace)
    assert not may(platform, ben, "create", "pods", ann.namespace, "exec")
    assert ann.get(f"/api/workgroup/get-contributors/{ann.namespace}").json() == []
    assert ben.get(f"/api/activities/{ann.namespace}").status_code == 200

    assert ann.send("POST", place, {"contributor": ben.email}).json() == [ben.email]
    assert roles(ben) == {ann.namespace: "contributor"}
    assert may(platform, ben, "get", "secrets", ann.namespace)
    eventually(lambda: policy in policies(platform, ann.namespace), 20, "the contributor's policy")
    assert ann.send("POST", place, {"contributor": ben.email}).status_code == 409

    gone = ann.send("DELETE", f"/api/workgroup/remove-contributor/{ann.namespace}", {"contributor": ben.email})
    assert gone.json() == []
    assert roles(ben) == {}
    assert not may(platform, ben, "list", "pods", ann.namespace)
    eventually(lambda: policy not in policies(platform, ann.namespace), 20, "no policy")


def a_binding(namespace: str, user: str, role: str = "edit", kind: str = "User") -> Any:
    return {
        "user": {"kind": kind, "name": user},
        "referredNamespace": namespace,
        "RoleRef": {"kind": "ClusterRole", "name": role},
    }


def test_kfam_binds_groups_and_answers_upstreams_codes(ann: User, ben: User) -> None:
    team = a_binding(ann.namespace, "share-team", kind="Group")

    assert ben.send("POST", "/kfam/v1/bindings", team).status_code == 403
    made = ann.send("POST", "/kfam/v1/bindings", team)
    assert (made.status_code, made.text) == (200, "")
    assert ann.send("POST", "/kfam/v1/bindings", team).status_code == 409
    assert roles(ben) == {ann.namespace: "contributor"}
    listed = ann.get("/kfam/v1/bindings", params={"namespace": ann.namespace, "role": "edit"}).json()["bindings"]
    assert [one["user"] for one in listed] == [{"kind": "Group", "name": "share-team"}]
    assert ann.send("DELETE", "/kfam/v1/bindings", team).status_code == 200
    assert ann.send("DELETE", "/kfam/v1/bindings", team).status_code == 404
    assert roles(ben) == {}


def test_changes_of_roles_are_in_the_audit_log(platform: Platform, ann: User) -> None:
    for method in ("POST", "DELETE"):
        assert (
            ann.send(method, "/kfam/v1/bindings", a_binding(ann.namespace, "recorded@example.com", "view")).status_code
            == 200
        )

    lines = [json.loads(line) for line in (platform.data_dir / "logs" / "audit.log").read_text().splitlines()]
    found = [(line["event"], line["user"], line["role"]) for line in lines if "recorded" in line.get("subject", "")]
    assert found == [("role.added", ann.email, "view"), ("role.removed", ann.email, "view")]


def test_two_users_of_one_binding_name_are_both_bound(ann: User) -> None:
    for user in ("a.b@x.org", "a-b@x.org"):
        assert ann.send("POST", "/kfam/v1/bindings", a_binding(ann.namespace, user, "view")).status_code == 200

    listed = ann.get("/kfam/v1/bindings", params={"namespace": ann.namespace, "role": "view"}).json()["bindings"]
    assert {one["user"]["name"] for one in listed} == {"a.b@x.org", "a-b@x.org"}


@pytest.mark.parametrize(
    "body",
    [
        a_binding("share-ann", "no address"),
        a_binding("share-ann", "ok@x.org", "king"),
        a_binding("share-ann", "system:masters", kind="Group"),
        a_binding("share-ann", "x", kind="ServiceAccount"),
        {"user": "x"},
        [],
    ],
)
def test_a_bad_binding_is_refused(ann: User, body: Any) -> None:
    assert ann.send("POST", "/kfam/v1/bindings", body).status_code == 400


def test_registration_makes_an_own_profile_and_no_other(platform: Platform) -> None:
    cat = a_user(platform, "share-cat")
    assert cat.get("/api/workgroup/exists").json()["hasWorkgroup"] is False

    foreign = {"metadata": {"name": "cats-other"}, "spec": {"owner": {"kind": "User", "name": "user@example.com"}}}
    assert cat.send("POST", "/kfam/v1/profiles", foreign).status_code == 403
    assert cat.send("POST", "/api/workgroup/create", {"namespace": "kube-cat"}).status_code == 400
    assert cat.send("POST", "/api/workgroup/create", {"namespace": "share-ann-2", "user": "x@y.z"}).status_code == 200
    eventually(lambda: is_ready(platform, "share-ann-2"), 30, "the profile")
    assert cat.get("/api/workgroup/exists").json()["hasWorkgroup"] is True
    assert roles(cat) == {"share-ann-2": "owner"}
    assert cat.send("POST", "/api/workgroup/create", {"namespace": "share-cat-2"}).status_code == 403


def a_whole_profile(name: str, owner: dict[str, str]) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {"team": "vision"}, "annotations": {"cost-centre": "7"}},
        "spec": {
            "owner": owner,
            "resourceQuotaSpec": {"hard": {"pods": "9"}},
            "plugins": [{"kind": "WorkloadIdentity", "spec": {"gcpServiceAccount": "a@b.iam.gserviceaccount.com"}}],
        },
    }


def assert_debug_page(admin: User) -> None:
    """How requests arrive is for administrators, and without the cookie."""
    shown = admin.get("/debug", params={"a": "1"}).json()
    assert (shown["user"]["email"], shown["queryParams"]) == (admin.email, {"a": "1"})
    assert "host" in {name.lower() for name in shown["headers"]}
    assert "oauth2_proxy_kubeflow" not in str(shown)


def test_kfam_makes_a_profile_as_an_administrator_describes_it(platform: Platform) -> None:
    admin = a_user(platform, "share-admin")
    group = "rbac.authorization.k8s.io"
    binding = {
        "metadata": {"name": "share-admin"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": admin.email}],
    }
    platform.api.create(f"/apis/{group}/v1/clusterrolebindings", binding)
    eventually(lambda: admin.get("/kfam/v1/role/clusteradmin").text == "true", 30, "the right")
    assert_debug_page(admin)
    account = {"kind": "ServiceAccount", "name": "robot", "namespace": "default"}

    made = admin.send("POST", "/kfam/v1/profiles", a_whole_profile("share-whole", account))

    assert (made.status_code, made.text) == (200, "")
    eventually(lambda: is_ready(platform, "share-whole"), 30, "the profile")
    profile = platform.api.get(f"{PROFILES}/share-whole")
    assert (profile["metadata"]["labels"]["team"], profile["metadata"]["annotations"]["cost-centre"]) == ("vision", "7")
    quota = platform.api.get("/api/v1/namespaces/share-whole/resourcequotas/kf-resource-quota")
    assert quota["spec"]["hard"] == {"pods": "9"}
    editor = platform.api.get("/api/v1/namespaces/share-whole/serviceaccounts/default-editor")
    assert "iam.gke.io/gcp-service-account" in editor["metadata"]["annotations"]
    bound = platform.api.get(f"/apis/{group}/v1/namespaces/share-whole/rolebindings/namespaceAdmin")
    assert bound["subjects"] == [account]
    bad = a_whole_profile("share-bad", {"kind": "Group", "name": "team"})
    bad["spec"]["resourceQuotaSpec"] = {"hard": ["pods"]}
    refused = admin.send("POST", "/kfam/v1/profiles", bad)
    assert 400 <= refused.status_code < 500, refused.text
    assert "hard" in refused.text


def test_who_registers_sets_no_quota_plugins_labels_or_annotations(platform: Platform) -> None:
    eve = a_user(platform, "share-greedy")
    own = a_whole_profile("share-greedy", {"kind": "User", "name": eve.email})

    refused = eve.send("POST", "/kfam/v1/profiles", own)

    assert refused.status_code == 403
    for field in ("metadata.labels", "metadata.annotations", "spec.resourceQuotaSpec", "spec.plugins"):
        assert field in refused.text
    assert platform.api.request("GET", f"{PROFILES}/share-greedy").status == 404


def test_a_deleted_profile_waits_in_the_bin_and_comes_back(platform: Platform, ben: User) -> None:
    dan = a_user(platform, "share-dan")
    make_profile(platform, "share-dan", dan.email)
    dan.send("POST", "/api/workgroup/add-contributor/share-dan", {"contributor": ben.email, "role": "view"})

    assert ben.send("DELETE", "/kfam/v1/profiles/share-dan").status_code == 401
    unsure = dan.send("DELETE", "/api/workgroup/nuke-self", {"namespace": "share-dan", "confirm": "share"})
    assert unsure.status_code == 400
    sure = dan.send("DELETE", "/api/workgroup/nuke-self", {"namespace": "share-dan", "confirm": "share-dan"})
    assert sure.status_code == 200, sure.text
    eventually(lambda: not may(platform, ben, "list", "pods", "share-dan"), 20, "no access for contributors")
    eventually(lambda: not may(platform, dan, "list", "pods", "share-dan"), 20, "no access for the owner")
    assert [one["namespace"] for one in dan.get("/api/workgroup/recycle-bin").json()] == ["share-dan"]
    assert ben.get("/api/workgroup/recycle-bin").json() == []

    assert ben.send("POST", "/api/workgroup/restore", {"namespace": "share-dan"}).status_code == 403
    assert dan.send("POST", "/api/workgroup/restore", {"namespace": "share-dan"}).status_code == 200
    eventually(lambda: may(platform, ben, "list", "pods", "share-dan"), 20, "the contributor again")
    eventually(lambda: may(platform, dan, "create", "pods", "share-dan"), 20, "the owner again")


def test_the_menu_has_defaults(ann: User) -> None:
    links = ann.get("/api/dashboard-links").json()

    assert [one["text"] for one in links["menuLinks"]][:3] == ["Notebooks", "TensorBoards", "Volumes"]
    assert ann.get("/api/dashboard-settings").json() == {"DASHBOARD_FORCE_IFRAME": True}


def test_the_command_line_lists_restores_and_purges(platform: Platform) -> None:
    assert platform.windlass("profile", "create", "kube-x", "--owner", "eve@example.com").returncode == 2
    assert platform.windlass("profile", "create", "share-eve", "--owner", "eve@example.com").returncode == 0
    eventually(lambda: is_ready(platform, "share-eve"), 30, "the profile")
    assert "not in the recycle bin" in platform.windlass("profile", "purge", "share-eve").stderr
    assert "not in the recycle bin" in platform.windlass("profile", "restore", "share-eve").stderr

    assert platform.windlass("profile", "delete", "share-eve").returncode == 0
    eventually(lambda: not is_ready(platform, "share-eve"), 20, "in the bin")
    listed = json.loads(platform.windlass("profile", "list", "-o", "json").stdout)
    assert [one["owner"] for one in listed if one["deletedAt"]].count("eve@example.com") == 1

    assert platform.windlass("profile", "purge", "share-eve").returncode == 0
    gone = f"{PROFILES}/share-eve"
    eventually(lambda: platform.api.request("GET", gone).status == 404, 30, "no profile")
    namespace = "/api/v1/namespaces/share-eve"
    eventually(lambda: platform.api.request("GET", namespace).status == 404, 30, "no namespace")


def test_a_pod_with_conflicting_pod_defaults_is_refused_to_its_owner(platform: Platform, ann: User) -> None:
    for name, value in (("one", "1"), ("two", "2")):
        spec = {"selector": {"matchLabels": {"use": "both"}}, "env": [{"name": "A", "value": value}]}
        path = f"/apis/kubeflow.org/v1alpha1/namespaces/{ann.namespace}/poddefaults"
        body = {"apiVersion": "kubeflow.org/v1alpha1", "kind": "PodDefault", "metadata": {"name": name}, "spec": spec}
        platform.api.create(path, body)
    pod = {"metadata": {"name": "p", "labels": {"use": "both"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}

    answer = platform.api.request(
        "POST",
        f"/api/v1/namespaces/{ann.namespace}/pods",
        pod,
        headers={"Impersonate-User": ann.email},
    )

    assert answer.status == 403
    assert "one, two on pod: p" in answer.json()["message"]
    privileged = {**pod, "metadata": {"name": "q"}}
    privileged["spec"] = {"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": True}}]}
    refused = platform.api.request("POST", f"/api/v1/namespaces/{ann.namespace}/pods", privileged)
    assert refused.status == 403
    assert 'violates PodSecurity "baseline:latest"' in refused.json()["message"]
