"""Notebooks are counted under upstream's names."""

from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, generate_latest

from windlass.apis.apps_v1 import StatefulSet
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics, Servers
from windlass.kube.json import timestamp
from windlass.kube.meta import Key
from windlass.kube.testing import NOW

OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": "lab", "uid": "u", "controller": True}


def a_server(ready: int = 0, owners: Any = (OWNER,), created: str = timestamp(NOW)) -> StatefulSet:
    metadata = {"name": "lab", "namespace": "ml", "ownerReferences": list(owners), "creationTimestamp": created}
    return msgspec.convert({"metadata": metadata, "status": {"readyReplicas": ready}}, StatefulSet)


def counted(metrics: NotebookMetrics) -> str:
    registry = CollectorRegistry()
    metrics.register(registry)
    return generate_latest(registry).decode()


def test_servers_are_counted_as_they_come_run_and_go() -> None:
    metrics = NotebookMetrics()
    servers = Servers(metrics, NOW)
    servers.added(a_server())
    servers.changed(a_server(), a_server(ready=1))
    servers.added(a_server(owners=()))
    servers.added(a_server(ready=1, created="2020-01-01T00:00:00Z"))
    servers.deleted(a_server(ready=1))
    metrics.record_failure(Key("ml", "lab"))
    metrics.record_culling(Key("ml", "lab"), NOW)

    text = counted(metrics)
    assert 'notebook_running{namespace="ml"} 1.0' in text
    assert 'notebook_create_total{namespace="ml"} 1.0' in text
    assert 'notebook_create_failed_total{namespace="ml"} 1.0' in text
    assert 'notebook_culling_total{name="lab",namespace="ml"} 1.0' in text
    assert 'last_notebook_culling_timestamp_seconds{name="lab",namespace="ml"}' in text
