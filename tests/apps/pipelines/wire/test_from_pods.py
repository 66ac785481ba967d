"""The API inside the cluster: pods reach it as `ml-pipeline.kubeflow:8888`, with the token of their service account."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.apps.pipelines.wire.people import PipelinesUser, pipelines_user
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually
from windlass.apps.pipelines.artifacts.claim_folders import artifacts_claim

SIGNING = Path(__file__).parents[1] / "web" / "s3" / "signing.py"
S3_SCRIPT = """
import os, urllib.error, urllib.request
keys = os.environ["ACCESS"], os.environ["SECRET"]
def send(method, path, body=b"", host="minio-service.kubeflow", keys=keys):
    url = f"http://{host}:9000{path}"
    headers = signed_headers(method, url, body, keys)
    try:
        request = urllib.request.Request(url, body or None, headers, method=method)
        return urllib.request.urlopen(request, timeout=30).read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode().partition("<Code>")[2].partition("<")[0]
send("PUT", "/mlpipeline/v2/from-a-pod", b"by S3")
print([
    send("GET", "/mlpipeline/v2/from-a-pod"),
    send("GET", "/mlpipeline/v2/from-a-pod", host="minio-service.kubeflow.svc.cluster.local"),
    send("GET", "/mlpipeline/v2/none"),
    send("GET", "/", keys=(keys[0], "wrong")),
    send("GET", "/", keys=("kubeflow", keys[1])),
    keys[0],
])
"""

SCRIPT = """
import json, urllib.error, urllib.request
url = "http://ml-pipeline.kubeflow:8888/apis/v2beta1/experiments"
token = open("/var/run/secrets/kubeflow/pipelines/token").read()
def status(**headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code
body = json.dumps({"display_name": "from a pod"}).encode()
made = urllib.request.Request(url, body, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
made = json.load(urllib.request.urlopen(made, timeout=20))
answers = [status(), status(**{"kubeflow-userid": "anna@example.com"}), status(Cookie="x=y")]
metrics = urllib.request.urlopen("http://ml-pipeline.kubeflow:8888/metrics", timeout=20).read().decode()
counted = 'ml_pipeline_requests_total{code="401",version="v2beta1"} 3.0' in metrics
print(json.dumps([made["namespace"], *answers, counted]))
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    running = Platform(tmp_path_factory.mktemp("pods"))
    running.up()
    yield running
    running.down()


@pytest.fixture(scope="module")
def owner(node: Platform) -> PipelinesUser:
    return pipelines_user(node, a_person(node, "anna@example.com"), "anna")


def a_pod(name: str) -> dict[str, Any]:
    token = {"audience": "pipelines.kubeflow.org", "expirationSeconds": 7200, "path": "token"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "restartPolicy": "Never",
            "serviceAccountName": "default-editor",
            "containers": [
                {
                    "name": "main",
                    "image": "python:3.11",
                    "command": ["python3", "-c", SCRIPT],
                    "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets/kubeflow/pipelines"}],
                }
            ],
            "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": token}]}}],
        },
    }


def test_a_pod_uses_the_api_with_its_token_and_nothing_else(node: Platform, owner: PipelinesUser) -> None:
    slices = "/apis/discovery.k8s.io/v1/namespaces/kubeflow/endpointslices/ml-pipeline-gateway"
    eventually(lambda: node.api.request("GET", slices).status == 200, 60, "the endpoint of ml-pipeline")
    node.api.create("/api/v1/namespaces/anna/pods", a_pod("caller"))
    phase = lambda: node.api.get("/api/v1/namespaces/anna/pods/caller")["status"].get("phase")  # noqa: E731
    eventually(lambda: phase() in ("Succeeded", "Failed"), 120, "the pod ends")

    log = node.api.request("GET", "/api/v1/namespaces/anna/pods/caller/log").body.decode()
    assert log.strip().splitlines()[-1] == '["anna", 401, 401, 401, true]', log
    names = [each["display_name"] for each in owner.get("/experiments")["experiments"]]
    assert "from a pod" in names


def test_a_pod_uses_s3_with_the_keys_of_its_namespace(node: Platform, owner: PipelinesUser) -> None:
    slices = "/apis/discovery.k8s.io/v1/namespaces/kubeflow/endpointslices/minio-service-gateway"
    eventually(lambda: node.api.request("GET", slices).status == 200, 60, "the endpoint of minio-service")
    secret = {"name": "mlpipeline-minio-artifact"}
    pod = a_pod("s3-user")
    pod["spec"] = {
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "main",
                "image": "python:3.11",
                "command": ["python3", "-c", SIGNING.read_text() + S3_SCRIPT],
                "env": [
                    {"name": "ACCESS", "valueFrom": {"secretKeyRef": {**secret, "key": "accesskey"}}},
                    {"name": "SECRET", "valueFrom": {"secretKeyRef": {**secret, "key": "secretkey"}}},
                ],
            }
        ],
    }
    node.api.create("/api/v1/namespaces/anna/pods", pod)
    phase = lambda: node.api.get("/api/v1/namespaces/anna/pods/s3-user")["status"].get("phase")  # noqa: E731
    eventually(lambda: phase() in ("Succeeded", "Failed"), 120, "the pod ends")

    log = node.api.request("GET", "/api/v1/namespaces/anna/pods/s3-user/log").body.decode()
    expected = ["by S3", "by S3", "NoSuchKey", "SignatureDoesNotMatch", "InvalidAccessKeyId", "anna"]
    assert log.strip().splitlines()[-1] == str(expected), log + node.log()
    assert read(owner, "v2/from-a-pod").text == "by S3", "the object is the artifact of the same path"


