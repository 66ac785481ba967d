"""Reasons: every one goes to JSON and back, and has its words for each audience."""

import json
from typing import get_args

import msgspec
import pytest

from windlass.apis import reason_text, reasons
from windlass.apis.reason_text import (
    NODE_CAUSES,
    admission_cause,
    condition_message,
    explanation,
    job_message,
    node_cause,
    pod_message,
    preemption_message,
    short_text,
)
from windlass.apis.reasons import (
    AdmissionCause,
    ClusterInsufficient,
    ExtenderPending,
    ExtenderRefused,
    GangIncomplete,
    GangNotAdmitted,
    GangPending,
    GangReason,
    GangUnschedulable,
    Kept,
    KeptForOthers,
    LimitExceeded,
    MadeRoomFor,
    NodeCause,
    NodesUnfit,
    NoHyperNode,
    NoNodes,
    NotAllowed,
    Overcommit,
    PodUnfit,
    PodWait,
    PreemptionDisabled,
    PreemptionPending,
    PreemptionReason,
    PreemptionUnhelpful,
    QueueClosed,
    QueueHasChildren,
    QueueInsufficient,
    QueueOverLimit,
    QueueOverShare,
    QuotaInsufficient,
    Reason,
    ReleasePending,
    SchedulingGated,
    Shortage,
    SubGroupsIncomplete,
    TasksIncomplete,
    Terminating,
    as_json,
    counted,
    from_annotation,
    from_json,
    insufficient,
    to_annotation,
    without_amounts,
)

TAINT, CPU = NodeCause("UntoleratedTaint"), insufficient("cpu")
UNFIT = NodesUnfit(3, counted({CPU: 1, TAINT: 2}))
GPU = Shortage("nvidia.com/gpu", "4", "1")
MEMORY = Shortage("memory", "8Gi", "2.5Gi", Overcommit(1.2, "10Gi", "6Gi", "", "1Gi"))
LACKING_GPU = ClusterInsufficient((GPU,))

