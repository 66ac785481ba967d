"""Jobs of old versions, as short as they may be."""

from typing import Any

Json = dict[str, Any]


def a_template(**pod: Any) -> Json:
    return {"spec": {"containers": [{"name": "tensorflow", "image": "train:1"}], **pod}}


def a_replica(kind: str | None = None, replicas: Any = None, **more: Any) -> Json:
    """One element of v1alpha1's list."""
    said = {"tfReplicaType": kind, "replicas": replicas}
    return {"template": a_template(), **{key: value for key, value in said.items() if value is not None}, **more}


def a_job(version: str, kind: str = "TFJob", annotations: dict[str, str] | None = None, **spec: Any) -> Json:
    metadata: Json = {"name": "demo", "namespace": "team-a"}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def alpha1(*replicas: Json, **spec: Any) -> Json:
    return a_job("v1alpha1", replicaSpecs=list(replicas), **spec)
