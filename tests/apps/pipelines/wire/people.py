"""People who use the pipelines API with a token, as the SDK does."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import requests

from tests.gateway.browser import Person
from tests.gateway.platform import Platform
from tests.support import eventually


@dataclass(frozen=True)
class PipelinesUser:
    url: str
    token: str
    namespace: str
    email: str

    def send(self, method: str, path: str, version: str = "v2beta1", **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        return requests.request(
            method, f"{self.url}/pipeline/apis/{version}{path}", headers=headers, timeout=60, **more
        )

    def get(self, path: str, **query: Any) -> Any:
        return ok(self.send("GET", path, params=query))

    def post(self, path: str, body: Any = None) -> Any:
        return ok(self.send("POST", path, json=body if body is not None else {}))

    def patch(self, path: str, body: Any) -> Any:
        return ok(self.send("PATCH", path, json=body))

    def delete(self, path: str, **query: Any) -> Any:
        return ok(self.send("DELETE", path, params=query))

    def upload(self, content: bytes, file_name: str = "p.yaml", path: str = "/pipelines/upload", **query: Any) -> Any:
        return self.send("POST", path, params=query, files={"uploadfile": (file_name, content)})

    def an_experiment(self, **fields: Any) -> Any:
        return self.post("/experiments", {"display_name": unique("e"), "namespace": self.namespace, **fields})

    def a_pipeline(self, spec: bytes | None = None) -> tuple[str, str]:
        """The ids of a new pipeline and its version."""
        pipeline = ok(self.upload(spec or IR_TEXT, name=unique("p"), namespace=self.namespace))
        versions = self.get(f"/pipelines/{pipeline['pipeline_id']}/versions")["pipeline_versions"]
        return pipeline["pipeline_id"], versions[0]["pipeline_version_id"]

    def a_run(self, **fields: Any) -> Any:
        body = {
            "display_name": unique("r"),
            "pipeline_spec": IR,
            "experiment_id": self.an_experiment()["experiment_id"],
        }
        return self.post("/runs", {**body, **fields})


def ok(answer: requests.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: requests.Response, status: int, code: int) -> str:
    """The message of an error in the shape of gRPC's gateway."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["code"] == code
    assert body["details"][0]["@type"] == "type.googleapis.com/google.rpc.Status"
    return body["details"][0]["message"]


def unique(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def pipelines_user(platform: Platform, person: Person, namespace: str) -> PipelinesUser:
    """A person with a profile of their own and a token."""
    profile = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Profile",
        "metadata": {"name": namespace},
        "spec": {"owner": {"kind": "User", "name": person.email}},
    }
    platform.api.create("/apis/kubeflow.org/v1/profiles", profile)
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default-editor"
    eventually(lambda: platform.api.request("GET", account).status == 200, 60, "the profile's namespace")
    bindings = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings/namespaceAdmin"
    eventually(lambda: platform.api.request("GET", bindings).status == 200, 60, "the owner's rights")
    done = platform.windlass("user", "token", person.email, "--name", "pipelines")
    assert done.returncode == 0, done.stderr
    return PipelinesUser(platform.url, done.stdout.strip(), namespace, person.email)


IR: dict[str, Any] = {
    "pipelineInfo": {"name": "hello-world"},
    "schemaVersion": "2.1.0",
    "sdkVersion": "kfp-2.17.0",
    "root": {
        "inputDefinitions": {
            "parameters": {
                "name": {"parameterType": "STRING", "defaultValue": "world"},
                "n": {"parameterType": "NUMBER_INTEGER", "isOptional": True},
            }
        },
        "dag": {
            "tasks": {
                "say": {
                    "componentRef": {"name": "comp-say"},
                    "taskInfo": {"name": "say"},
                    "inputs": {"parameters": {"text": {"componentInputParameter": "name"}}},
                }
            }
        },
    },
    "components": {
        "comp-say": {
            "executorLabel": "exec-say",
            "inputDefinitions": {"parameters": {"text": {"parameterType": "STRING"}}},
        }
    },
    "deploymentSpec": {
        "executors": {
            "exec-say": {"container": {"image": "busybox", "command": ["echo", "{{$.inputs.parameters['text']}}"]}}
        }
    },
}
IR_TEXT = json.dumps(IR).encode()
PLATFORM = {"platforms": {"kubernetes": {"deploymentSpec": {"executors": {"exec-say": {"nodeSelector": {}}}}}}}
WORKFLOW: dict[str, Any] = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Workflow",
    "metadata": {"generateName": "v1-hello-"},
    "spec": {
        "entrypoint": "main",
        "arguments": {"parameters": [{"name": "who", "value": "world"}]},
        "templates": [{"name": "main", "container": {"image": "busybox", "command": ["echo", "hello"]}}],
    },
}
