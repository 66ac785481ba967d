"""Pipelines on a cluster: no shared folders. Pods fetch from and publish to an S3 server; the history is PostgreSQL."""

import base64
import io
import re
import socket
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests
import yaml

from tests.apps.pipelines.artifacts.stores.object_store import KEYS, ObjectStore, object_store
from tests.apps.pipelines.rows.servers import postgresql
from tests.e2e.cluster.platform_cluster import HOME, PlatformCluster, platform_cluster
from tests.support import eventually, free_port

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(600)]

PROFILE = "kubeflow-user-example-com"
AUDIENCE = "pipelines.kubeflow.org"
DATASET = {"artifactType": {"schemaTitle": "system.Dataset", "schemaVersion": "0.0.1"}}
TEXT, NUMBER = {"parameterType": "STRING"}, {"parameterType": "NUMBER_INTEGER"}
MAKE = """
import os, sys
table, folder, number, flaky = sys.argv[1:]
open(table, "w").write("a,b")
os.makedirs(folder + "/deep")
os.chmod(folder, 0o700)
open(folder + "/deep/part", "w").write("rows")
open(number, "w").write("7")
"""
FLAKY = """
import os, sys
if os.environ["KFP_RETRY_INDEX"] == "0":
    sys.exit(1)
open(sys.argv[1], "w").write("attempt " + os.environ["KFP_RETRY_INDEX"])
"""
USE = """
import os, sys, urllib.error, urllib.request
table, folder, number, words, out = sys.argv[1:]
try:
    urllib.request.urlopen("http://ml-pipeline.kubeflow:8888/apis/v2beta1/healthz")
except urllib.error.HTTPError as error:
    api = error.code
keys = [name for name in os.environ if "KEY" in name]
keys += ["/var/run/windlass"] if os.path.exists("/var/run/windlass") else []
text = "|".join((open(table).read(), open(folder + "/deep/part").read(), number, words, str(api), str(keys)))
open(out, "w").write(text)
"""
WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: %(name)s, namespace: %(namespace)s}
spec:
  entrypoint: main
  serviceAccountName: default-editor
  templates:
  - name: main
    dag:
      tasks:
      - {name: make, template: make}
      - name: use
        template: use
        depends: make
        arguments:
          parameters:
          - {name: count, value: "{{tasks.make.outputs.parameters.count}}"}
          - {name: result, value: "{{tasks.make.outputs.result}}"}
          artifacts:
          - {name: data, from: "{{tasks.make.outputs.artifacts.data}}"}
          - {name: named, from: "{{tasks.make.outputs.artifacts.named}}"}
  - name: make
    script:
      image: python:3
      command: [python3]
      source: |
        import os
        os.makedirs("/tmp/data/deep")
        open("/tmp/data/deep/part", "w").write("rows")
        open("/tmp/n", "w").write("7")
        open("/tmp/named", "w").write("named")
        print("printed")
    outputs:
      parameters: [{name: count, valueFrom: {path: /tmp/n}}]
      artifacts:
      - {name: data, path: /tmp/data}
      - {name: named, path: /tmp/named, s3: NAMED}
  - name: use
    inputs:
      parameters: [{name: count}, {name: result}]
      artifacts: [{name: data, path: /tmp/in}, {name: named, path: /tmp/given}]
    script:
      image: python:3
      command: [python3]
      source: |
        named = open("/tmp/given").read()
        print(open("/tmp/in/deep/part").read(), "{{inputs.parameters.count}}", "{{inputs.parameters.result}}", named)
