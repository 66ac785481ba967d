"""Jobs that the stories of training and of queues work with."""

import json
from typing import Any

from tests.e2e.dashboard.people import DEMO_NAMESPACE
from tests.e2e.notebooks.desk import Desk
from windlass.kube.quantity import Quantity

PROGRAM = """
import itertools, os, time
rank = os.environ["RANK"]
for step in range(300):
    print(f"rank={rank} step={step} loss={2.3 / (1 + step):.3f}")
print(f"needle of rank {rank}")
for beat in itertools.count(1):
    print(f"beat {beat}")
    time.sleep(0.3)
"""


def a_gang(name: str, cpu: str = "50m", *, is_suspended: bool = False, **pod: Any) -> dict[str, Any]:
    """Two workers that start together, print what they do, and do not end by themselves."""
    container = {
        "name": "pytorch",
        "image": "python:3.11",
        "command": ["python", "-u", "-c"],
        "args": [PROGRAM],
        "resources": {"requests": {"cpu": cpu, "memory": "32Mi"}},
    }
    spec = {"schedulerName": "volcano", "terminationGracePeriodSeconds": 0, **pod, "containers": [container]}
    worker = {"replicas": 2, "restartPolicy": "OnFailure", "template": {"spec": spec}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}},
        "spec": {"runPolicy": {"suspend": is_suspended}, "pytorchReplicaSpecs": {"Worker": worker}},
    }


def path_of(name: str) -> str:
    return f"/jobs/PyTorchJob/{DEMO_NAMESPACE}/{name}"


def until_running(desk: Desk, name: str) -> None:
    desk.kubectl("wait", "--for=condition=Running", f"pytorchjob/{name}", "--timeout=120s")


def free_cores(desk: Desk) -> float:
    """What the pods that run leave of the node."""
    found = json.loads(desk.kubectl("get", "nodes", "-o", "json"))["items"][0]
    pods = json.loads(desk.kubectl("get", "pods", "--all-namespaces", "-o", "json"))["items"]
    asked = [
        container.get("resources", {}).get("requests", {}).get("cpu", "0")
        for pod in pods
        if pod["status"].get("phase") in ("Pending", "Running")
        for container in pod["spec"]["containers"]
    ]
    return cores(found["status"]["allocatable"]["cpu"]) - sum(map(cores, asked))


def cores(text: str) -> float:
    return Quantity.parse(text).nano / 1e9
