"""What the status of a pod says about its task."""

from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.runs.ir.pod_reports import PodReport, report

UNPLACED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "claim x: no volume fits",
}
LOG = "Traceback:\n  File x\n\x1b[31mValueError: no\x1b[0m\n\n"
CREATED = 1_767_225_600.0  # 2026-01-01T00:00:00Z


def a_pod(phase: str = "Pending", state: dict[str, Any] | None = None, **status: Any) -> Pod:
    statuses = [{"name": "sidecar", "state": {"running": {}}}]
    if state is not None:
        statuses.append({"name": "main", "state": state})
    return msgspec.convert(
        {
            "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "status": {"phase": phase, "containerStatuses": statuses, **status},
        },
        Pod,
    )


def ended(code: int, **more: Any) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, **more}}


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (a_pod(), PodReport("waiting")),
        (a_pod(state={"waiting": {"reason": "ContainerCreating"}}), PodReport("waiting")),
        (a_pod(conditions=[UNPLACED]), PodReport("waiting", "Unschedulable: claim x: no volume fits")),
        (
            a_pod(state={"waiting": {"reason": "FailedMount", "message": "no such secret"}}),
            PodReport("waiting", "FailedMount: no such secret"),
        ),
        (
            a_pod(state={"waiting": {"reason": "ContainerCreating", "message": "claim x: waits"}}),
            PodReport("waiting", "claim x: waits"),
        ),
        (a_pod("Running", {"running": {}}), PodReport("running")),
        (a_pod("Running", ended(0)), PodReport("running")),
        (a_pod("Succeeded", ended(0)), PodReport("succeeded")),
        (a_pod("Failed", ended(3, reason="Error")), PodReport("failed", "The container failed with exit code 3", 3)),
        (
            a_pod("Failed", ended(1, reason="Error", message="too bad\n")),
            PodReport("failed", "The container failed with exit code 1: too bad", 1),
        ),
        (
            a_pod("Failed", ended(1, message=LOG)),
            PodReport("failed", "The container failed with exit code 1: ValueError: no", 1),
        ),
        (
            a_pod("Failed", ended(137, reason="OOMKilled")),
            PodReport("failed", "The container was ended (OOMKilled) with exit code 137", 137),
        ),
        (
            a_pod("Failed", ended(143, reason="Error"), reason="DeadlineExceeded", message="too slow"),
            PodReport("failed", "DeadlineExceeded: too slow", 143),
        ),
        (a_pod("Failed", reason="Evicted", message="no disk"), PodReport("failed", "Evicted: no disk")),
        (a_pod("Failed"), PodReport("failed", "The pod failed before its container ran")),
        (
            a_pod("Failed", initContainerStatuses=[{"name": "fetch-artifacts", "state": ended(1, message="no key\n")}]),
            PodReport("failed", "no key"),
        ),
        (
            a_pod("Failed", initContainerStatuses=[{"name": "mine", "state": ended(1, message=LOG)}]),
            PodReport("failed", "ValueError: no"),
        ),
        (
            a_pod("Failed", initContainerStatuses=[{"name": "mine", "state": ended(2)}]),
            PodReport("failed", "The init container mine failed with exit code 2"),
        ),
    ],
)
def test_a_pod_is_reported_with_its_reason(pod: Pod, expected: PodReport) -> None:
    assert report(pod, CREATED + 1) == expected


@pytest.mark.parametrize(
    ("reason", "grace"),
    [
        ("InvalidImageName", 0),
        ("ImageVolumeMountFailed", 0),
        ("ErrImagePull", 10),
        ("ImagePullBackOff", 10),
        ("CreateContainerError", 10),
        ("CreateContainerConfigError", 60),
    ],
)
def test_a_container_that_cannot_start_fails_its_task_after_a_while(reason: str, grace: int) -> None:
    pod = a_pod(state={"waiting": {"reason": reason, "message": "why"}})

    if grace:
        early = report(pod, CREATED + grace - 1)
        assert (early.stage, early.check_again_in) == ("waiting", 1)
    assert report(pod, CREATED + grace) == PodReport("failed", f"{reason}: why")


def test_an_init_container_that_cannot_start_fails_the_task_too() -> None:
    waiting = {"waiting": {"reason": "InvalidImageName", "message": "why"}}
    pod = a_pod(
        state={"waiting": {"reason": "PodInitializing"}}, initContainerStatuses=[{"name": "a", "state": waiting}]
    )

    assert report(pod, CREATED) == PodReport("failed", "InvalidImageName: why")


@pytest.mark.parametrize(("sidecar", "ends"), [("publish-artifacts", True), ("mine", False)])
def test_a_pod_with_a_long_grace_period_fails_soon_after_its_deadline(sidecar: str, ends: bool) -> None:
    spec = {"activeDeadlineSeconds": 60, "initContainers": [{"name": sidecar}]}
    status = {
        "phase": "Running",
        "startTime": "2026-01-01T00:00:00Z",
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
    }
    pod = msgspec.convert({"metadata": {"name": "p"}, "spec": spec, "status": status}, Pod)

    early, late = report(pod, CREATED + 60), report(pod, CREATED + 71)

    assert (early.stage, early.check_again_in) == ("running", 10 if ends else None)
    assert (late.stage, late.message.startswith("DeadlineExceeded")) == (
        ("failed", True) if ends else ("running", False)
    )