"""
FAIL = "import sys; sys.exit(3)"


def component(name: str, inputs: Any = None, outputs: Any = None) -> Any:
    made = {"inputDefinitions": inputs, "outputDefinitions": outputs}
    return {"executorLabel": f"exec-{name}", **{key: value for key, value in made.items() if value}}


def executor(program: str, *args: str) -> Any:
    return {"container": {"image": "python:3", "command": ["python3", "-c", program], "args": list(args)}}


def output(task: str, name: str, kind: str = "Parameter") -> Any:
    return {f"taskOutput{kind}": {"producerTask": task, f"output{kind}Key": name}}


def task(name: str, **fields: Any) -> Any:
    reference = {"taskInfo": {"name": name}, "componentRef": {"name": f"comp-{name}"}}
    return {**reference, "cachingOptions": {"enableCache": True}, **fields}


def pipeline(tasks: Any, components: Any, executors: Any) -> Any:
    return {
        "pipelineInfo": {"name": "passing"},
        "schemaVersion": "2.1.0",
        "sdkVersion": "kfp-2.17.0",
        "root": {"dag": {"tasks": tasks}},
        "components": {f"comp-{name}": found for name, found in components.items()},
        "deploymentSpec": {"executors": {f"exec-{name}": found for name, found in executors.items()}},
    }


def passing() -> Any:
    """make and a flaky task -> use, which takes a file, a folder and parameters."""
    artifacts, path = {"table": DATASET, "folder": DATASET}, "{{$.%s.artifacts['%s'].path}}"
    file = "{{$.outputs.parameters['%s'].output_file}}"
    read = {
        "artifacts": {name: output("make", name, "Artifact") for name in artifacts},
        "parameters": {"n": output("make", "n"), "words": output("flaky", "words")},
    }
    return pipeline(
        {
            "make": task("make"),
            "flaky": task("flaky", retryPolicy={"maxRetryCount": 2, "backoffDuration": "0s"}),
            "use": task("use", dependentTasks=["make", "flaky"], inputs=read),
        },
        {
            "make": component("make", outputs={"artifacts": artifacts, "parameters": {"n": NUMBER}}),
            "flaky": component("flaky", outputs={"parameters": {"words": TEXT}}),
            "use": component(
                "use",
                {"artifacts": artifacts, "parameters": {"n": NUMBER, "words": TEXT}},
                {"artifacts": {"out": DATASET}},
            ),
        },
        {
            "make": executor(MAKE, path % ("outputs", "table"), path % ("outputs", "folder"), file % "n", "x"),
            "flaky": executor(FLAKY, file % "words"),
            "use": executor(
                USE,
                path % ("inputs", "table"),
                path % ("inputs", "folder"),
                "{{$.inputs.parameters['n']}}",
                "{{$.inputs.parameters['words']}}",
                path % ("outputs", "out"),
            ),
        },
    )


def failing() -> Any:
    return pipeline(
        {"fail": task("fail")},
        {"fail": component("fail", outputs={"parameters": {"out": TEXT}})},
        {"fail": executor(FAIL, "{{$.outputs.parameters['out'].output_file}}")},
    )


def own_address() -> str:
    """An address of this machine that pods reach too; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but the loopback one")
        return probe.getsockname()[0]


@dataclass(frozen=True)
class Pipelines:
    """The pipelines API of the gateway, with the token of the profile's account."""

    cluster: PlatformCluster
    token: str

    def call(self, method: str, path: str, body: Any = None) -> Any:
        url = f"{self.cluster.gateway_url}/pipeline/apis/v2beta1/{path}"
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.request(method, url, json=body, headers=headers, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def run(self, spec: Any) -> Any:
        """Start a run and wait for its end."""
        experiments = self.call("GET", f"experiments?namespace={PROFILE}").get("experiments", [])
        if not experiments:
            experiments = [self.call("POST", "experiments", {"display_name": "x", "namespace": PROFILE})]
        given = {"display_name": "r", "experiment_id": experiments[0]["experiment_id"], "pipeline_spec": spec}
        made = self.call("POST", "runs", given)
        return eventually(lambda: self.ended(made["run_id"]), 180, "the run has ended")

    def ended(self, run_id: str) -> Any:
        run = self.call("GET", f"runs/{run_id}")
        return run if run["state"] in ("SUCCEEDED", "FAILED") else None

    def tasks(self, run: Any) -> dict[str, Any]:
        return {found["display_name"]: found for found in run["run_details"]["task_details"]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with object_store(tmp_path_factory.mktemp("store"), own_address()) as store:
        store.make_bucket("data")
        store.make_bucket("mlpipeline")
        yield store


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    address = (own_address(), free_port())
    # Not below pytest's folder, which PostgreSQL's user may not enter.
    place = tempfile.TemporaryDirectory(prefix="windlass-pg-", dir="/var/tmp")
    with place as folder, postgresql(Path(folder), address) as url:
        eventually(lambda: has_made_database(url.format(name="postgres")), 60, "PostgreSQL answers")
        yield url.format(name="pipelines")


def has_made_database(url: str) -> bool:
    """False while the server starts."""
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("create database pipelines")
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, database: str) -> Iterator[PlatformCluster]:
    with platform_cluster(tmp_path_factory.mktemp("pipelines"), ("psycopg", "psycopg-binary")) as running:
        words = ("--platform", "--pipelines", "--pipelines-root", "s3://data/root")
        secret = a_secret("windlass-pipelines-database", HOME, {"url": database})
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
        running.kubectl("apply --server-side -f -", stdin=yaml.safe_dump_all([namespace, secret]))
        manifests = running.windlass("manifests", *words, "--external-url", running.gateway_url)
        running.kubectl("apply --server-side --validate=strict -f -", stdin=manifests)
        running.until_ready("windlass-manager")
        running.until_ready("windlass-gateway")
        running.forward()
        yield running


@pytest.fixture(scope="module")
def pipelines(cluster: PlatformCluster, store: ObjectStore) -> Pipelines:
    account = f"/api/v1/namespaces/{PROFILE}/serviceaccounts/default-editor"
    eventually(lambda: cluster.request("GET", account).status == 200, 60, "the first profile is ready")
    default = {"endpoint": store.endpoint, "disableSSL": True, "maxRetries": 2}
    providers = {name: {"default": default} for name in ("s3", "minio")}
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kfp-launcher", "namespace": PROFILE},
        "data": {"providers": yaml.safe_dump(providers)},
    }
    keys = a_secret("mlpipeline-minio-artifact", PROFILE, KEYS)
    cluster.kubectl("apply --server-side -f -", stdin=yaml.safe_dump_all([config, keys]))
    token = cluster.kubectl(f"-n {PROFILE} create token default-editor --audience {AUDIENCE}").stdout.strip()
    return Pipelines(cluster, token)


