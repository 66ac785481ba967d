"""Jobs, pods, queues and folders to look at."""

from pathlib import Path
from typing import Any


def a_job(*conditions: str, kind: str = "PyTorchJob", status: dict[str, Any] | None = None) -> dict[str, Any]:
    """Conditions as `Running` or, if they do not hold, `-Running`; the last one newest."""
    told = [
        {"type": one.lstrip("-"), "status": "False" if one.startswith("-") else "True", "message": f"about {one}"}
        for one in conditions
    ]
    return {
        "kind": kind,
        "metadata": {"name": "demo", "namespace": "team-a", "creationTimestamp": "2026-01-01T11:00:00Z"},
        "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 2}}},
        "status": {"conditions": told, **(status or {})},
    }


def a_running_pod(job: str, namespace: str = "team-a", **metadata: str) -> dict[str, Any]:
    return {"metadata": {"namespace": namespace, "labels": {"training.kubeflow.org/job-name": job}, **metadata}}


def a_queue(name: str, parent: str = "", state: str = "Open", **more: Any) -> dict[str, Any]:
    spec = {"weight": 2, **({"parent": parent} if parent else {}), **more.pop("spec", {})}
    return {"metadata": {"name": name, "uid": f"uid-{name}"}, "spec": spec, "status": {"state": state, **more}}


def a_group(name: str, created: str = "2026-01-01T11:00:00Z", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "n", "uid": name, "creationTimestamp": created}
    return {"metadata": metadata, "spec": {"minMember": 4, **more.get("spec", {})}, "status": more.get("status", {})}


def make_files(root: Path, *paths: str) -> Path:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return root
