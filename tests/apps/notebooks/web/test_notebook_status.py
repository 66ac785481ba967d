"""The phases of a notebook, in the order of their tests; rows never fail."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Event
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import STARTED_AT
from windlass.apps.notebooks.web.notebook_status import notebook_status
from windlass.apps.notebooks.web.rows import row
from windlass.gateway.proxy.entrances.state import EntranceState

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
OLD, NEW = "2026-01-01T11:00:00Z", "2026-01-01T11:59:55Z"
STOPPED = {"kubeflow-resource-stopped": "2026-01-01T11:30:00Z"}


def a_notebook(created: str = OLD, *, annotations: Any = None, deleted: str | None = None, **status: Any) -> Notebook:
    metadata = {"name": "lab", "namespace": "ml", "creationTimestamp": created, "annotations": annotations or {}}
    if deleted:
        metadata["deletionTimestamp"] = deleted
    return msgspec.convert({"metadata": metadata, "status": status}, Notebook)


def scheduled(at: str) -> dict[str, Any]:
    return {"type": "PodScheduled", "status": "True", "lastTransitionTime": at}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return {"waiting": {"reason": reason, "message": message}}


@pytest.mark.parametrize(
    ("notebook", "phase"),
    [
        (a_notebook(NEW), "waiting"),
        (a_notebook(annotations=STOPPED), "stopped"),
        (a_notebook(annotations=STOPPED, readyReplicas=1), "waiting"),
        (a_notebook(deleted=NEW), "terminating"),
        (a_notebook(readyReplicas=1), "ready"),
        (a_notebook(containerState=waiting("PodInitializing")), "waiting"),
        (a_notebook(containerState=waiting("ContainerCreating")), "waiting"),
        (a_notebook(containerState=waiting("ErrImagePull", "no such image")), "warning"),
        (a_notebook(conditions=[{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]), "warning"),
        (a_notebook(), "warning"),
        (a_notebook(annotations={STARTED_AT: NEW}), "waiting"),
        (a_notebook(annotations={STARTED_AT: OLD}), "warning"),
        (a_notebook(annotations={STARTED_AT: "just now"}), "warning"),
        (a_notebook(annotations={STARTED_AT: NEW}, conditions=[scheduled(OLD)]), "warning"),
        (a_notebook(conditions=[scheduled(NEW)]), "waiting"),
        (a_notebook(conditions=[scheduled(OLD), {**scheduled(NEW), "reason": "Unschedulable"}]), "warning"),
    ],
)
def test_phases(notebook: Notebook, phase: str) -> None:
    assert notebook_status(notebook, [], NOW)["phase"] == phase


@pytest.mark.parametrize(
    ("notebook", "phase"),
    [
        (a_notebook(readyReplicas=1), "warning"),
        (a_notebook(containerState=waiting("ContainerCreating")), "warning"),
        (a_notebook(annotations=STOPPED), "stopped"),
        (a_notebook(deleted=NEW), "terminating"),
    ],
)
def test_a_name_conflict_is_a_warning_even_if_a_pod_is_ready(notebook: Notebook, phase: str) -> None:
    found = notebook_status(notebook, [], NOW, EntranceState("NameConflict: Service lab belongs to Tensorboard lab"))

    assert found["phase"] == phase
    if phase == "warning":
        assert (found["state"], "belongs to Tensorboard" in found["message"]) == ("NameConflict", True)


NOT_READY = {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "unready: [lab]"}


@pytest.mark.parametrize(("started", "phase"), [(NEW, "waiting"), (OLD, "warning")])
def test_a_server_that_takes_no_connections_yet_is_starting(started: str, phase: str) -> None:
    notebook = a_notebook(containerState={"running": {"startedAt": started}}, conditions=[NOT_READY])

    found = notebook_status(notebook, [a_failed_check()], NOW)

    assert found["phase"] == phase
    assert found["message"] == (
        "The server is starting" if phase == "waiting" else "ContainersNotReady: unready: [lab]"
    )


def test_a_notebook_that_the_proxy_does_not_enter_is_not_ready() -> None:
    """Its status and its addresses come by different ways, and one is here before the other."""
    notebook = a_notebook(readyReplicas=1)

    assert notebook_status(notebook, [], NOW, EntranceState(has_address=False))["phase"] == "waiting"
    assert notebook_status(notebook, [], NOW, EntranceState(has_address=True))["phase"] == "ready"


def a_failed_check() -> Event:
    message = "Readiness probe failed: dial tcp 10.0.0.1:8888: connect: connection refused"
    return msgspec.convert({"type": "Warning", "reason": "Unhealthy", "message": message, "lastTimestamp": NEW}, Event)


def test_a_failed_check_of_readiness_is_no_reason() -> None:
    """Every server has some until it takes connections."""
    assert notebook_status(a_notebook(), [a_failed_check()], NOW)["message"] == "Nothing is known about the pod yet"


def test_the_reason_is_shown() -> None:
    found = notebook_status(a_notebook(containerState=waiting("ErrImagePull", "no such image")), [], NOW)

    assert found["message"] == "ErrImagePull: no such image"


def test_the_newest_warning_of_this_notebook_is_shown() -> None:
    events = [
        msgspec.convert({"type": kind, "message": message, "lastTimestamp": time}, Event)
        for kind, message, time in [
            ("Warning", "of one that had this name before", "2026-01-01T10:00:00Z"),
            ("Warning", "older", "2026-01-01T11:10:00Z"),
            ("Warning", "newest", "2026-01-01T11:20:00Z"),
            ("Normal", "fine", "2026-01-01T11:30:00Z"),
        ]
    ]

    assert notebook_status(a_notebook(), events, NOW)["message"] == "newest"


@pytest.mark.parametrize(
    "containers",
    [
        [],
        [{"name": "lab"}],
        [{"name": "lab", "resources": {"limits": {"nvidia.com/gpu": "many"}}, "volumeMounts": None}],
    ],
)
def test_a_notebook_that_says_little_has_a_row_with_empty_cells(containers: list[Any]) -> None:
    spec = {"template": {"spec": {"containers": containers}}}
    notebook = msgspec.convert({"metadata": {"name": "lab"}, "spec": spec}, Notebook)

    cells = row(notebook, [], [{"limitsKey": "nvidia.com/gpu", "uiName": "NVIDIA"}], NOW)

    assert (cells["cpu"], cells["memory"], cells["image"], cells["volumes"]) == ("", "", "", [])
    assert cells["gpus"] == {"count": 0, "message": ""}


WARNED = msgspec.convert({"type": "Warning", "reason": "Failed", "message": "no", "lastTimestamp": NEW}, Event)
ALL_TESTS: list[tuple[dict[str, Any], str, str]] = [
    ({"created": NEW}, "waiting", "Waiting for the pod to be created"),
    ({"annotations": STOPPED}, "stopped", "No pod is running"),
    ({"annotations": STOPPED, "readyReplicas": 1}, "waiting", "Stopping"),
    ({"deleted": NEW}, "terminating", "Deleting"),
    ({"readyReplicas": 1}, "ready", "Running"),
    ({"containerState": waiting("ErrImagePull", "no such image")}, "warning", "ErrImagePull: no such image"),
    ({"conditions": [{"type": "Ready", "reason": "Unready", "message": "x"}]}, "warning", "Unready: x"),
]


@pytest.mark.parametrize("number", range(len(ALL_TESTS)))
def test_of_several_tests_that_hold_the_first_decides(number: int) -> None:
    """Each row of the table together with all that hold after it; an empty state keeps the first from holding."""
    fields: dict[str, Any] = {}
    for later, _, _ in reversed(ALL_TESTS[number:]):
        fields |= later
    if number == 0:
        fields = {key: value for key, value in fields.items() if key not in ("containerState", "conditions")}
    if number == 1:
        fields["readyReplicas"] = 0
    _, phase, message = ALL_TESTS[number]

    found = notebook_status(a_notebook(**fields), [WARNED], NOW)

    assert (found["phase"], found["message"]) == (phase, message)
