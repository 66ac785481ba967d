"""Rows of TensorBoards and volumes: the true reason, and who uses what."""

from datetime import UTC, datetime
from typing import Any

from windlass.apis.kubeflow_v1 import Notebook
from windlass.gateway.views.namespaced.tensorboard_rows import tensorboards_view
from windlass.gateway.views.namespaced.volume_rows import consumers_of
from windlass.gateway.webapps.common import PODS
from windlass.kube.kind import KINDS

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
NOTEBOOKS = KINDS.of(Notebook)


def test_a_missing_claim_is_the_reason_and_not_the_pod_that_waits_for_it() -> None:
    board = {"metadata": {"name": "runs", "namespace": "ml", "uid": "1"}, "spec": {"logspath": "pvc://gone/logs"}}
    waiting = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available",
    }
    pod = {
        "metadata": {"name": "runs-1", "namespace": "ml", "uid": "2", "labels": {"app": "runs"}},
        "status": {"phase": "Pending", "conditions": [waiting]},
    }

    (row,) = tensorboards_view([board], [pod], [("ml", "other")], lambda namespace, name: (), {}, NOW).rows

    assert row.why is not None
    assert row.why.code == "ClaimNotFound"
    assert "gone does not exist" in row.why.sentence


def an_object(name: str, uid: str, owner: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ml", "uid": uid, "ownerReferences": [{"uid": owner}] if owner else []}
    return {"metadata": metadata, "spec": spec}


def test_what_belongs_to_a_consumer_is_not_named_beside_it() -> None:
    pod_spec = {"volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "work"}}]}
    notebook = an_object("lab", "1", "", {"template": {"spec": pod_spec}})
    pods = [an_object("lab-0", "2", "1", pod_spec), an_object("alone", "3", "", pod_spec)]

    found = consumers_of("ml", "work", [(PODS, pods), (NOTEBOOKS, [notebook])])

    assert [(ref.kind, ref.name) for ref in found] == [("Pod", "alone"), ("Notebook", "lab")]