def a_secret(name: str, namespace: str, data: dict[str, str]) -> Any:
    values = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": values}


def test_a_pipeline_passes_files_folders_and_parameters_and_is_cached(pipelines: Pipelines, store: ObjectStore) -> None:
    first = pipelines.run(passing())
    began = time.monotonic()
    second = pipelines.run(passing())
    took = time.monotonic() - began

    tasks = pipelines.tasks(first)
    assert first["state"] == "SUCCEEDED", {name: found.get("error") for name, found in tasks.items()}
    seen = store.get(f"data/{key_of(store, first, 'use', 'out')}").decode()
    assert seen == "a,b|rows|7|attempt 1|401|[]", "the main container sees neither keys nor the volume of the others"
    assert store.get(f"data/{key_of(store, first, 'make', 'folder/deep/part')}") == b"rows"
    assert second["state"] == "SUCCEEDED"
    assert {found["state"] for name, found in pipelines.tasks(second).items() if name in ("make", "use")} == {"SKIPPED"}
    assert took < 60
    claims = pipelines.cluster.get(f"/api/v1/namespaces/{PROFILE}/persistentvolumeclaims")["items"]
    assert claims == []


def key_of(store: ObjectStore, run: Any, task: str, name: str) -> str:
    """The key of a task's output."""
    pattern = re.compile(rf"root/passing/{run['run_id']}/{task}/[^/]+/{name}")
    (key,) = [key for key in store.keys("data") if pattern.fullmatch(key)]
    return key


def test_a_task_that_fails_reports_its_exit_code(pipelines: Pipelines) -> None:
    run = pipelines.run(failing())

    assert run["state"] == "FAILED"
    error = pipelines.tasks(run)["fail"]["error"]
    assert "exit code 3" in error["message"]


def test_workflows_pass_artifacts_parameters_and_results(pipelines: Pipelines, store: ObjectStore) -> None:
    place = (
        f"{{endpoint: '{store.endpoint}', bucket: data, key: 'argo/%(name)s', insecure: true, "
        "accessKeySecret: {name: argo-keys, key: accesskey}, secretKeySecret: {name: argo-keys, key: secretkey}}"
    )
    pipelines.cluster.kubectl("apply --server-side -f -", stdin=yaml.safe_dump(a_secret("argo-keys", PROFILE, KEYS)))
    status = run_workflow(pipelines.cluster, "passing", WORKFLOW.replace("NAMED", place))

    nodes = {node["displayName"]: node for node in status["nodes"].values()}
    assert status["phase"] == "Succeeded", {name: node.get("message") for name, node in nodes.items()}
    assert nodes["use"]["outputs"]["result"] == "rows 7 printed named"
    with tarfile.open(fileobj=io.BytesIO(store.get("data/argo/passing"))) as archive:
        assert archive.getnames() == ["named"]
    key = nodes["make"]["outputs"]["artifacts"][0]["s3"]["key"]
    assert store.get(f"mlpipeline/{key}/deep/part") == b"rows"


def run_workflow(cluster: PlatformCluster, name: str, text: str) -> Any:
    """The status of a Workflow at its end."""
    cluster.kubectl("create -f -", stdin=text % {"name": name, "namespace": PROFILE})
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{PROFILE}/workflows/{name}"

    def ended() -> Any:
        status = cluster.get(path).get("status", {})
        return status if status.get("phase") in ("Succeeded", "Failed", "Error") else None

    return eventually(ended, 120, f"the Workflow {name} has ended")


def test_manager_and_gateway_are_refused_nothing(pipelines: Pipelines) -> None:
    for part in ("manager", "gateway"):
        refused = [event for event in pipelines.cluster.audited(part) if event["responseStatus"]["code"] == 403]
        assert [event["requestURI"] for event in refused if "impersonatedUser" not in event] == [], part
