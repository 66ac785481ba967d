"""A cluster with a node and without any app, on which the platform is installed by its printed manifests.

Manager and gateway run as pods of it, each with the rights of its own service account.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster.environment import make_environment
from tests.e2e.cluster.installed import ROOT, USER, answers, audit_events
from tests.gateway.browser import Browser
from tests.support import KUBECTL, Windlass, eventually, free_port

HOME = "windlass"
ACCOUNTS = tuple(f"system:serviceaccount:{HOME}:windlass-{part}" for part in ("manager", "gateway"))
POLICY = f"""
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {{level: Metadata, users: {json.dumps(ACCOUNTS)}}}
- level: None
"""


@dataclass
class PlatformCluster(Windlass):
    """The server's data dir is below `folder`, beside the logs of all processes."""

    folder: Path = field(kw_only=True)
    gateway_port: int = field(default_factory=free_port)
    named: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, subprocess.Popen[bytes]])

    @property
    def gateway_url(self) -> str:
        return f"http://localhost:{self.gateway_port}"

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    def begin(self) -> None:
        policy = self.folder / "policy.yaml"
        policy.write_text(POLICY)
        audit = ("--audit-policy-file", str(policy), "--audit-log-path", str(self.audit_log))
        alone = ("-m", "tests.e2e.cluster.kubernetes_alone", "server", "--port", str(self.port))
        data = ("--data-dir", str(self.data_dir))
        self.run("server", *alone, *data, *audit)
        eventually(self.is_ready, 120, "the server is ready")
        self.run("own-parts", "-m", "tests.e2e.cluster.own_parts", str(self.data_dir))
        self.run("node", "-m", "windlass", "node", "--server", f"127.0.0.1:{self.port}", *data)
        eventually(self._has_node, 120, "the node is ready")

    def run(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            argv = [sys.executable, *words]
            self.named[name] = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes = [*self.named.values()]

    def end(self) -> None:
        for process in reversed(self.named.values()):
            process.terminate()
        for process in self.named.values():
            process.wait(60)

    def windlass(self, *words: str) -> str:
        argv = [sys.executable, "-m", "windlass", *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=180).stdout

    def log(self, command: str = "server") -> str:
        return (self.folder / f"{command}.log").read_text()[-3000:]

    def _has_node(self) -> bool:
        for name, process in self.named.items():
            assert process.poll() is None, self.log(name)
        nodes = self.get("/api/v1/nodes")["items"]
        conditions = [one for node in nodes for one in node.get("status", {}).get("conditions", [])]
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    def runtime(self) -> str:
        return self.get("/api/v1/nodes")["items"][0]["status"]["nodeInfo"]["containerRuntimeVersion"]

    # --- what is installed

    def until_ready(self, deployment: str) -> None:
        path = f"/apis/apps/v1/namespaces/{HOME}/deployments/{deployment}"
        try:
            eventually(lambda: self.get(path).get("status", {}).get("readyReplicas"), 60, f"{deployment} is ready")
        except AssertionError as error:
            for words in ("describe pods", "logs --tail=80 -l app.kubernetes.io/name=windlass --prefix"):
                error.add_note(self.kubectl(f"-n {HOME} {words}", check=False).stdout[-5000:])
            raise

    def forward(self) -> None:
        """Show the gateway's Service on this machine."""
        assert KUBECTL is not None
        words = ["-n", HOME, "port-forward", "service/windlass-gateway", f"{self.gateway_port}:80"]
        with (self.folder / "forward.log").open("ab") as log:
            argv = [KUBECTL, "--kubeconfig", str(self.kubeconfig), *words]
            self.named["forward"] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(partial(answers, f"{self.gateway_url}/healthz"), 60, "the gateway answers")

    def browser(self) -> Browser:
        return Browser(self.gateway_url)

    def audited(self, part: str) -> list[Any]:
        """What a part has asked the server for itself; not as one of its users."""
        events = audit_events(self.audit_log)
        return [event for event in events if event["user"]["username"].endswith(f":windlass-{part}")]


@contextmanager
def platform_cluster(folder: Path, packages: Sequence[str] = ()) -> Iterator[PlatformCluster]:
    """`packages` are added to the image of Windlass. Skips where pods of other users than this one cannot run."""
    if USER != "root":
        pytest.skip("the Deployments run as a user that a node has only where it is root's")
    cluster = PlatformCluster(folder / "data", free_port(), folder=folder)
    with tempfile.TemporaryDirectory(prefix="windlass-image-", dir="/var/tmp") as image:
        try:
            cluster.begin()
            if not cluster.runtime().startswith("windlass-sandbox:"):
                pytest.skip("user namespaces are refused here, so that pods are plain processes")
            Path(image).chmod(0o755)
            make_environment(Path(image), packages)
            cluster.windlass("images", "add", "windlass:*", "--path", image, "--data-dir", str(cluster.data_dir))
            yield cluster
        finally:
            cluster.end()
