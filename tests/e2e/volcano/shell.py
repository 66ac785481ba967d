"""A terminal with kubectl and windlass, in whose namespace Volcano's kinds are at work."""

import os
import subprocess
from dataclasses import dataclass
from typing import Any

from tests.e2e.node.pods import Object, PodShell, pod_spec
from tests.e2e.training.terminal import WINDLASS

GROUPS = {
    "vcjobs": ("batch.volcano.sh/v1alpha1", "jobs"),
    "cronvcjobs": ("batch.volcano.sh/v1alpha1", "cronjobs"),
    "jobflows": ("flow.volcano.sh/v1alpha1", "jobflows"),
    "jobtemplates": ("flow.volcano.sh/v1alpha1", "jobtemplates"),
    "podgroups": ("scheduling.volcano.sh/v1beta1", "podgroups"),
    "tfjobs": ("kubeflow.org/v1", "tfjobs"),
}
CLUSTER_WIDE = {"queues": "scheduling.volcano.sh/v1beta1"}


@dataclass
class VolcanoShell(PodShell):
    def path(self, path: str) -> str:
        plural, slash, rest = path.partition("/")
        if plural in CLUSTER_WIDE:
            return f"/apis/{CLUSTER_WIDE[plural]}/{path}"
        if plural in GROUPS:
            group, served = GROUPS[plural]
            return f"/apis/{group}/namespaces/{self.namespace}/{served}{slash}{rest}"
        return super().path(path)

    def windlass(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of Windlass, whatever comes of it."""
        return subprocess.run(
            [*WINDLASS, *words, "--data-dir", str(self.server.data_dir)],
            cwd=self.folder, env={**os.environ, "NO_COLOR": "1"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=110,
        )  # fmt: skip

    def prints(self, *words: str) -> str:
        """What a command of Windlass that must succeed prints."""
        done = self.windlass(*words)
        assert done.returncode == 0, f"windlass {words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def phase_of(self, job: str, *phases: str, within: float = 60.0) -> Object:
        """Wait until a Volcano job is in one of the phases; the job."""
        return self.until(f"vcjobs/{job}", lambda found: phase(found) in phases, within)


def phase(obj: Object) -> str:
    """Of a Volcano job or a flow."""
    return obj.get("status", {}).get("state", {}).get("phase", "")


def task(name: str, *containers: Object, replicas: int = 1, **more: Any) -> Object:
    template = {"spec": pod_spec(*containers, restartPolicy="Never")}
    return {"name": name, "replicas": replicas, "template": template, **more}


def vcjob(name: str, *tasks: Object, **spec: Any) -> Object:
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"schedulerName": "volcano", "tasks": list(tasks), **spec},
    }


def queue(name: str, **spec: Any) -> Object:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 1, **spec},
    }
