"""Windlass installed on a cluster that is none: its manifests applied, its manager run with the rights that they give.

The manager runs beside the cluster instead of in a pod of it, so in the end the webhooks are named by URL and not by
Service.
"""

import json
import os
import ssl
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import yaml

from tests.e2e.node.platforms import Platform, Platforms
from tests.support import eventually, free_port

ROOT = Path(__file__).parents[3]
AS_THERE = ("--gang-scheduler-name", "volcano", "--leader-election-namespace", "windlass")
USER = "root" if os.geteuid() == 0 else "ordinary user"
ACCOUNT = "system:serviceaccount:windlass:windlass-manager"
POLICY = f"""
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {{level: Metadata, users: ["{ACCOUNT}"]}}
- level: None
"""


@dataclass
class Cluster:
    folder: Path
    webhook_port: int = field(default_factory=free_port)
    platforms: Platforms = field(init=False)
    platform: Platform = field(init=False)
    applied: subprocess.CompletedProcess[str] = field(init=False)
    """What kubectl said to the manifests, as strict as it can be."""
    scheme: str = ""
    """The kinds that the printed Deployment looks after, as an option."""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, subprocess.Popen[bytes]])

    def __post_init__(self) -> None:
        policy = self.folder / "policy.yaml"
        policy.write_text(POLICY)
        flags = ("--no-manager", "--audit-policy-file", str(policy), "--audit-log-path", str(self.audit_log))
        self.platforms = Platforms(flags=flags)

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"

    @property
    def webhook_url(self) -> str:
        return f"https://127.0.0.1:{self.webhook_port}"

    @property
    def kubeconfig(self) -> Path:
        """The way in with the rights of the manager's service account, and no more."""
        return self.folder / "manager.kubeconfig"

    def start(self) -> None:
        self.platform = self.platforms.of(USER)
        self._run("own-parts", sys.executable, "-m", "tests.e2e.cluster.own_parts", str(self.platform.data_dir))
        manifests = self.windlass("manifests")
        self.scheme = next(word for word in _container(manifests)["args"] if word.startswith("--enable-scheme"))
        apply = "apply --server-side --force-conflicts --validate=strict -f -"
        self.applied = self.platform.kubectl(apply, stdin=manifests)
        self.platform.kubectl(apply, stdin=self.windlass("manifests", "webhooks", "--webhook-url", self.webhook_url))
        account = "/api/v1/namespaces/windlass/serviceaccounts/default"
        eventually(lambda: self._is_there(account), 120, "the cluster's own controllers are at work")
        self._write_kubeconfig()
        self.start_manager("first", "--webhook-port", str(self.webhook_port))
        eventually(self._is_trusted, 120, "the webhooks are trusted")

    def stop(self) -> None:
        for name in reversed([*self.processes]):
            self.end(name)
        self.platforms.stop()

    def end(self, name: str) -> None:
        process = self.processes.pop(name)
        process.terminate()
        process.wait(60)

    def start_manager(self, name: str, *flags: str) -> None:
        """One more manager, against the cluster; it is at work or stands by when this returns."""
        port = free_port()
        listening = ("--metrics-bind-address", "0", "--health-probe-bind-address", f"127.0.0.1:{port}")
        command = (sys.executable, "-m", "windlass", "manager", "--kubeconfig", str(self.kubeconfig))
        self._run(name, *command, self.scheme, *AS_THERE, *listening, *flags)
        eventually(partial(answers, f"http://127.0.0.1:{port}/readyz"), 120, f"{name} is ready")
        if "--webhook-port" in flags:
            eventually(partial(answers, f"{self.webhook_url}/readyz"), 120, f"the webhooks of {name} are ready")

    def windlass(self, *words: str) -> str:
        argv = [sys.executable, "-m", "windlass", *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120).stdout

    def log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return path.read_text()[-3000:] if path.exists() else ""

    def audited(self) -> list[Any]:
        """What the manager has asked the server for, and how that went."""
        return audit_events(self.audit_log)

    def _run(self, name: str, *argv: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes[name] = process

    def _write_kubeconfig(self) -> None:
        config = yaml.safe_load(self.platform.kubeconfig.read_text())
        token = self.platform.kubectl("create token windlass-manager -n windlass --duration 2h").stdout.strip()
        config["users"][0]["user"] = {"token": token}
        self.kubeconfig.touch(mode=0o600)
        self.kubeconfig.write_text(yaml.safe_dump(config))

    def _is_there(self, path: str) -> bool:
        assert self.processes["own-parts"].poll() is None, self.log("own-parts")
        return self.platform.request("GET", path).status == 200

    def validator(self) -> Any:
        """The printed ValidatingWebhookConfiguration as it now is."""
        kind = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
        return self.platform.get(f"{kind}/validator.training-operator.kubeflow.org")

    def _is_trusted(self) -> bool:
        return all(webhook["clientConfig"].get("caBundle") for webhook in self.validator()["webhooks"])


def audit_events(log: Path) -> list[Any]:
    """Of a file that is being written: the last line may be there in part."""
    whole, _, _ = log.read_bytes().rpartition(b"\n")
    return [json.loads(line) for line in whole.splitlines()]


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=20, context=ssl._create_unverified_context()) as answer:
            return answer.status == 200
    except OSError:
        return False


def _container(manifests: str) -> Any:
    """The manager's container. Only its document is read: the definitions are long."""
    text = next(text for text in manifests.split("---\n") if "kind: Deployment" in text)
    return yaml.safe_load(text)["spec"]["template"]["spec"]["containers"][0]
