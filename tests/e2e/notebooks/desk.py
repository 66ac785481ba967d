"""A person at work: a namespace with its service account, a signed-in browser, and kubectl."""

import itertools
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.e2e.training.images import kept_images
from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

NAMESPACE = """
apiVersion: v1
kind: Namespace
metadata: {{name: {name}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: default-editor, namespace: {name}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: default-editor, namespace: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}}
subjects: [{{kind: ServiceAccount, name: default-editor, namespace: {name}}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: person, namespace: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {email}}}]
"""


PROFILE = """
apiVersion: kubeflow.org/v1
kind: Profile
metadata: {{name: {name}}}
spec: {{owner: {{kind: User, name: {email}}}}}
"""


LISTS: dict[str, tuple[str, str, Callable[[dict[str, Any]], str]]] = {
    "notebook": ("/jupyter/api/namespaces/{}/notebooks", "notebooks", lambda row: row["status"]["phase"]),
    "tensorboard": ("/tensorboards/api/namespaces/{}/tensorboards", "tensorboards", lambda row: row["status"]["phase"]),
    "pvcviewer": ("/volumes/api/namespaces/{}/pvcs", "pvcs", lambda row: row["viewer"]["status"]),
}
"""The list of each web app: its path, the key of its rows, and the phase of the server in a row."""


@dataclass
class Desk:
    platform: Platform
    namespace: str
    person: Person
    browser: Browser

    def furnish(self) -> None:
        self.kubectl("apply", "-f", "-", stdin=NAMESPACE.format(name=self.namespace, email=self.person.email))

    def found_profile(self) -> None:
        """Make the namespace as users get it: with its roles, accounts and policies."""
        self.kubectl("apply", "-f", "-", stdin=PROFILE.format(name=self.namespace, email=self.person.email))
        self.kubectl("wait", "--for=condition=Ready", f"profile/{self.namespace}", "--timeout=60s")

    def clear(self) -> None:
        self.kubectl("delete", "namespace", self.namespace, "--wait=false")

    def kubectl(self, *words: str, stdin: str = "") -> str:
        assert KUBECTL is not None
        done = subprocess.run(
            [KUBECTL, "--kubeconfig", str(self.platform.data_dir / "kubeconfig"), "-n", self.namespace, *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    def apply(self, *objects: dict[str, Any] | str) -> None:
        texts = [obj if isinstance(obj, str) else yaml.safe_dump(obj) for obj in objects]
        self.kubectl("apply", "-f", "-", stdin="\n---\n".join(texts))

    def get(self, kind: str, name: str) -> dict[str, Any]:
        return json.loads(self.kubectl("get", kind, name, "-o", "json"))

    def find(self, kind: str, **labels: str) -> list[dict[str, Any]]:
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        return json.loads(self.kubectl("get", kind, "-l", selector, "-o", "json"))["items"]

    def until_ready(self, kind: str, name: str, within: float = 90.0) -> None:
        def is_ready() -> bool:
            status = self.get(kind, name).get("status", {})
            return status.get("readyReplicas") == 1 or status.get("ready") is True

        self._wait_for(is_ready, within, kind, name)

    def _wait_for(self, is_ready: Callable[[], bool], within: float, kind: str, name: str) -> None:
        try:
            eventually(is_ready, within, f"{kind} {name} is ready")
        except AssertionError as error:
            said = self.kubectl("describe", "pods") + self.kubectl("get", kind, name, "-o", "yaml")
            raise AssertionError(f"{error}\n{said}") from error

    def opened(self, kind: str, name: str, path: str) -> requests.Response:
        """The page of a server that its web app lists as ready: the first request is answered."""
        listed, key, phase = LISTS[kind]

        def is_listed_as_ready() -> bool:
            answer = self.browser.get(listed.format(self.namespace))
            assert answer.status_code == 200, answer.text
            return any(row["name"] == name and phase(row) == "ready" for row in answer.json()[key])

        self._wait_for(is_listed_as_ready, 90, kind, name)
        answer = self.browser.get(path)
        assert answer.status_code == 200, answer.text
        return answer

    def events(self, kind: str, name: str) -> list[tuple[str, str]]:
        fields = f"involvedObject.kind={kind},involvedObject.name={name}"
        items = json.loads(self.kubectl("get", "events", "--field-selector", fields, "-o", "json"))["items"]
        return [(event["reason"], event["message"]) for event in items]


_numbers = itertools.count(1)


@contextmanager
def platform_with_sandbox(home: Path, *flags: str) -> Iterator[Platform]:
    """A platform whose node runs pods in sandboxes; skips where the kernel refuses them."""
    running = Platform(home, ["--images-dir", str(kept_images()), *flags])
    running.up()
    try:
        node = running.api.get("/api/v1/nodes")["items"][0]
        if not node["status"]["nodeInfo"]["containerRuntimeVersion"].startswith("windlass-sandbox:"):
            pytest.skip("user namespaces are refused here, so that pods are plain processes")
        yield running
    finally:
        running.down()


@contextmanager
def desk_of_a_person(platform: Platform) -> Iterator[Desk]:
    """A new person, signed in, with a namespace of their own."""
    name = f"ada{next(_numbers)}"
    person = a_person(platform, f"{name}@example.com")
    desk = Desk(platform, name, person, signed_in(platform, person))
    desk.furnish()
    yield desk
    desk.clear()


@contextmanager
def desk_of_a_profile(platform: Platform) -> Iterator[Desk]:
    """A new person, signed in, who owns a profile."""
    name = f"profile{next(_numbers)}"
    person = a_person(platform, f"{name}@example.com")
    desk = Desk(platform, name, person, signed_in(platform, person))
    desk.found_profile()
    yield desk
    desk.kubectl("delete", "profile", name, "--wait=false")
