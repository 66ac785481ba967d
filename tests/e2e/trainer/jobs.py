"""TrainJobs for stories, and waiting for what becomes of them."""

from dataclasses import dataclass
from typing import Any

from tests.e2e.node.pods import Object, PodShell, condition
from tests.e2e.trainer.runtimes import GROUP_VERSION

JOBSET_NAME, STEP_NAME = "jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name"
INDEX = "batch.kubernetes.io/job-completion-index"


def train_job(name: str, runtime: str, **spec: Any) -> Object:
    ref = {"name": runtime, "kind": "TrainingRuntime"}
    return {
        "apiVersion": GROUP_VERSION,
        "kind": "TrainJob",
        "metadata": {"name": name},
        "spec": {"runtimeRef": ref, **spec},
    }


def is_over(job: Object) -> bool:
    return "True" in (condition(job, "Complete"), condition(job, "Failed"))


def place(pod: Object) -> str:
    labels = pod["metadata"]["labels"]
    return f"{labels[STEP_NAME]}-{labels[INDEX]}"


@dataclass
class TrainerShell(PodShell):
    """A terminal in whose namespace jobs are trained."""

    def path(self, path: str) -> str:
        if path.startswith("trainjobs"):
            return f"/apis/{GROUP_VERSION}/namespaces/{self.namespace}/{path}"
        return super().path(path)

    def completes(self, name: str, within: float = 240.0) -> Object:
        """Wait until a TrainJob has ended, which must be well; the job."""
        job = self.until(
            f"trainjobs/{name}", lambda job: condition(job, "Complete") or condition(job, "Failed"), within
        )
        assert condition(job, "Complete") == "True", f"{job['status']}\n{self.told(name)}"
        return job

    def logs(self, name: str) -> dict[str, str]:
        """What the pods of a TrainJob said, by the name of the step and the number in it."""
        found = self.pods(f"{JOBSET_NAME}={name}")
        return {place(pod): self.log(pod["metadata"]["name"]) for pod in found}

    def log(self, pod: str) -> str:
        return self.server.request("GET", self.path(f"pods/{pod}/log")).body.decode()

    def told(self, name: str) -> str:
        """For who must find out what went wrong."""
        return "\n".join(f"--- {place}\n{log[-2000:]}" for place, log in self.logs(name).items())
