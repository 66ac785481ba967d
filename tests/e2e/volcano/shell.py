"""A terminal with kubectl and windlass, in whose namespace Volcano's kinds are at work."""

from dataclasses import dataclass
from typing import Any

from click.testing import CliRunner, Result

from tests.e2e.node.pods import Object, PodShell, pod_spec
from windlass.cli.main import cli

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

    def windlass(self, *words: str) -> Result:
        """A command of Windlass, whatever comes of it; in this process, which spares the start of another."""
        return CliRunner().invoke(cli, [*words, "--data-dir", str(self.server.data_dir)])

    def prints(self, *words: str) -> str:
        """What a command of Windlass that must succeed prints."""
        done = self.windlass(*words)
        assert done.exit_code == 0, f"windlass {words}\n{done.output}"
        return done.stdout

    def phase_of(self, job: str, *phases: str, within: float = 90.0) -> Object:
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
