"""Training jobs for stories: short manifests of every kind, and waiting for what becomes of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.e2e.node.pods import Object, PodShell
from windlass.apps.training.frameworks import BY_KIND
from windlass.kube.kind import KINDS

CODE = "/code"
"""Where a job's script lies in its pods."""
SUCCEEDED = [("Created", "True"), ("Running", "False"), ("Succeeded", "True")]
"""The conditions of a job that went as it should."""


def script(name: str, text: str) -> Object:
    """A program that jobs can mount, as main.py."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"main.py": text}}


def template(kind: str, image: str, command: Sequence[str], code: str = "", **container: Any) -> Object:
    """A pod template whose main container runs a command; `code` is the ConfigMap of its script."""
    main: Object = {"name": BY_KIND[kind].container, "image": image, "command": list(command), **container}
    spec: Object = {"terminationGracePeriodSeconds": 1, "containers": [main]}
    if code:
        main["volumeMounts"] = [{"name": "code", "mountPath": CODE}]
        spec["volumes"] = [{"name": "code", "configMap": {"name": code}}]
    return {"spec": spec}


def job(kind: str, name: str, counts: dict[str, int], pod: Object, restart: str = "", **spec: Any) -> Object:
    """A job all of whose replicas are alike; `spec` are further fields, such as runPolicy."""
    policy = {"restartPolicy": restart} if restart else {}
    replicas = {role: {"replicas": count, "template": pod, **policy} for role, count in counts.items()}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {BY_KIND[kind].specs_field: replicas, **spec},
    }


def conditions(obj: Object) -> list[tuple[str, str]]:
    return [(each["type"], each["status"]) for each in obj.get("status", {}).get("conditions", [])]


def is_over(obj: Object) -> bool:
    return not {("Succeeded", "True"), ("Failed", "True")}.isdisjoint(conditions(obj))


@dataclass
class JobShell(PodShell):
    """A terminal in whose namespace jobs are trained."""

    def path(self, path: str) -> str:
        plural = path.split("/", maxsplit=1)[0].split("?", maxsplit=1)[0]
        if any(KINDS.of(framework.kind).plural == plural for framework in BY_KIND.values()):
            return f"/apis/kubeflow.org/v1/namespaces/{self.namespace}/{path}"
        return super().path(path)

    def has(self, path: str, condition: str, within: float = 120.0) -> Object:
        """Wait until a job has a condition; the job."""
        return self.until(path, lambda job: (condition, "True") in conditions(job), within)

    def ends(self, path: str, within: float = 240.0) -> Object:
        """Wait until a job has succeeded or failed; the job."""
        return self.until(path, is_over, within)

    def succeeds(self, path: str, within: float = 240.0) -> Object:
        """Wait until a job has ended, which must be well and by way of Running; the job."""
        ended = self.ends(path, within)
        assert conditions(ended) == SUCCEEDED, f"{ended['status']}\n{self.told(path)}"
        return ended

    def is_done(self, path: str, within: float = 240.0) -> Object:
        """The same for a job that may be over before anybody has seen it run."""
        ended = self.ends(path, within)
        assert conditions(ended)[-1] == ("Succeeded", "True"), f"{ended['status']}\n{self.told(path)}"
        return ended

    def told(self, path: str) -> str:
        """What the pods of a job said last, for who must find out what went wrong."""
        name = path.rsplit("/", maxsplit=1)[-1]
        pods = self.pods(f"training.kubeflow.org/job-name={name}")
        return "\n".join(f"--- {pod['metadata']['name']}\n{self.log(pod['metadata']['name'])[-2000:]}" for pod in pods)

    def log(self, pod: str) -> str:
        return self.server.request("GET", self.path(f"pods/{pod}/log")).body.decode()
