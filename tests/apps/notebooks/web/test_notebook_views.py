"""Rows of notebooks: claims, idle time and reasons."""

from datetime import UTC, datetime, timedelta
from typing import Any

from windlass.apps.notebooks.names import LAST_ACTIVITY, LAST_CHECK, STOPPED
from windlass.apps.notebooks.options import Options
from windlass.apps.notebooks.web.notebook_rows import notebooks_view
from windlass.apps.notebooks.web.notebook_view import NotebookRow
from windlass.kube.json import timestamp

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
OPTIONS = Options(cull_idle_time=timedelta(minutes=60))


def a_row(spec: dict[str, Any], annotations: dict[str, str]) -> NotebookRow:
    notebook = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": "lab", "namespace": "ml", "uid": "1", "annotations": annotations},
        "spec": {"template": {"spec": spec}},
        "status": {"readyReplicas": 1, "conditions": [], "containerState": {}},
    }
    (row,) = notebooks_view([notebook], [], lambda namespace, name: (), {}, (), OPTIONS, NOW).rows
    return row


def test_claims_are_named_once_and_in_order() -> None:
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": claim}}
        for name, claim in (("home", "lab-workspace"), ("data", "datasets"), ("again", "datasets"))
    ]
    row = a_row({"containers": [{"name": "lab", "image": "lab:1"}], "volumes": [*volumes, {"name": "x"}]}, {})

    assert row.claims == ("datasets", "lab-workspace")


def test_an_idle_server_says_when_it_is_stopped() -> None:
    active = {LAST_ACTIVITY: timestamp(NOW - timedelta(minutes=20)), LAST_CHECK: timestamp(NOW)}

    row = a_row({"containers": []}, active)
    stopped = a_row({"containers": []}, {**active, STOPPED: timestamp(NOW)})

    assert (row.idle_seconds, row.stops_in_seconds) == (20 * 60, 40 * 60)
    assert (stopped.idle_seconds, stopped.stops_in_seconds) == (None, None)
