"""Rows and details of training jobs."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.gateway.views.builders import a_group, a_job, a_pod
from windlass.apis.reasons import (
    AdmissionCause,
    ClusterInsufficient,
    GangNotAdmitted,
    GangReason,
    GangUnschedulable,
    Kept,
    KeptForOthers,
    NodeCause,
    NodeCount,
    NodesUnfit,
    QueueClosed,
    QueueHasChildren,
    QueueInsufficient,
    QuotaInsufficient,
    Shortage,
)
from windlass.apps.training.jobs.state.job_state import pod_names
from windlass.apps.training.web.structs.jobs import RoleCount
from windlass.apps.training.web.views.job_details import JobSurroundings, job_view
from windlass.apps.training.web.views.job_rows import JobObjects, jobs_view
from windlass.apps.training.web.views.pods_of_jobs import belongings
from windlass.apps.training.web.views.replicas import MAX_ABSENT, replica_rows
from windlass.gateway.views.visibility import EVERYTHING, OTHERS, Visible, only
from windlass.gateway.views.wait_sentences import wait_sentence
from windlass.kube.kind import Kind

NOW = datetime(2026, 1, 1, 10, 1, tzinfo=UTC)
KIND = Kind(group="kubeflow.org", version="v1", name="PyTorchJob", plural="pytorchjobs", status=True)
Json = dict[str, Any]


def objects(jobs: list[Json], pods: list[Json] = [], groups: list[Json] = []) -> JobObjects:  # noqa: B006 - read only
    return JobObjects(jobs, belongings(pods, groups, []), {"high": 7}, {}, ["PyTorchJob"])


def state_of(jobs: list[Json], pods: list[Json] = [], groups: list[Json] = []) -> tuple[str, str]:  # noqa: B006 - as above
    (row,) = jobs_view(objects(jobs, pods, groups), EVERYTHING, NOW).rows
    return row.state, row.why.code if row.why is not None else ""


def waiting(reason: str, **more: Any) -> Json:
    return {"containerStatuses": [{"name": "pytorch", "image": "x", "state": {"waiting": {"reason": reason}}, **more}]}


FAILED = {"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": "2026-01-01T10:00:30Z"}}


@pytest.mark.parametrize(
    ("conditions", "pods", "expected"),
    [
        ((), [], ("Pending", "")),
        (("Created",), [], ("Pending", "")),
        (("Created", "Running"), [], ("Running", "")),
        (("Created", "Suspended"), [], ("Suspended", "")),
        (("Created", "Succeeded"), [], ("Succeeded", "")),
        (("Created", "Failed"), [], ("Failed", "JobFailed")),
        (
            ("Created",),
            [a_pod("train-worker-0", job="train", **waiting("ImagePullBackOff"))],
            ("Waiting", "ImagePullBackOff"),
        ),
        (("Created",), [a_pod("train-worker-0", job="train", **waiting("ContainerCreating"))], ("Pending", "")),
        (
            ("Failed",),
            [
                a_pod(
                    "train-worker-0",
                    job="train",
                    phase="Failed",
                    containerStatuses=[{"name": "pytorch", "state": FAILED}],
                )
            ],
            ("Failed", "Error"),
        ),
        (("Created",), [a_pod("other-worker-0", job="other", **waiting("ImagePullBackOff"))], ("Pending", "")),
    ],
)
def test_one_word_says_what_a_job_does(
    conditions: tuple[str, ...], pods: list[Json], expected: tuple[str, str]
) -> None:
    assert state_of([a_job("train", "ml", *conditions)], pods) == expected


SHORT = GangNotAdmitted((ClusterInsufficient((Shortage("nvidia.com/gpu", "4", "1"),)),))
UNFIT = GangUnschedulable(3, 3, 3, 3, 3, NodesUnfit(1, (NodeCount(1, NodeCause("InsufficientResource", "cpu")),)))
CLOSED = GangUnschedulable(3, 3, 3, 3, 3, QueueClosed("gold"))


@pytest.mark.parametrize(("reason", "fix"), [(SHORT, "FreeResources"), (UNFIT, "FreeResources"), (CLOSED, "OpenQueue")])
def test_a_gang_waits_for_a_reason_that_has_a_fix(reason: GangReason, fix: str) -> None:
    (row,) = jobs_view(objects([a_job()], [], [a_group("train", reason=reason)]), EVERYTHING, NOW).rows

    assert row.why is not None
    assert (row.state, row.why.reason, row.queue) == ("Waiting", reason, "default")
    assert [one.code for one in row.why.fixes] == [fix]


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        (
            ClusterInsufficient(
                (Shortage("cpu", "2400000m", "1800m"), Shortage("memory", "68719476736", "24159812Ki"))
            ),
            "Needs 2400 cpu, 1.8 free and 64Gi memory, 23.0Gi free in the cluster",
        ),
        (QueueInsufficient("gold", (Shortage("cpu", "8", "500m"),)), "Needs 8 cpu, 0.5 free in queue gold"),
        (QuotaInsufficient("team", ("cpu", "memory")), "Needs more cpu and memory than quota team has left"),
        (QueueHasChildren("root"), "queue root has children: only queues without any take jobs"),
    ],
)
def test_what_a_gang_needs_is_said_in_units_that_people_read(cause: AdmissionCause, sentence: str) -> None:
    assert wait_sentence(GangNotAdmitted((cause,))) == sentence


def test_names_of_other_namespaces_are_masked_in_reasons() -> None:
    kept = KeptForOthers((Kept("secret/gang", 2), Kept("ml/own", 1)))
    reason = GangUnschedulable(3, 3, 3, 3, 3, NodesUnfit(3, (), kept))
    found = objects([a_job()], [], [a_group("train", reason=reason)])

    (row,) = jobs_view(found, only({"ml"}), NOW).rows

    assert row.why is not None
    assert "secret" not in repr(row)
    assert OTHERS in row.why.sentence
    assert "ml/own" in row.why.sentence


def test_jobs_of_other_namespaces_have_no_row() -> None:
    rows = jobs_view(objects([a_job("a", "ml"), a_job("b", "secret")]), only({"ml"}), NOW).rows

    assert [row.name for row in rows] == ["a"]


def details(job: Json, pods: list[Json], groups: list[Json] = [], visible: Visible = EVERYTHING) -> Any:  # noqa: B006 - read only
    return job_view(KIND, job, objects([job], pods, groups), JobSurroundings(), visible, NOW)


def test_every_replica_has_a_cell_with_or_without_a_pod() -> None:
    found = details(a_job(), [a_pod("train-worker-1", job="train", node="vm", phase="Running")])

    cells = [(one.role.lower(), one.index, one.phase, one.node) for one in found.replicas]
    assert cells == [("master", 0, "Absent", ""), ("worker", 0, "Absent", ""), ("worker", 1, "Running", "vm")]


def test_a_replica_without_a_node_waits_for_what_its_gang_waits_for() -> None:
    unplaced = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "3 Pending"}
    pods = [a_pod("train-worker-0", job="train", conditions=[unplaced])]

    found = details(a_job(), pods, [a_group("train", reason=SHORT)])

    (why,) = [one.why for one in found.replicas if one.why is not None]
    assert (why.code, why.reason, why.sentence) == ("Unschedulable", SHORT, found.row.why.sentence)
    assert details(a_job(), pods).replicas[1].why.sentence == "3 Pending"


def test_a_job_that_asks_for_billions_of_replicas_has_few_cells() -> None:
    rows = replica_rows({}, [], [RoleCount(role="Worker", total=2**31 - 1, ready=0, failed=0)], {}, ended=False)

    assert len(rows) == MAX_ABSENT
    job = {"metadata": {"name": "a"}, "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2**31 - 1}}}}
    assert next(pod_names(job)) == "a-worker-0"


def test_an_ended_job_has_only_the_replicas_that_are_there() -> None:
    assert details(a_job("train", "ml", "Succeeded"), []).replicas == ()


def test_stages_say_how_far_a_job_has_come_and_how_long_each_took() -> None:
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T10:00:20Z"}
    running = {"name": "pytorch", "state": {"running": {"startedAt": "2026-01-01T10:00:30Z"}}}
    pod = a_pod(
        "train-worker-0", job="train", node="vm", phase="Running", conditions=[scheduled], containerStatuses=[running]
    )

    found = details(a_job("train", "ml", "Running"), [pod])

    assert [(one.name, one.state, one.seconds) for one in found.stages] == [
        ("created", "done", 20.0),
        ("scheduled", "done", 10.0),
        ("running", "current", 30.0),
        ("ended", "ahead", None),
    ]


def test_a_gang_that_is_not_admitted_is_created_only() -> None:
    found = details(a_job(), [], [a_group("train", reason=SHORT)])

    assert [(one.name, one.state) for one in found.stages][:2] == [("created", "current"), ("admitted", "ahead")]
    assert found.gang.min_member == 3


@pytest.mark.parametrize(
    "odd", [{"status": None}, {"spec": {"pytorchReplicaSpecs": []}}, {"status": {"conditions": "x"}}]
)
def test_odd_objects_never_raise(odd: Json) -> None:
    job = {**a_job(), **odd}

    assert (
        details(job, [{"metadata": {"name": "p", "labels": {"training.kubeflow.org/job-name": "train"}}}]).row.name
        == "train"
    )


@pytest.mark.parametrize(("condition", "force"), [("Running", " --force"), ("Succeeded", "")])
def test_the_commands_of_a_job_do_what_its_buttons_do(condition: str, force: str) -> None:
    job = a_job("bert", "ml", condition)
    view = job_view(KIND, job, objects([job]), JobSurroundings(), EVERYTHING, NOW)
    lines = {command.action: command.line for command in view.commands}

    assert lines["restart"] == f"windlass job restart pytorchjob/bert -n ml{force}"
    assert lines["clone"] == (
        "kubectl get -n ml pytorchjob bert -o yaml | sed 's/^  name: bert$/  name: bert-copy/' | kubectl create -f -"
    )
