"""The platform on a cluster that knows nothing of it: printed manifests applied, manager and gateway as pods."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.cluster.bare import Right, rights_of
from tests.e2e.cluster.platform_cluster import HOME, PlatformCluster, platform_cluster
from tests.gateway.browser import Browser
from tests.support import eventually
from windlass.deploy.gateway_permissions import gateway_rules

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(400)]

EMAIL, PROFILE = "user@example.com", "kubeflow-user-example-com"
APPLY = "apply --server-side --validate=strict -f -"
SERVER = """
import http.server, os
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        text = f"{self.path} as {self.headers['kubeflow-userid']} with {os.environ.get('GREETING')}"
        self.wfile.write(text.encode())
http.server.ThreadingHTTPServer(("", 8888), Answer).serve_forever()
"""
POD_DEFAULT = """
apiVersion: kubeflow.org/v1alpha1
kind: PodDefault
metadata: {name: greeting, namespace: %s}
spec:
  desc: A greeting
  selector: {matchLabels: {greeting: "true"}}
  env: [{name: GREETING, value: hello}]
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlatformCluster]:
    with platform_cluster(tmp_path_factory.mktemp("platform")) as running:
        manifests = running.windlass("manifests", "--platform", "--external-url", running.gateway_url)
        running.kubectl(APPLY, stdin=manifests)
        running.until_ready("windlass-manager")
        running.until_ready("windlass-gateway")
        running.forward()
        yield running


@pytest.fixture(scope="module")
def browser(cluster: PlatformCluster) -> Browser:
    """The first user, signed in with the password that the gateway printed once."""
    printed = cluster.kubectl(f"-n {HOME} logs deployment/windlass-gateway").stdout
    password = re.search(rf"Sign in +{EMAIL} +(\S+)", printed)
    assert password is not None, printed
    browser = cluster.browser()
    answer = browser.sign_in(EMAIL, password.group(1))
    assert answer.status_code == 200, answer.text
    return browser


@pytest.fixture(scope="module")
def profile(cluster: PlatformCluster) -> str:
    path = f"/apis/kubeflow.org/v1/profiles/{PROFILE}"

    def is_ready() -> bool:
        answer = cluster.request("GET", path)
        conditions = answer.json().get("status", {}).get("conditions", []) if answer.status == 200 else []
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    eventually(is_ready, 60, "the first profile is ready")
    return PROFILE


def notebook(name: str) -> dict[str, Any]:
    container = {"name": name, "image": "python:3", "command": ["python3", "-c", SERVER]}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": name, "labels": {"greeting": "true"}},
        "spec": {"template": {"spec": {"serviceAccountName": "default-editor", "containers": [container]}}},
    }


def test_the_first_profile_has_a_namespace_that_other_pods_do_not_enter(cluster: PlatformCluster, profile: str) -> None:
    namespace = cluster.get(f"/api/v1/namespaces/{profile}")
    policies = cluster.get(f"/apis/networking.k8s.io/v1/namespaces/{profile}/networkpolicies")["items"]

    assert namespace["metadata"]["annotations"]["owner"] == EMAIL
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    (admitted,) = [rule["from"] for policy in policies for rule in policy["spec"]["ingress"]]
    names = [one.get("namespaceSelector", {}).get("matchLabels", {}) for one in admitted]
    assert {"kubernetes.io/metadata.name": HOME} in names


def test_a_notebook_answers_through_the_gateway_with_what_a_pod_default_adds(
    cluster: PlatformCluster, browser: Browser, profile: str
) -> None:
    cluster.kubectl(APPLY, stdin=POD_DEFAULT % profile)
    cluster.create(f"/apis/kubeflow.org/v1/namespaces/{profile}/notebooks", notebook("desk"))

    page = eventually(lambda: entered(browser, f"/notebook/{profile}/desk/tree"), 120, "the notebook answers")

    assert page == f"/notebook/{profile}/desk/tree as {EMAIL} with hello"
    pod = cluster.get(f"/api/v1/namespaces/{profile}/pods/desk-0")
    assert "poddefault.admission.kubeflow.org/poddefault-greeting" in pod["metadata"]["annotations"]
    assert cluster.browser().get(f"/notebook/{profile}/desk/api/x").status_code == 401


