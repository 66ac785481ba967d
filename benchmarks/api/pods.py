"""The pod that every part of the benchmark writes: about 3.2 KB once the server has filled in and noted everything."""

import json
from typing import Any

PODS = "/api/v1/namespaces/default/pods"
NAME = "POD-NAME"  # what the load script replaces
SENT = "bench.windlass/sent"
"""An annotation with the writer's clock, from which watchers tell how long a change took to reach them."""


def pod(name: str = NAME, *, sent: str = "") -> dict[str, Any]:
    """A training worker as a controller would make it: one container with variables, a port, resources and a volume."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"app": "bench", "training.kubeflow.org/job-name": "bench", "replica-type": "worker"},
            **({"annotations": {SENT: sent}} if sent else {}),
        },
        "spec": {
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "pytorch",
                    "image": "python:3.11",
                    "command": ["python", "-m", "train"],
                    "env": [
                        {"name": "MASTER_ADDR", "value": "bench-master-0"},
                        {"name": "MASTER_PORT", "value": "23456"},
                        {"name": "WORLD_SIZE", "value": "4"},
                    ],
                    "ports": [{"name": "pytorchjob-port", "containerPort": 23456}],
                    "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
                    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
                }
            ],
            "volumes": [{"name": "scratch", "emptyDir": {}}],
        },
    }


def template(stored: dict[str, Any] | None = None) -> str:
    """A request's body with `NAME` to be replaced: what a client sends, or `stored`, an object as Windlass keeps it."""
    body = pod()
    if stored is not None:
        metadata = {key: value for key, value in stored["metadata"].items() if key not in ("uid", "resourceVersion")}
        body = {**stored, "metadata": {**metadata, "name": NAME}}
    return json.dumps(body, separators=(",", ":"))
