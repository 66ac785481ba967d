"""Nested bodies in every way in which a user can send them to the gateway: refused, and nothing ends."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import requests

from tests.fuzz.archives import tarred, zipped
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import eventually

NAMESPACE = "nested-uploads"
NESTED = {"lists": b"[" * 30_000, "mappings": b'{"a":' * 50_000}
UPLOAD = "/pipeline/apis/v2beta1/pipelines/upload"


@dataclass(frozen=True)
class Sender:
    url: str
    token: str

    def send(self, method: str, path: str, content_type: str, body: bytes) -> int:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        answer = requests.request(method, f"{self.url}{path}", data=body, headers=headers, timeout=60)
        return answer.status_code

    def upload(self, file_name: str, content: bytes) -> int:
        disposition = f'Content-Disposition: form-data; name="uploadfile"; filename="{file_name}"'
        body = b"--x\r\n" + disposition.encode() + b"\r\n\r\n" + content + b"\r\n--x--\r\n"
        path = f"{UPLOAD}?name=nested&namespace={NAMESPACE}"
        return self.send("POST", path, "multipart/form-data; boundary=x", body)


@pytest.fixture(scope="module")
def sender(platform: Platform) -> Iterator[Sender]:
    person = a_person(platform, "nested@example.com")
    profile = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": NAMESPACE}}
    spec = {"owner": {"kind": "User", "name": person.email}}
    platform.api.create("/apis/kubeflow.org/v1/profiles", {**profile, "spec": spec})
    binding = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings/namespaceAdmin"
    eventually(lambda: platform.api.request("GET", binding).status == 200, 60, "the profile")
    yield Sender(platform.url, platform.windlass("user", "token", person.email).stdout.split()[-1])
    platform.api.request("DELETE", f"/apis/kubeflow.org/v1/profiles/{NAMESPACE}")


WHAT_IF = "/api/what-if"
APPLIED = f"/api/k8s/api/v1/namespaces/{NAMESPACE}/configmaps/a?fieldManager=x"
WAYS: dict[str, Callable[[Sender, bytes], int]] = {
    "file of YAML": lambda sender, nested: sender.upload("a.yaml", nested),
    "file without a name": lambda sender, nested: sender.upload("", nested),
    "zip": lambda sender, nested: sender.upload("a.zip", zipped(nested)),
    "tar.gz": lambda sender, nested: sender.upload("a.tar.gz", tarred(nested)),
    "form itself": lambda sender, nested: sender.send("POST", UPLOAD, "multipart/form-data; boundary=x", nested),
    "body of YAML": lambda sender, nested: sender.send("POST", UPLOAD, "application/yaml", nested),
    "what-if": lambda sender, nested: sender.send("POST", WHAT_IF, "application/json", nested),
    "manifest of what-if": lambda sender, nested: sender.send(
        "POST", WHAT_IF, "application/json", json.dumps({"namespace": NAMESPACE, "manifest": nested.decode()}).encode()
    ),
    "apply": lambda sender, nested: sender.send("PATCH", APPLIED, "application/apply-patch+yaml", nested),
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("way", WAYS)
def test_a_nested_body_is_refused_and_nothing_ends(platform: Platform, sender: Sender, way: str, nested: bytes) -> None:
    pids, logged = {name: platform.pid(name) for name in ("gateway", "server")}, platform.end_of_log()

    status = WAYS[way](sender, nested)

    assert 400 <= status < 500
    assert platform.is_healthy()
    assert platform.is_api_ready()
    assert {name: platform.pid(name) for name in pids} == pids
    assert "Traceback" not in platform.log_after(logged)
