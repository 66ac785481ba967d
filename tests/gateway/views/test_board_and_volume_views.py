"""Rows of TensorBoards and volumes: the true reason, and who uses what."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Event
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.tensorboards.web.tensorboard_rows import tensorboards_view
from windlass.apps.tensorboards.web.tensorboard_view import TensorboardRow
from windlass.apps.volumes.web.volume_rows import consumers_of
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


BOARD = {"metadata": {"name": "runs", "namespace": "ml", "uid": "1"}, "spec": {"logspath": "s3://bucket"}}


def a_pod(node: str = "", **status: Any) -> dict[str, Any]:
    metadata = {"name": "runs-1", "namespace": "ml", "uid": "2", "labels": {"app": "runs"}}
    metadata["creationTimestamp"] = "2026-01-02T11:00:00Z"
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": "Pending", **status}}


def a_warning(reason: str, at: str) -> Event:
    given = {"type": "Warning", "reason": reason, "message": f"because of {reason}", "lastTimestamp": at}
    return msgspec.convert(given, Event)


def board_row(pod: dict[str, Any] | None, *events: Event) -> TensorboardRow:
    pods = [pod] if pod else []
    (row,) = tensorboards_view([BOARD], pods, (), lambda namespace, name: events, {}, NOW).rows
    return row


def test_a_board_that_starts_has_the_reason_of_its_pod_before_any_event() -> None:
    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes"}

    row = board_row(a_pod(conditions=[waiting]))

    assert row.why is not None
    assert (row.why.code, row.why.sentence) == ("Unschedulable", "0/1 nodes")
    assert board_row(a_pod("node")).why is None


@pytest.mark.parametrize("reason", ["FailedCreate", "FailedMount"])
def test_a_reason_that_only_an_event_has_is_shown(reason: str) -> None:
    row = board_row(None, a_warning(reason, "2026-01-02T11:30:00Z"))

    assert row.why is not None
    assert row.why.code == reason
    assert row.why.fixes


@pytest.mark.parametrize("reason", ["FailedCreate", "FailedScheduling"])
def test_what_kept_a_pod_from_a_node_is_over_when_it_has_one(reason: str) -> None:
    row = board_row(a_pod("node"), a_warning(reason, "2026-01-02T10:59:00Z"))

    assert (row.status.message, row.why) == ("Starting", None)


def an_object(name: str, uid: str, owner: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ml", "uid": uid, "ownerReferences": [{"uid": owner}] if owner else []}
    return {"metadata": metadata, "spec": spec}


def test_what_belongs_to_a_consumer_is_not_named_beside_it() -> None:
    pod_spec = {"volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": "work"}}]}
    notebook = an_object("lab", "1", "", {"template": {"spec": pod_spec}})
    pods = [an_object("lab-0", "2", "1", pod_spec), an_object("alone", "3", "", pod_spec)]

    found = consumers_of("ml", "work", [(PODS, pods), (NOTEBOOKS, [notebook])])

    assert [(ref.kind, ref.name) for ref in found] == [("Pod", "alone"), ("Notebook", "lab")]