def entered(browser: Browser, path: str) -> str:
    answer = browser.get(path)
    return answer.text if answer.status_code == 200 else ""


def test_pods_that_a_pod_default_conflicts_with_are_refused_by_the_webhook(
    cluster: PlatformCluster, profile: str
) -> None:
    cluster.kubectl(APPLY, stdin=POD_DEFAULT % profile)
    container = {"name": "x", "image": "python:3", "env": [{"name": "GREETING", "value": "other"}]}
    pod = {"metadata": {"name": "odd", "labels": {"greeting": "true"}}, "spec": {"containers": [container]}}

    answer = cluster.request("POST", f"/api/v1/namespaces/{profile}/pods", {"apiVersion": "v1", "kind": "Pod", **pod})

    assert answer.status == 403
    assert (
        'admission webhook "admission-webhook-deployment.kubeflow.org" denied the request' in answer.json()["message"]
    )


def test_the_web_apps_answer(cluster: PlatformCluster, browser: Browser, profile: str) -> None:
    for path in (
        "/jupyter/api/config",
        "/jupyter/api/gpus",
        "/jupyter/api/namespaces",
        f"/jupyter/api/namespaces/{profile}/notebooks",
        f"/jupyter/api/namespaces/{profile}/poddefaults",
        f"/tensorboards/api/namespaces/{profile}/tensorboards",
        f"/volumes/api/namespaces/{profile}/pvcs",
        "/volumes/api/storageclasses",
        "/api/workgroup/env-info",
        "/kfam/v1/bindings",
    ):
        answer = browser.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"


def test_a_viewer_shows_a_volume_with_the_file_browser_of_the_same_image(
    cluster: PlatformCluster, browser: Browser, profile: str
) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "files"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    cluster.create(f"/api/v1/namespaces/{profile}/persistentvolumeclaims", claim)
    networking = {"targetPort": 8080, "basePrefix": "/pvcviewers", "rewrite": "/"}
    viewer = {"apiVersion": "kubeflow.org/v1alpha1", "kind": "PVCViewer", "metadata": {"name": "files"}}
    cluster.create(
        f"/apis/kubeflow.org/v1alpha1/namespaces/{profile}/pvcviewers",
        {**viewer, "spec": {"pvc": "files", "networking": networking}},
    )

    page = eventually(lambda: entered(browser, f"/pvcviewers/{profile}/files/"), 120, "the viewer answers")

    assert "<html" in page


def test_manager_and_gateway_have_the_rights_that_they_need_and_no_more(
    cluster: PlatformCluster, browser: Browser, profile: str
) -> None:
    for part in ("manager", "gateway"):
        refused = [event for event in cluster.audited(part) if event["responseStatus"]["code"] == 403]
        assert [event["requestURI"] for event in refused if "impersonatedUser" not in event] == [], part
    assert unused_rights(cluster) - NOT_NEEDED_HERE == set()


NOT_NEEDED_HERE = {
    *(("impersonate", "", resource) for resource in ("users", "groups", "serviceaccounts")),  # no request of its own
    ("create", "authentication.k8s.io", "tokenreviews"),  # service accounts' tokens
    ("patch", "kubeflow.org", "profiles"),  # contributors
    ("get", "kubeflow.org", "profiles"),
    ("get", "", "configmaps"),  # links of the dashboard
    ("get", "", "namespaces"),  # the notebook form
    ("get", "kubeflow.org", "pvcviewers"),
    *((verb, "*", "*") for verb in ("list", "watch")),  # of whichever kind a page shows
    *(("get", "", resource) for resource in ("nodes/proxy", "nodes/metrics", "pods/proxy")),  # charts, recent files
    ("get", "", "persistentvolumes"),  # loss curves of event files
    *(("get", "", resource) for resource in ("persistentvolumeclaims", "serviceaccounts")),  # pipelines
}


def unused_rights(cluster: PlatformCluster) -> set[Right]:
    used = {right for event in cluster.audited("gateway") for right in rights_of(event)}
    used |= {("list", group, resource) for verb, group, resource in used if verb == "watch"}  # streamed lists
    granted = {
        (verb, group, resource)
        for rule in gateway_rules()
        for verb in rule["verbs"]
        for group in rule.get("apiGroups", ())
        for resource in rule["resources"]
    }
    return granted - used
