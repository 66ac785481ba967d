"""A cluster without Volcano, Trainer and kubelets, on which `windlass manifests --volcano --trainer` is installed:
manager and scheduler run beside it, each with the rights that its printed account has and no others."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.cluster.installed import ROOT, answers, audit_events
from tests.support import Windlass, eventually, free_port, running
from windlass.apps.volcano import crds as volcano_crds
from windlass.cli.manifests import as_yaml, parts

Object = dict[str, Any]
HOME = "windlass"
ACCOUNTS = ("windlass-manager", "windlass-scheduler")
POLICY = f"""
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {{level: Metadata, users: [{", ".join(f'"system:serviceaccount:{HOME}:{name}"' for name in ACCOUNTS)}]}}
- level: None
"""
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1"
KUBE_BATCH_GROUP = "scheduling.incubator.k8s.io"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATHS = {
    "jobs": "/apis/batch.volcano.sh/v1alpha1",
    "cronjobs": "/apis/batch.volcano.sh/v1alpha1",
    "commands": "/apis/bus.volcano.sh/v1alpha1",
    "jobflows": "/apis/flow.volcano.sh/v1alpha1",
    "jobtemplates": "/apis/flow.volcano.sh/v1alpha1",
    "podgroups": "/apis/scheduling.volcano.sh/v1beta1",
    "replicasets": "/apis/apps/v1",
}
"""Of kinds in a namespace; others are of the core group."""


@dataclass
class BareCluster:
    folder: Path
    server: Windlass
    namespace: str = "default"
    webhook_port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, subprocess.Popen[bytes]])

    def install(self) -> None:
        self._run("few-parts", sys.executable, "-m", "tests.e2e.cluster.few_parts", str(self.server.data_dir))
        self._remove_definitions()
        url = f"https://127.0.0.1:{self.webhook_port}"
        printed = parts("all", HOME, "windlass", url, options=["volcano", "trainer"])
        wanted = [obj for obj in printed if not is_of_first_generation(obj)]
        applying = "apply --server-side --force-conflicts --validate=strict -f -"
        self.server.kubectl(applying, stdin=as_yaml(wanted))
        for obj in wanted:
            if obj["kind"] == "CustomResourceDefinition":
                eventually(partial(self._is_served, obj["spec"]), 60, f"{obj['metadata']['name']} is served")
        waiting = [self._start(part, args) for part, args in containers(printed)]
        for part, port in waiting:
            eventually(partial(self._is_ready, part, port), 120, f"the {part} is ready")
        for obj in wanted:
            if obj["kind"].endswith("WebhookConfiguration"):
                self.until(f"{WEBHOOKS}/{obj['kind'].lower()}s/{obj['metadata']['name']}", is_trusted)

    def _remove_definitions(self) -> None:
        """Of Volcano's kinds, which are installed from the manifests, and kube-batch's, which come later."""
        names = [crd["metadata"]["name"] for crd in self.server.get(CRDS)["items"]]
        removed = [name for name in names if name.endswith((".volcano.sh", f".{KUBE_BATCH_GROUP}"))]
        assert removed
        for name in removed:
            self.server.request("DELETE", f"{CRDS}/{name}")
        for name in removed:
            eventually(partial(self._is_gone, f"{CRDS}/{name}"), 60, f"{name} is gone")

    def install_kube_batch(self) -> None:
        """Define its kinds once manager and scheduler know that they are not there."""
        for part in ("manager", "scheduler"):
            eventually(partial(self._waits_for_definitions, part), 60, f"the {part} watches definitions")
        for crd in volcano_crds.definitions():
            if crd["spec"]["group"] == KUBE_BATCH_GROUP:
                self.make(CRDS, crd)
                eventually(partial(self._is_served, crd["spec"]), 60, f"{crd['metadata']['name']} is served")

    def _waits_for_definitions(self, part: str) -> bool:
        asked = self.audited(part)
        absent = {resource_of(event) for event in asked if is_of_kube_batch(event) and code_of(event) == 404}
        watched = {resource_of(event) for event in asked if event["verb"] == "watch"}
        return absent == {"queues", "podgroups"} and "customresourcedefinitions" in watched

    def _is_served(self, spec: Object) -> bool:
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        return self.server.request("GET", path).status == 200

    def _start(self, part: str, args: list[str]) -> tuple[str, int]:
        """As the printed Deployment has it, but for where it listens; answers where it is asked how it fares."""
        port = free_port()
        if part == "manager":
            listening = ["--webhook-port", str(self.webhook_port), "--metrics-bind-address", "0"]
            home, probes = "--leader-election-namespace", "--health-probe-bind-address"
        else:
            listening = ["--listen-address", "0"]
            home, probes = "--leader-elect-resource-namespace", "--healthz-address"
        command = [sys.executable, "-m", "windlass", part, "--kubeconfig", str(self._kubeconfig(part))]
        kept = [word for word in args if "address" not in word and "webhook-port" not in word]
        self._run(part, *command, *kept, home, HOME, *listening, probes, f"127.0.0.1:{port}")
        return part, port

    def _is_ready(self, part: str, port: int) -> bool:
        assert self.processes[part].poll() is None, self.log(part)
        return answers(f"http://127.0.0.1:{port}/readyz")

    def token(self, part: str) -> str:
        path = f"/api/v1/namespaces/{HOME}/serviceaccounts/windlass-{part}/token"
        return self.server.create(path, {"spec": {"expirationSeconds": 7200}})["status"]["token"]

    def _kubeconfig(self, part: str) -> Path:
        config = yaml.safe_load(self.server.kubeconfig.read_text())
        config["users"][0]["user"] = {"token": self.token(part)}
        path = self.folder / f"{part}.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(config))
        return path

    def _run(self, name: str, *argv: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes[name] = process

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            process.wait(60)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()[-3000:]

    def audited(self, part: str) -> list[Any]:
        """What a part has asked the server for, and how that went."""
        events = audit_events(self.folder / "audit.log")
        return [event for event in events if event["user"]["username"].endswith(f":windlass-{part}")]

    # --- objects

    def path(self, what: str) -> str:
        """Of `jobs/train`, say: in the namespace of the test."""
        plural = what.partition("/")[0]
        return f"{PATHS.get(plural, '/api/v1')}/namespaces/{self.namespace}/{what}"

    def make(self, plural: str, obj: Object, **more: Any) -> Object:
        return self.server.create(plural if plural.startswith("/") else self.path(plural), obj, **more)

    def change(self, what: str, patch: Any) -> None:
        path = what if what.startswith("/") else self.path(what)
        answer = self.server.patch(path, patch)
        assert answer.status == 200, answer.body

    def until(self, what: str, holds: Callable[[Any], Any]) -> Any:
        """Wait until the object is there and `holds` of it."""
        path = what if what.startswith("/") else self.path(what)

        def look() -> Any:
            answer = self.server.request("GET", path)
            found = answer.json() if answer.status == 200 else None
            return found if found is not None and holds(found) else None

        try:
            return eventually(look, 90, what)
        except AssertionError as error:
            error.add_note(f"{self.log('manager')}\n{self.log('scheduler')}")
            raise

    def gone(self, what: str) -> None:
        eventually(partial(self._is_gone, self.path(what)), 60, f"{what} is gone")

    def _is_gone(self, path: str) -> bool:
        return self.server.request("GET", path).status == 404

    def placed(self, *pods: str) -> None:
        """Wait until they have nodes."""
        for pod in pods:
            self.until(f"pods/{pod}", lambda found: found["spec"].get("nodeName"))

    def fares(self, pod: str, phase: str) -> None:
        """As a kubelet would tell of it."""
        self.placed(pod)
        state = {"running": {}} if phase == "Running" else {"terminated": {"exitCode": 0}}
        containers = [{"name": "main", "image": "x", "imageID": "", "ready": False, "restartCount": 0, "state": state}]
        self.change(f"pods/{pod}/status", {"status": {"phase": phase, "containerStatuses": containers}})


@contextmanager
def bare_cluster(folder: Path) -> Iterator[BareCluster]:
    policy = folder / "policy.yaml"
    policy.write_text(POLICY)
    with running(folder, "--audit-policy-file", str(policy), "--audit-log-path", str(folder / "audit.log")) as server:
        cluster = BareCluster(folder, server)
        try:
            cluster.install()
            yield cluster
        finally:
            cluster.stop()


def is_of_first_generation(obj: Object) -> bool:
    """Whether it is about training jobs that are no TrainJobs, which the other cluster is for."""
    name = obj["metadata"]["name"]
    return name.endswith((".kubeflow.org", ".training-operator.kubeflow.org")) and ".trainer." not in name


def resource_of(event: Object) -> str:
    return event.get("objectRef", {}).get("resource", "")


def code_of(event: Object) -> int:
    return event["responseStatus"]["code"]


def is_of_kube_batch(event: Object) -> bool:
    return event.get("requestURI", "").startswith(f"/apis/{KUBE_BATCH_GROUP}/")


def is_trusted(configuration: Object) -> bool:
    """Whether the server knows by whom the certificate of each webhook is signed."""
    return all(webhook["clientConfig"].get("caBundle") for webhook in configuration["webhooks"])


def containers(printed: list[Object]) -> Iterator[tuple[str, list[str]]]:
    """The name of the container of each Deployment, and what it is called with."""
    for obj in printed:
        if obj["kind"] == "Deployment":
            container = obj["spec"]["template"]["spec"]["containers"][0]
            yield container["name"], container["args"]


def pod_spec(cpu: str = "100m", **more: Any) -> Object:
    container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {"containers": [container], "restartPolicy": "Never", **more}


def vcjob(name: str, replicas: int = 1, cpu: str = "100m", **spec: Any) -> Object:
    task = {"name": "worker", "replicas": replicas, "template": {"spec": pod_spec(cpu)}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"minAvailable": replicas, "schedulerName": "volcano", "tasks": [task], **spec},
    }


Right = tuple[str, str, str]
"""Verb, API group, resource."""


def used(cluster: BareCluster, part: str) -> set[Right]:
    return {right for event in cluster.audited(part) for right in rights_of(event)}


def rights_of(event: Object) -> set[Right]:
    """What a request needed; to apply what is not there yet is to create it, too."""
    asked = event.get("objectRef", {})
    resource = "/".join(filter(None, (asked.get("resource"), asked.get("subresource"))))
    verbs = {event["verb"]} | ({"create"} if event["responseStatus"]["code"] == 201 else set())
    return {(verb, asked.get("apiGroup", ""), resource) for verb in verbs}


def phase(obj: Object) -> str:
    return obj.get("status", {}).get("state", {}).get("phase", "")
