"""The walk of kubeflow/manifests' test of the volumes web app: one service account of a profile, one of elsewhere.

It uses tokens of service accounts, the cookie and header of the page, and looks for the claim right after deleting it.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.gateway.platform import Platform
from tests.support import eventually

PROFILE = "kubeflow-user-example-com"
CLAIMS = f"/volumes/api/namespaces/{PROFILE}/pvcs"
NAME = "script-volume"


@dataclass
class Script:
    """A shell script's curl: a bearer token, and the page's token sent back in cookie and header."""

    url: str
    token: str
    page_token: str = ""

    def curl(self, method: str, path: str, body: Any = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        if self.page_token:
            headers |= {"X-XSRF-TOKEN": self.page_token, "Cookie": f"XSRF-TOKEN={self.page_token}"}
        return requests.request(method, f"{self.url}{path}", headers=headers, json=body, timeout=60)

    def open_page(self) -> None:
        page = self.curl("GET", "/volumes/")
        page.raise_for_status()
        self.page_token = page.cookies.get("XSRF-TOKEN") or ""
        assert self.page_token


def script_of(platform: Platform, namespace: str, account: str) -> Script:
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}"
    eventually(lambda: platform.api.request("GET", path).status == 200, 60, f"{namespace}/{account}")
    answer = platform.api.create(f"{path}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"})
    script = Script(platform.url, answer["status"]["token"])
    script.open_page()
    return script


@pytest.fixture
def editor(platform: Platform) -> Iterator[Script]:
    script = script_of(platform, PROFILE, "default-editor")
    yield script
    script.curl("DELETE", f"{CLAIMS}/{NAME}")


def test_a_volume_is_made_listed_deleted_and_gone(editor: Script) -> None:
    form = {"name": NAME, "type": "new", "size": "1Gi", "mode": "ReadWriteOnce", "class": "local-path"}
    assert editor.curl("POST", CLAIMS, form).status_code == 200
    rows = editor.curl("GET", CLAIMS).json()["pvcs"]
    assert NAME in [row["name"] for row in rows]

    deleted = editor.curl("DELETE", f"{CLAIMS}/{NAME}")
    gone = editor.curl("GET", f"{CLAIMS}/{NAME}")

    assert (deleted.status_code, gone.status_code) == (200, 404), gone.text


@pytest.mark.parametrize(("seconds", "code"), [(0.8, 404), (3.5, 200)])
def test_a_deletion_waits_for_the_claims_protection_but_not_for_long(
    platform: Platform, editor: Script, seconds: float, code: int
) -> None:
    name = f"protected-{code}"
    path = f"/api/v1/namespaces/{PROFILE}/persistentvolumeclaims/{name}"
    claim = {"name": name, "type": "new", "size": "1Gi", "mode": "ReadWriteOnce", "class": "local-path"}
    assert editor.curl("POST", CLAIMS, claim).status_code == 200

    def set_finalizers(finalizers: list[str]) -> None:
        platform.api.patch(path, {"metadata": {"finalizers": finalizers}})

    set_finalizers(["windlass.dev/test"])
    release = threading.Timer(seconds, set_finalizers, [[]])
    release.start()
    try:
        deleted = editor.curl("DELETE", f"{CLAIMS}/{name}")
        found = editor.curl("GET", f"{CLAIMS}/{name}")
    finally:
        release.join()

    assert (deleted.status_code, found.status_code) == (200, code), found.text


def test_an_account_of_another_namespace_is_refused(platform: Platform, editor: Script) -> None:
    foreign = script_of(platform, "default", "default")
    form = {"name": "foreign", "type": "new", "size": "1Gi", "mode": "ReadWriteOnce", "class": "local-path"}

    assert foreign.curl("GET", CLAIMS).status_code == 403
    assert foreign.curl("POST", CLAIMS, form).status_code == 403
    assert foreign.curl("DELETE", f"{CLAIMS}/{NAME}").status_code == 403
    assert "foreign" not in [row["name"] for row in editor.curl("GET", CLAIMS).json()["pvcs"]]
