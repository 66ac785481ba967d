"""A web app as its page uses it: a signed-in browser, and the token of the app's cookie in every unsafe request."""

from dataclasses import dataclass
from typing import Any

import requests

from tests.gateway.browser import Browser, Person, signed_in
from tests.gateway.platform import Platform
from windlass.apis.crd import definition
from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.volumes.kinds import PVCViewer

RBAC = "/apis/rbac.authorization.k8s.io/v1"
XSRF = "XSRF-TOKEN"
GROUPS = ("", "batch", "kubeflow.org", "tensorboard.kubeflow.org")


@dataclass
class App:
    browser: Browser
    prefix: str

    @property
    def token(self) -> str:
        page = self.browser.get(f"{self.prefix}/")
        assert page.status_code == 200, page.text
        return next(c.value or "" for c in self.browser.session.cookies if (c.name, c.path) == (XSRF, "/"))

    def get(self, path: str) -> requests.Response:
        return self.browser.get(f"{self.prefix}{path}")

    def send(self, method: str, path: str, **more: Any) -> requests.Response:
        headers = {"X-XSRF-TOKEN": self.token, **more.pop("headers", {})}
        url = f"{self.browser.url}{self.prefix}{path}"
        return self.browser.session.request(method, url, headers=headers, timeout=60, **more)

    def post(self, path: str, body: Any) -> requests.Response:
        return self.send("POST", path, json=body)

    def patch(self, path: str, body: Any) -> requests.Response:
        return self.send("PATCH", path, json=body)

    def delete(self, path: str) -> requests.Response:
        return self.send("DELETE", path)


def field(answer: requests.Response, name: str) -> Any:
    body = answer.json()
    assert answer.status_code == 200, body
    assert (body["status"], body["success"]) == (200, True)
    return body[name]


def refusal(answer: requests.Response, code: int) -> str:
    body = answer.json()
    assert answer.status_code == code, body
    assert (body["status"], body["success"]) == (code, False)
    assert body["user"]
    return body["log"]


def app_of(platform: Platform, person: Person, prefix: str) -> App:
    return App(signed_in(platform, person), prefix)


def serve_kinds(platform: Platform) -> None:
    """Serve the kinds of the web apps, also where the server does not bring them."""
    for kind in (PodDefault, PVCViewer, Tensorboard):
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        answer = platform.api.request("POST", path, definition(kind))
        assert answer.status in (201, 409), answer.body


def make_namespace(platform: Platform, name: str, *editors: Person) -> None:
    """A namespace as a profile has it, whose editors may do everything with the kinds of the web apps."""
    labels = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    platform.api.create("/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    platform.api.create(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default-editor"}})
    rules = [{"apiGroups": list(GROUPS), "resources": ["*"], "verbs": ["*"]}]
    platform.api.create(f"{RBAC}/namespaces/{name}/roles", {"metadata": {"name": "web-apps"}, "rules": rules})
    subjects = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": each.email} for each in editors]
    for kind, role in (("ClusterRole", "kubeflow-edit"), ("Role", "web-apps")):
        platform.api.create(
            f"{RBAC}/namespaces/{name}/rolebindings",
            {
                "metadata": {"name": role},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
                "subjects": subjects,
            },
        )
