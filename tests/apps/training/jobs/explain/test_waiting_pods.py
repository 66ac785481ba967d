"""Which pods that have a node cannot start, as `windlass explain` says it."""

from typing import Any

import pytest

from windlass.apps.training.jobs.explain.waiting_pods import waiting_notes


def a_pod(
    name: str, reason: str = "CreateContainerError", *, namespace: str = "team", phase: str = "Pending", **metadata: Any
) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": "give it a command"}} if reason else {}
    return {
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"nodeName": "node", "containers": []},
        "status": {"phase": phase, "containerStatuses": [{"name": "main", "image": "team/app:1", "state": state}]},
    }


OF_TF_JOB: dict[str, Any] = {"labels": {"training.kubeflow.org/job-name": "train"}, "annotations": None}
OF_VOLCANO_JOB: dict[str, Any] = {
    "labels": {"volcano.sh/job-name": "train"},
    "annotations": {"scheduling.k8s.io/group-name": "group"},
}
SAID = "waits: CreateContainerError: container main: give it a command"
UNKNOWN = "waits: ImagePullBackOff: container main, image team/app:1"


@pytest.mark.parametrize(
    ("kind", "name", "owner", "pods", "told"),
    [
        ("pod", "a", None, [a_pod("a"), a_pod("b")], [f"pod a {SAID}"]),
        ("pod", "a", None, [a_pod("a", namespace="other")], []),
        ("pod", "a", None, [a_pod("a", "ContainerCreating")], []),
        ("pod", "a", None, [a_pod("a", "CrashLoopBackOff", phase="Running")], []),
        ("pod", "a", None, [a_pod("a", "ErrImagePull")], [f"pod a {UNKNOWN}"]),
        ("job", "train", "TFJob", [a_pod("a", **OF_TF_JOB), a_pod("b")], [f"pod a {SAID}"]),
        ("job", "train", "Job", [a_pod("a", **OF_VOLCANO_JOB), a_pod("b")], [f"pod a {SAID}"]),
        ("podgroup", "group", None, [a_pod("a", **OF_VOLCANO_JOB), a_pod("b")], [f"pod a {SAID}"]),
        (
            "job", "train", "TFJob", [a_pod(name, **OF_TF_JOB) for name in "abcde"],
            [*(f"pod {name} {SAID}" for name in "abc"), "and 2 more pods wait"],
        ),
    ],
)  # fmt: skip
def test_pods_that_cannot_start_are_named(
    kind: str, name: str, owner: str | None, pods: list[dict[str, Any]], told: list[str]
) -> None:
    assert list(waiting_notes(kind, name, "team", {"kind": owner} if owner else None, pods)) == told
