"""A real JupyterLab on a volume of its own, used through the gateway."""

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import aiohttp
import msgspec
import pytest
import requests

from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL, eventually
from windlass.apps.notebooks import culling

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(900),
]

IMAGE = "kubeflownotebookswg/jupyter:v1.9.0"
NOTEBOOK = """
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: lab, labels: {app: lab}}
spec:
  template:
    spec:
      serviceAccountName: default-editor
      containers:
      - name: lab
        image: %s
        volumeMounts: [{name: home, mountPath: /home/jovyan}]
      volumes: [{name: home, persistentVolumeClaim: {claimName: lab-volume}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: lab-volume}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
KUBECTL_IN_A_CELL = """
import subprocess
from kubernetes import client, config
config.load_incluster_config()
namespace = open("/var/run/secrets/kubernetes.io/serviceaccount/namespace").read()
pods = client.CoreV1Api().list_namespaced_pod(namespace).items
print([pod.metadata.name for pod in pods], subprocess.run(["kubectl", "get", "pods", "-o", "name"],
      capture_output=True, text=True).stdout.split())
"""


@pytest.fixture
def lab(desk: Desk, pulled: Callable[[str], None]) -> Desk:
    pulled(IMAGE)
    desk.apply(NOTEBOOK % IMAGE)
    return desk


class Kernel:
    """A kernel of a notebook's server, driven as JupyterLab does: a POST, then messages over a WebSocket."""

    def __init__(self, desk: Desk, name: str = "lab") -> None:
        self.desk = desk
        self.base = f"/notebook/{desk.namespace}/{name}"

    async def run_by_url(self, url: str, *cells: str) -> list[str]:
        """The same as an IDE that was given a URL with a token: no cookies."""
        base, _, token = url.partition("?token=")
        async with aiohttp.ClientSession(headers={"Authorization": f"token {token}"}) as session:
            async with session.post(f"{base}api/kernels", json={"name": "python3"}) as made:
                kernel = (await made.json())["id"]
            async with session.get(f"{base}api/kernels") as listed:
                assert kernel in [row["id"] for row in await listed.json()]
            async with (
                aiohttp.ClientSession() as plain,
                plain.ws_connect(f"{base}api/kernels/{kernel}/channels?token={token}") as socket,
            ):
                printed = [await self._cell(socket, cell) for cell in cells]
            async with session.delete(f"{base}api/kernels/{kernel}") as ended:
                assert ended.status == 204
        return printed

    async def run(self, *cells: str) -> list[str]:
        """What each cell prints, or the value of its last line."""
        made = self.desk.browser.post(f"{self.base}/api/kernels", json={"name": "python3"})
        assert made.status_code == 201, made.text
        url = f"{self.desk.browser.url}{self.base}/api/kernels/{made.json()['id']}/channels"
        headers = {"Origin": self.desk.browser.url}
        jar = aiohttp.CookieJar(unsafe=True)
        async with (
            aiohttp.ClientSession(cookies=self.desk.browser.cookies, cookie_jar=jar) as session,
            session.ws_connect(url, headers=headers) as socket,
        ):
            return [await self._cell(socket, cell) for cell in cells]

    async def _cell(self, socket: aiohttp.ClientWebSocketResponse, code: str) -> str:
        asked = uuid4().hex
        header: dict[str, Any] = {"msg_id": asked, "msg_type": "execute_request", "session": "s", "username": "u"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": {**header, "version": "5.3", "date": ""}, "parent_header": {}, "metadata": {}}
        await socket.send_json({**message, "content": content, "channel": "shell", "buffers": []})
        printed = ""
        while True:
            answer = json.loads((await socket.receive(timeout=60)).data)
            if answer["parent_header"].get("msg_id") != asked:
                continue
            match answer["msg_type"]:
                case "stream":
                    printed += answer["content"]["text"]
                case "execute_result":
                    printed += answer["content"]["data"]["text/plain"]
                case "error":
                    raise AssertionError(answer["content"]["traceback"])
                case "status" if answer["content"]["execution_state"] == "idle":
                    return printed
                case _:
                    pass


def asked_through_the_api(desk: Desk, what: str) -> bytes:
    token = b64decode(desk.get("secret", "lab-notebook-token")["data"]["token"]).decode()
    path = f"notebook/{desk.namespace}/lab/api/{what}?token={token}"
    answer = desk.platform.api.request("GET", f"/api/v1/namespaces/{desk.namespace}/pods/lab-0:8888/proxy/{path}")
    assert answer.status == 200, answer.body
    return answer.body


def opened(desk: Desk, name: str = "lab") -> requests.Response:
    """JupyterLab's page."""
    return desk.opened("notebook", name, f"/notebook/{desk.namespace}/{name}/lab")


async def test_a_person_works_in_jupyterlab_through_the_gateway(lab: Desk) -> None:
    page = opened(lab)
    assert "<title>JupyterLab</title>" in page.text
    assert '"token": ""' in page.text

    result, pods, _ = await Kernel(lab).run("1 + 1", KUBECTL_IN_A_CELL, "open('kept.txt', 'w').write('mine')")

    assert result == "2"
    assert pods.strip() == "['lab-0'] ['pod/lab-0']"  # as default-editor, without any configuration
    assert "notebooks.kubeflow.org/last-activity" in lab.get("notebook", "lab")["metadata"]["annotations"]

    kernels = asked_through_the_api(lab, "kernels")  # as the culler asks
    assert [kernel.execution_state for kernel in msgspec.json.decode(kernels, type=list[culling.Kernel])] == ["idle"]
    assert asked_through_the_api(lab, "terminals") == b"[]"
    assert any(message.startswith("Reissued from pod/lab-0: ") for _, message in lab.events("Notebook", "lab"))

    made = lab.platform.windlass("notebook", "url", "lab", "-n", lab.namespace, "--user", lab.person.email)
    assert await Kernel(lab).run_by_url(made.stdout.strip(), "6 * 7") == ["42"], made.stderr

    stop = {"metadata": {"annotations": {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}}}
    lab.kubectl("patch", "notebook", "lab", "--type=merge", "-p", json.dumps(stop))
    eventually(lambda: not lab.find("pods", **{"notebook-name": "lab"}), 60, "the pod is gone")
    lab.kubectl("annotate", "notebook", "lab", "kubeflow-resource-stopped-")
    eventually(lambda: lab.find("pods", **{"notebook-name": "lab"}), 60, "a pod is back")
    opened(lab)

    assert await Kernel(lab).run("open('kept.txt').read()") == ["'mine'"]


def test_nobody_enters_without_the_token(lab: Desk) -> None:
    opened(lab)
    ask = "import urllib.request as r; r.urlopen('http://localhost:8888/notebook/{}/lab/api/kernels')"

    answer = lab.kubectl("exec", "lab-0", "--", "sh", "-c", f'python -c "{ask.format(lab.namespace)}" 2>&1 || true')

    assert "HTTP Error 403" in answer