ORIGINS: list[tuple[reasons.OriginCause, str, str]] = [
    (NoNodes(), "no nodes available to schedule pods", "no nodes available to schedule pods"),
    (
        UNFIT,
        "0/3 nodes are unavailable: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).",
        "no node fits: Insufficient cpu, node(s) had untolerated taint(s)",
    ),
    (
        NodesUnfit(3, other=NoHyperNode(4, "2")),
        "0/3 nodes are unavailable: no hyper node up to tier 2 has room for 4 pods together.",
        "no node fits: no hyper node up to tier 2 has room for 4 pods together",
    ),
    (
        NodesUnfit(3, counted({CPU: 3}), KeptForOthers((Kept("a/b", 2, until="T"), Kept("a/c", queue="gold")))),
        "0/3 nodes are unavailable: 3 Insufficient cpu, 2 node(s) are kept for a/b until T, the share of queue gold is "
        "kept for a/c.",
        "no node fits: Insufficient cpu, nodes are kept for a/b, a/c",
    ),
    (
        NodesUnfit(3, other=SubGroupsIncomplete("p", 1, 2, 4)),
        "0/3 nodes are unavailable: subGroupPolicy p: 1 of 2 groups of 4 have room.",
        "no node fits: too few groups of subGroupPolicy p have room",
    ),
    (
        PodUnfit(3, NodeCause("ClaimNotFound", "data")),
        '0/3 nodes are unavailable: persistentvolumeclaim "data" not found.',
        'no node fits: persistentvolumeclaim "data" not found',
    ),
    (QueueClosed("gold"), "queue gold is not open", "queue gold is not open"),
    (
        QueueOverShare("gold"),
        "queue gold has its share: others that ask for theirs go first",
        "queue gold has its share: others that ask for theirs go first",
    ),
    (
        QueueOverLimit("gold", (LimitExceeded("cpu", "5000m", "4000m"),)),
        "queue gold may have no more of what it asks for (cpu: 5000m with it, 4000m at most)",
        "queue gold may have no more cpu",
    ),
    (
        QueueOverLimit("gold"),
        "queue gold, or one above it, may have no more of what it asks for",
        "queue gold, or one above it, may have no more of what it asks for",
    ),
    (SchedulingGated(("a", "b")), "waiting for scheduling gates: [a b]", "waiting for scheduling gates: [a b]"),
    (
        MadeRoomFor("a/b"),
        "it made room for a/b, which starts first",
        "it made room for a/b, which starts first",
    ),
    (
        GangPending("a/b", "n1"),
        "Pod a/b can possibly be assigned to n1, once minAvailable is satisfied",
        "its pods have nodes, once others are released",
    ),
    (
        ReleasePending("a/b", "n1", (Terminating("a/x", True), Terminating("a/y")), 2),
        "Pod a/b can possibly be assigned to n1, once resource is released and minAvailable is satisfied; "
        "terminating there: a/x (preempted for it), a/y and 2 more",
        "its pods have nodes, once others are released",
    ),
]
ADMISSION: list[tuple[AdmissionCause, str, str]] = [
    (
        LACKING_GPU,
        "resource in cluster is overused: overused nvidia.com/gpu (nvidia.com/gpu: 4 asked, 1 free)",
        "resource in cluster is overused: overused nvidia.com/gpu",
    ),
    (
        ClusterInsufficient((MEMORY,)),
        "resource in cluster is overused: overused memory (memory: 8Gi asked, 2.5Gi left of 1.2 x 10Gi on all nodes "
        "minus 6Gi in use plus 1Gi that it may preempt)",
        "resource in cluster is overused: overused memory",
    ),
    (
        QueueInsufficient("gold", (GPU,)),
        "queue resource quota insufficient: insufficient nvidia.com/gpu (queue gold: nvidia.com/gpu: 4 asked, 1 free)",
        "queue resource quota insufficient: insufficient nvidia.com/gpu",
    ),
    (
        QuotaInsufficient("team", ("cpu", "memory")),
        "resource quota insufficient: insufficient cpu, insufficient memory (quota team)",
        "resource quota insufficient: insufficient cpu, insufficient memory",
    ),
    (
        QueueHasChildren("gold"),
        "queue gold has children: only queues without any take jobs",
        "queue gold has children: only queues without any take jobs",
    ),
    (ExtenderPending(), "the extender has not answered yet", "the extender has not answered yet"),
    (
        ExtenderRefused("http://x"),
        "the extender at http://x does not admit it",
        "the extender at http://x does not admit it",
    ),
    (NotAllowed(), "it may not be admitted", "it may not be admitted"),
]
PREEMPTION: list[tuple[PreemptionReason, str]] = [
    (NoNodes(), "preemption: there are no nodes"),
    (PreemptionDisabled(), "preemption: not eligible due to preemptionPolicy=Never."),
    (PreemptionPending(), "preemption: not eligible due to a terminating pod on the nominated node."),
    (
        PreemptionUnhelpful(2, counted({NodeCause("NoVictims"): 2})),
        "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    ),
]
GANGS: list[GangReason] = [
    GangUnschedulable(2, 3, 4, 2, 3, UNFIT, "ns/a"),
    GangNotAdmitted((LACKING_GPU, QueueHasChildren("gold")), 2, 3),
    GangIncomplete(1, 3),
    TasksIncomplete(),
]
EVERY: list[Reason] = [
    *(reason for reason, *_ in ORIGINS),
    *(reason for reason, *_ in ADMISSION),
    *(reason for reason, _ in PREEMPTION),
    *GANGS,
    KeptForOthers((Kept("a/b", 2),)),
    NoHyperNode(4),
    SubGroupsIncomplete("p", 1, 2, 4),
]


def test_every_reason_is_in_the_tables() -> None:
    assert {type(reason) for reason in EVERY} == set(get_args(Reason))


@pytest.mark.parametrize("reason", EVERY)
def test_a_reason_goes_to_json_and_back(reason: Reason) -> None:
    data = json.loads(json.dumps(as_json(reason)))
    assert data["type"] == type(reason).__name__
    assert from_json(data) == reason
    assert explanation(reason)


@pytest.mark.parametrize("reason", GANGS)
def test_the_reason_of_a_gang_goes_into_an_annotation_and_back(reason: GangReason) -> None:
    assert from_annotation(to_annotation(reason)) == reason


def test_what_is_no_reason_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json({"type": "Nonsense"})


@pytest.mark.parametrize(("origin", "text", "summary"), ORIGINS)
def test_the_words_of_an_origin_on_the_pod_the_group_and_the_job(
    origin: reasons.OriginCause, text: str, summary: str
) -> None:
    gang = GangUnschedulable(2, 3, 4, 2, 3, origin, "ns/a")
    head = "2/3 tasks in gang unschedulable: "
    assert pod_message(origin) == text
    assert condition_message(gang) == (
        f"{head}pod group is not ready, 4 Pending, 3 minAvailable; Pending: 2 Schedulable, 2 Unschedulable. "
        f"Origin reason is ns/a: {text}"
    )
    assert condition_message(gang, "kube-batch") == head + pod_message(origin, "kube-batch")
    assert short_text(gang) == f"ns/a: {text}"
    assert job_message(gang) == summary


@pytest.mark.parametrize(("cause", "text", "event"), ADMISSION)
def test_the_words_of_a_refusal_with_and_without_amounts(cause: AdmissionCause, text: str, event: str) -> None:
    gang = GangNotAdmitted((cause, QueueHasChildren("x")), 2, 3)
    other = "queue x has children: only queues without any take jobs"
    assert admission_cause(cause) == text
    assert condition_message(gang) == short_text(gang) == f"{text}; {other}"
    assert pod_message(gang) == f"pod group is not ready, 2 Pending, 3 minAvailable: {text}; {other}"
    assert reason_text.admission_events(gang) == [event, other]
    assert job_message(gang) == f"{event}; {other}"


def test_the_warning_about_a_gang_that_is_not_admitted_says_what_volcano_leaves_out() -> None:
    gang = GangNotAdmitted((LACKING_GPU,))
    why = "resource in cluster is overused: overused nvidia.com/gpu"
    assert reason_text.not_admitted_event(gang, "gold", 0, 3) == (
        "0/0 tasks in gang unschedulable: pod group is not ready, 3 minAvailable. Queue gold does not admit it, "
        f"no pods exist yet, the gang needs 3: {why}"
    )
    assert reason_text.not_admitted_event(gang, "gold", 2, 3) == (
        "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 3 minAvailable. Queue gold does not admit "
        f"it, 2 of 3 pods exist: {why}"
    )


@pytest.mark.parametrize(("reason", "text"), PREEMPTION)
def test_the_words_of_preemption_that_does_not_help(reason: PreemptionReason, text: str) -> None:
    assert preemption_message(reason) == text


def test_nodes_in_the_words_of_each_scheduler() -> None:
    listed = "1 Insufficient cpu, 2 node(s) had untolerated taint(s)"
    assert pod_message(UNFIT, "kubernetes") == f"0/3 nodes are available: {listed}."
    assert pod_message(UNFIT, "volcano") == f"0/3 nodes are unavailable: {listed}."
    assert pod_message(UNFIT, "kube-batch") == f"0/3 nodes are available, {listed.replace('I', 'i', 1)}."
    assert pod_message(NodesUnfit(3), "kubernetes") == "0/3 nodes are available:"


def test_gangs_that_lack_pods() -> None:
    message = "Not enough valid tasks for gang-scheduling, valid: 1, min: 3"
    assert condition_message(GangIncomplete(1, 3)) == message
    assert explanation(GangIncomplete(1, 3)) == f"NotEnoughTasks: {message}"
    assert condition_message(TasksIncomplete()) == "Not enough valid pods of each task for gang-scheduling"


def test_a_pod_that_does_not_start() -> None:
    wait = PodWait("a", "ImagePullBackOff", "container c, image i")
    assert reason_text.pod_wait_message(wait) == "Pod a waits: ImagePullBackOff: container c, image i"


def test_causes_of_nodes_have_words_and_an_unknown_one_shows_its_code() -> None:
    assert insufficient("pods") == NodeCause("TooManyPods")
    assert node_cause(NodeCause("ClaimLost", "c", "v")) == NODE_CAUSES["ClaimLost"].format("c", "v")
    assert node_cause(NodeCause("ExtenderMessage", "no {0} here")) == "no {0} here"
    assert node_cause(NodeCause("OfTomorrow", "x")) == "OfTomorrow"


def test_refusals_that_differ_in_amounts_are_alike() -> None:
    more = ClusterInsufficient((Shortage("nvidia.com/gpu", "8", "0"),))
    assert without_amounts(LACKING_GPU) == without_amounts(more)
    assert without_amounts(LACKING_GPU) != without_amounts(QueueInsufficient("q", (GPU,)))
    assert without_amounts(LACKING_GPU) != without_amounts(ClusterInsufficient((MEMORY,)))
    assert without_amounts(ExtenderRefused("a")) != without_amounts(ExtenderRefused("b"))
