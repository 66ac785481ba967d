"""TrainingRuntimes for stories: small images, so that what is tried is the way of a job and not a framework."""

from collections.abc import Sequence
from typing import Any

from tests.e2e.node.pods import Object

PYTHON = "python:3.11"
MPI_IMAGE = "mpioperator/mpi-pi:openmpi"
GROUP_VERSION = "trainer.kubeflow.org/v1alpha1"
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
FETCH = """
import os, pathlib
folder = pathlib.Path("/workspace/dataset")
folder.mkdir()
(folder / "rows").write_text(os.environ["STORAGE_URI"] + " for " + os.environ.get("ACCESS_TOKEN", "everybody"))
"""


def runtime(name: str, policy: Object, *replicated: Object, framework: str = "plain", **spec: Any) -> Object:
    template = {"spec": {"replicatedJobs": list(replicated), **spec.pop("template", {})}}
    return {
        "apiVersion": GROUP_VERSION,
        "kind": "TrainingRuntime",
        "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": framework}},
        "spec": {"mlPolicy": {"numNodes": 1, **policy}, "template": template, **spec},
    }


def replicated(
    name: str, container: Object, step: str = "", depends_on: Sequence[Object] = (), **pod_spec: Any
) -> Object:
    """One whose pods are tried once."""
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [container], **pod_spec}
    labels = {"metadata": {"labels": {STEP: step}}} if step else {}
    made: Object = {"name": name, "template": {**labels, "spec": {"backoffLimit": 0, "template": {"spec": spec}}}}
    return {**made, "dependsOn": list(depends_on)} if depends_on else made


def plain(name: str, policy: Object, **spec: Any) -> Object:
    """Equal nodes of plain Python."""
    node = replicated("node", {"name": "node", "image": PYTHON}, "trainer")
    return runtime(name, policy, node, **spec)


def with_data() -> Object:
    """A step that fetches before the nodes begin, to a volume that they share."""
    mounts = [{"name": "initializer", "mountPath": "/workspace"}]
    fetch = {"name": "dataset-initializer", "image": PYTHON, "command": ["python", "-c", FETCH], "volumeMounts": mounts}
    claim = {
        "metadata": {"name": "initializer"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}},
    }
    return runtime(
        "with-data",
        {},
        replicated("dataset-initializer", fetch, "dataset-initializer"),
        replicated(
            "node",
            {"name": "node", "image": PYTHON, "volumeMounts": mounts},
            "trainer",
            [{"name": "dataset-initializer", "status": "Complete"}],
        ),
        template={"volumeClaimPolicies": [{"templates": [claim]}]},
    )


def by_mpi() -> Object:
    """A launcher that is a node itself, and nodes that it reaches by ssh."""
    container: Object = {"name": "node", "image": MPI_IMAGE, "securityContext": {"runAsUser": 1000}}
    listening = {"command": ["/usr/sbin/sshd"], "args": ["-De", "-f", "/home/mpiuser/.sshd_config"]}
    ready = {"readinessProbe": {"tcpSocket": {"port": 2222}, "periodSeconds": 1}}
    policy = {"mpi": {"sshAuthMountPath": "/home/mpiuser/.ssh", "runLauncherAsNode": True, "numProcPerNode": 1}}
    return runtime(
        "by-mpi",
        policy,
        replicated("node", {**container, **listening, **ready}),
        replicated("launcher", container, "trainer", [{"name": "node", "status": "Ready"}]),
        template={"successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]}},
    )


def all_of_them() -> list[Object]:
    return [
        plain("plain", {}),
        plain("pairs", {"numNodes": 2, "jax": {}}, framework="jax"),
        plain("torch", {"torch": {}}, framework="torch"),
        plain("gang", {}, podGroupPolicy={"volcano": {}}),
        with_data(),
        by_mpi(),
    ]