def test_artifacts_are_read_from_the_namespaces_claim(node: Platform, owner: PipelinesUser) -> None:
    folder = eventually(lambda: artifacts_folder(node), 60, "the claim's volume")
    place = folder / "minio" / "mlpipeline" / "v2"
    place.mkdir(parents=True, exist_ok=True)
    (place / "note.txt").write_text("hello")
    (place / "model").mkdir(exist_ok=True)
    (place / "model" / "weights").write_bytes(b"123")
    (place / "secret").symlink_to("/etc/passwd")

    assert read(owner, "v2/note.txt").text == "hello"
    assert read(owner, "v2/note.txt", peek="2").text == "he"
    assert read(owner, "v2/model").content == b"123"
    assert read(owner, "v2/secret").status_code == 404
    assert read(owner, "v2/../../../../../etc/passwd").status_code == 404
    headers = {"Authorization": f"Bearer {owner.token}"}
    raw = requests.get(f"{owner.url}/pipeline/artifacts/minio/mlpipeline/v2/note.txt", headers=headers, timeout=60)
    assert raw.text == "hello"
    assert raw.headers["Content-Type"] == "application/octet-stream"


def artifacts_folder(node: Platform) -> Path | None:
    """Where the claim of artifacts is, once a pod has used it."""
    claims = "/api/v1/namespaces/anna/persistentvolumeclaims"
    claim = artifacts_claim("anna")
    node.api.request("POST", claims, claim)
    pod = a_pod("user")
    pod["spec"] = {
        "containers": [
            {
                "name": "main",
                "image": "busybox",
                "command": ["true"],
                "volumeMounts": [{"name": "a", "mountPath": "/a"}],
            }
        ],
        "volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "pipeline-artifacts"}}],
        "restartPolicy": "Never",
    }
    node.api.request("POST", "/api/v1/namespaces/anna/pods", pod)
    name = node.api.get(f"{claims}/pipeline-artifacts")["spec"].get("volumeName")
    if not name:
        return None
    handle = node.api.get(f"/api/v1/persistentvolumes/{name}")["spec"]["csi"]["volumeHandle"]
    folder = node.data_dir / "volumes" / handle
    return folder if folder.is_dir() else None


def read(user: PipelinesUser, key: str, **more: str) -> requests.Response:
    query = {"source": "minio", "bucket": "mlpipeline", "key": key, **more}
    headers = {"Authorization": f"Bearer {user.token}"}
    return requests.get(f"{user.url}/pipeline/artifacts/get", params=query, headers=headers, timeout=60)


@pytest.mark.kubectl
def test_the_log_of_a_running_pod_is_followed(node: Platform, owner: PipelinesUser) -> None:
    run_id = owner.a_run()["run_id"]
    pod = a_pod("writer")
    pod["metadata"] = {"name": "writer", "labels": {"pipeline/runid": run_id}}
    command = ["sh", "-c", "echo first; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo last"]
    pod["spec"] = {"containers": [{"name": "main", "image": "busybox", "command": command}], "restartPolicy": "Never"}
    node.api.create("/api/v1/namespaces/anna/pods", pod)
    where = f"/runs/{run_id}/nodes/writer/log"
    read = lambda: owner.send("GET", where, version="v1alpha1").text  # noqa: E731
    eventually(lambda: read() == "first\n", 120, "the first line")

    followed = owner.send("GET", where, version="v1alpha1", params={"follow": "true"}, stream=True)
    lines = followed.iter_lines()
    assert next(lines) == b"first"
    words = ["-n", "anna", "exec", "writer", "--", "touch", "/tmp/go"]
    subprocess.run([KUBECTL or "kubectl", "--kubeconfig", str(node.api.kubeconfig), *words], check=True)
    assert next(lines) == b"last"
    foreign = owner.a_run()["run_id"]
    assert owner.send("GET", f"/runs/{foreign}/nodes/writer/log", version="v1alpha1").status_code == 404


def test_the_api_is_behind_the_api_servers_service_proxy(node: Platform, owner: PipelinesUser) -> None:
    proxied = "/api/v1/namespaces/kubeflow/services/ml-pipeline:http/proxy//apis/v2beta1/healthz"
    answer = eventually(lambda: refused_or_served(node, proxied), 30, "the proxy answers")

    assert answer == 401, "the API server does not pass on who its client is"


def refused_or_served(node: Platform, path: str) -> int:
    status = node.api.request("GET", path).status
    return status if status in (200, 401) else 0


def test_the_listener_comes_back_with_a_new_gateway(node: Platform, owner: PipelinesUser) -> None:
    path = "/apis/discovery.k8s.io/v1/namespaces/kubeflow/endpointslices/ml-pipeline-gateway"
    port = lambda: node.api.get(path)["ports"][0]["port"]  # noqa: E731
    before = eventually(port, 60)
    node.kill_gateway()

    eventually(lambda: port() != before, 60, "another port")
    proxied = "/api/v1/namespaces/kubeflow/services/ml-pipeline:http/proxy/apis/v2beta1/healthz"
    eventually(lambda: refused_or_served(node, proxied) == 401, 30, "the new listener")
