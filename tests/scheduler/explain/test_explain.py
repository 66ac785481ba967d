"""Why something waits: each case is a small system, read as it would be from the API."""

import json
from dataclasses import replace
from typing import Any

import pytest

from windlass.apis.reason_text import node_cause
from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.kube.meta import Key
from windlass.scheduler.explain.answer import BY_FORECAST, BY_RESERVATION, FINISHED, RUNNING, WAITING, Explanation
from windlass.scheduler.explain.lookup import Explainer, Unknown
from windlass.scheduler.framework.conf import windlass
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.model.pod_groups import VOLCANO
from windlass.scheduler.reservations.persistence import RESERVED

NOW = 1_800_000_000.0  # 2027-01-15T08:00:00Z
BEGAN = "2027-01-15T07:50:00Z"  # ten minutes before
GPU = "nvidia.com/gpu"


def a_node(name: str, gpus: int = 2, **spec: Any) -> dict[str, Any]:
    offers = {"cpu": "16", "memory": "64Gi", "pods": "110", GPU: str(gpus)}
    return {"metadata": {"name": name}, "spec": spec, "status": {"allocatable": offers}}


def a_pod(name: str, node: str = "", group: str = "", gpus: int = 1, **spec: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": BEGAN}
    phase = spec.pop("phase", "Running" if node else "Pending")
    if group:
        metadata["annotations"] = {POD_GROUP_NAME_ANNOTATION: group}
        spec["schedulerName"] = "volcano"
    metadata |= spec.pop("metadata", {})
    resources = {"requests": {"cpu": "1", GPU: str(gpus)}}
    body = {"nodeName": node, "containers": [{"name": "c", "resources": resources}], **spec}
    return {"metadata": metadata, "spec": body, "status": {"phase": phase, "startTime": BEGAN if node else None}}


def a_group(name: str, least: int, phase: str = "Inqueue", created: str = BEGAN, **spec: Any) -> Any:
    metadata = {"name": name, "namespace": "ml", "uid": f"uid-{name}", "creationTimestamp": created}
    metadata |= spec.pop("metadata", {})
    return VOLCANO, {"metadata": metadata, "spec": {"minMember": least, **spec}, "status": {"phase": phase}}


def a_class(name: str, value: int) -> dict[str, Any]:
    return {"metadata": {"name": name}, "value": value}


def told(observed: Observed, kind: str, name: str, preemption: Any = "off", **more: Any) -> Explanation:
    owner = more.pop("owner", None)
    return Explainer(observed, windlass(preemption), NOW, **more).explain(kind, Key("ml", name), owner)


def members(group: str, number: int, nodes: tuple[str, ...] = (), **given: Any) -> list[dict[str, Any]]:
    at = [*nodes, *[""] * (number - len(nodes))]
    return [a_pod(f"{group}-{number}", node, group, **given) for number, node in enumerate(at)]


# two nodes of two GPUs each, of which `old` has three; `new` needs two
FULL = Observed(
    nodes=[a_node("n1"), a_node("n2"), a_node("n3", unschedulable=True)],
    groups=[a_group("old", 3, "Running"), a_group("new", 2, created="2027-01-15T07:55:00Z")],
    pods=[*members("old", 3, ("n1", "n1", "n2"), activeDeadlineSeconds=900), *members("new", 2)],
)


def test_a_gang_that_waits_is_told_what_is_short_and_where() -> None:
    found = told(FULL, "podgroup", "new")

    assert found.state == WAITING
    assert found.why.startswith("NotEnoughResources: 2/2 tasks in gang unschedulable: pod group is not ready")
    [cpu, gpu] = found.amounts
    assert (gpu.resource, gpu.asked, gpu.free, gpu.total, gpu.lacks) == (GPU, 2, 1, 6, True)
    assert (cpu.asked, cpu.free, cpu.total) == (2000, 29_000, 48_000)
    [kind] = found.pod_kinds
    assert (kind.pods, kind.asks) == (2, {"cpu": 1000, GPU: 1})
    assert [(one.nodes, one.names, tuple(map(node_cause, one.causes)), one.room) for one in kind.groups] == [
        (1, ("n2",), (), 1),
        (1, ("n1",), (f"Insufficient {GPU}",), 0),
        (1, ("n3",), ("node(s) were unschedulable",), 0),
    ]


def test_it_is_told_when_it_would_start_and_what_is_assumed_for_that() -> None:
    start = told(FULL, "podgroup", "new").start

    assert start is not None
    assert (start.after, start.by) == (300, BY_RESERVATION)  # the deadline of those that began ten minutes ago
    assert [str(one) for one in start.assumptions] == ["3 pods end at their activeDeadlineSeconds"]


def test_who_is_not_the_first_of_its_queue_is_told_by_what_the_scheduler_would_decide_then() -> None:
    groups = [*FULL.groups, a_group("last", 2, created="2027-01-15T07:58:00Z")]
    found = told(replace(FULL, groups=groups, pods=[*FULL.pods, *members("last", 2)]), "podgroup", "last")

    assert found.start is not None
    assert (found.start.after, found.start.by, found.start.nodes) == (300, BY_FORECAST, {"n2": 2})
    assert "kept for ml/new, which waits too" in found.notes[0]


def test_what_ended_before_tells_when_others_will() -> None:
    states = [{"name": "c", "state": {"terminated": {"finishedAt": "2027-01-15T07:20:00Z"}}}]
    past = {"phase": "Succeeded", "startTime": "2027-01-15T07:00:00Z", "containerStatuses": states}
    before = {**a_pod("old-1-0", "n1", "old-1"), "status": past}
    groups = [a_group("old-1", 1, "Completed"), a_group("old-2", 2, "Running"), a_group("new", 2)]
    pods = [before, *members("old-2", 2, ("n1", "n1")), *members("new", 2)]

    start = told(Observed(nodes=[a_node("n1")], groups=groups, pods=pods), "podgroup", "new").start

    assert start is not None
    assert (start.after, start.by) == (600, BY_RESERVATION)
    assert [str(one) for one in start.assumptions] == ["2 pods end after the median time of what ended before them"]


def test_where_nothing_is_known_of_run_times_that_is_said() -> None:
    pods = [*members("old", 3, ("n1", "n1", "n2")), *members("new", 2)]

    start = told(replace(FULL, pods=pods), "podgroup", "new").start

    assert start is not None
    assert start.after is None
    assert [str(one) for one in start.assumptions] == [
        "3 pods are taken to run for ever: nothing is known of how long they take"
    ]


def test_who_would_have_to_end_is_a_whole_gang_or_its_surplus() -> None:
    room = told(FULL, "podgroup", "new").room

    assert room is not None
    assert [(one.name, one.pods, one.of, one.queue) for one in room.endings] == [("ml/old", 3, 3, "default")]
    assert not room.made


def test_pods_of_nobody_are_named_where_they_hold_what_is_short() -> None:
    found = told(
        Observed(
            nodes=[a_node("n1", 3)],
            groups=[a_group("new", 2)],
            pods=[a_pod("single", "n1", gpus=2), a_pod("idle", "n1", gpus=0), *members("new", 2)],
        ),
        "podgroup",
        "new",
    )

    assert found.room is not None
    assert [(one.kind, one.name, one.nodes) for one in found.room.endings] == [("pod", "ml/single", ("n1",))]


def test_those_that_the_scheduler_makes_go_are_named_as_such() -> None:
    found = told(
        Observed(
            nodes=[a_node("n1")],
            priority_classes=[a_class("high", 100)],
            groups=[a_group("old", 2, "Running"), a_group("new", 2, priorityClassName="high")],
            pods=[*members("old", 2, ("n1", "n1")), *members("new", 2, priority=100)],
        ),
        "podgroup",
        "new",
        preemption="priority",
    )

    assert found.room is not None
    assert found.room.made
    assert [(one.name, one.pods, one.of) for one in found.room.endings] == [("ml/old", 2, 2)]
    assert found.start is not None
    assert found.start.after == 0
    assert "2 pods are preempted, and taken to terminate at once" in map(str, found.start.assumptions)


def test_pods_that_are_terminating_are_named_and_their_end_is_awaited() -> None:
    going: dict[str, Any] = {"metadata": {"deletionTimestamp": "2027-01-15T07:59:00Z"}}
    observed = Observed(
        nodes=[a_node("n1")],
        groups=[a_group("new", 2)],
        pods=[a_pod("old-0", "n1", "old", **going), a_pod("alone", "n1", **going), *members("new", 2)],
    )

    found = told(observed, "podgroup", "new")

    assert found.why.endswith("terminating there: ml/alone, ml/old-0")
    assert found.start is not None
    assert found.start.after == 60
    assert "2 pods are being terminated, and taken to be gone in 60 s" in map(str, found.start.assumptions)


def test_what_never_fits_is_said_to() -> None:
    found = told(Observed(nodes=[a_node("n1")], groups=[a_group("new", 4)], pods=members("new", 4)), "podgroup", "new")

    assert found.room is not None
    assert found.room.why == "even if all that runs ended, there would be no room for it"
    assert found.amounts[1].lacks


def test_its_place_is_by_priority_and_age_as_the_scheduler_has_it() -> None:
    waiting = [
        a_group("first", 3, priorityClassName="high", created="2027-01-15T07:59:00Z"),
        a_group("second", 3, created="2027-01-15T07:51:00Z"),
        a_group("third", 3, created="2027-01-15T07:52:00Z"),
        a_group("elsewhere", 3, queue="other"),
    ]
    found = told(
        Observed(
            nodes=[a_node("n1")],
            queues=[{"metadata": {"name": "other"}, "spec": {"priority": 5}}],
            priority_classes=[a_class("high", 100)],
            groups=waiting,
            pods=[pod for name in ("first", "second", "third", "elsewhere") for pod in members(name, 3)],
        ),
        "podgroup",
        "third",
    )

    assert found.place is not None
    assert (found.place.queue, found.place.at, found.place.of) == ("default", 3, 3)
    assert [(one.name, one.priority) for one in found.place.before] == [("ml/first", 100), ("ml/second", 0)]
    assert found.place.queues_before == ("other",)


def a_volcano_job() -> dict[str, Any]:
    resources = {"requests": {GPU: "2"}}
    template = {"spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ml", "uid": "j"},
        "spec": {"minAvailable": 4, "tasks": [{"name": "worker", "replicas": 4, "template": template}]},
    }


@pytest.mark.parametrize(
    ("kind", "name", "more", "note", "role"),
    [
        ("podgroup", "j-1", {}, "they are taken as 4 equal parts of its minResources", ""),
        ("job", "j", {"owner": a_volcano_job()}, "they are taken as its job describes them", "worker"),
    ],
)
def test_a_job_that_is_not_let_in_has_its_pods_supposed(
    kind: str, name: str, more: dict[str, Any], note: str, role: str
) -> None:
    owned = {"ownerReferences": [{"uid": "j", "kind": "Job", "name": "j", "apiVersion": "batch.volcano.sh/v1alpha1"}]}
    group = a_group("j-1", 4, "Pending", minResources={GPU: "8"}, metadata=owned)

    found = told(Observed(nodes=[a_node("n1")], groups=[group]), kind, name, **more)

    assert found.why.startswith(f"NotEnqueueable: resource in cluster is overused: overused {GPU}")
    assert note in found.notes[0]
    assert [(one.resource, one.asked, one.free, one.total) for one in found.amounts] == [(GPU, 8, 2, 2)]
    assert [(one.role, one.pods, one.asks) for one in found.pod_kinds] == [(role, 4, {GPU: 2})]


@pytest.mark.parametrize(
    ("observed", "kind", "name", "state", "why"),
    [
        pytest.param(FULL, "podgroup", "old", RUNNING, "it runs: 3 pods on 2 nodes", id="a gang that runs"),
        pytest.param(FULL, "pod", "old-0", RUNNING, "it has node n1", id="a pod that runs"),
        pytest.param(
            Observed(groups=[a_group("g", 1, "Completed")], pods=[a_pod("g-0", "n1", "g", phase="Succeeded")]),
            "podgroup",
            "g",
            FINISHED,
            "it has finished: 1 pod succeeded",
            id="finished",
        ),
        pytest.param(
            Observed(groups=[a_group("g", 1, queue="none")], pods=members("g", 1)),
            "podgroup",
            "g",
            WAITING,
            "there is no queue none",
            id="no queue",
        ),
        pytest.param(
            Observed(groups=[a_group("g", 3)], nodes=[a_node("n1")], pods=members("g", 2)),
            "podgroup",
            "g",
            WAITING,
            "NotEnoughTasks: Not enough valid tasks for gang-scheduling, valid: 2, min: 3",
            id="too few pods",
        ),
        pytest.param(
            Observed(groups=[a_group("g", 3)], nodes=[a_node("n1")]),
            "podgroup",
            "g",
            WAITING,
            "it is admitted, and its pods do not exist yet: its job's controller creates them",
            id="admitted without pods",
        ),
        pytest.param(
            Observed(nodes=[a_node("n1")], pods=members("none", 1)),
            "pod",
            "none-0",
            WAITING,
            'pod group "none" not found in namespace "ml"',
            id="a pod without its group",
        ),
        pytest.param(
            Observed(nodes=[a_node("n1")], pods=[a_pod("p", schedulingGates=[{"name": "example.com/wait"}])]),
            "pod",
            "p",
            WAITING,
            "it waits for its scheduling gates to be lifted: example.com/wait",
            id="gates",
        ),
        pytest.param(
            Observed(nodes=[a_node("n1")], pods=[a_pod("p", schedulerName="mine")]),
            "pod",
            "p",
            WAITING,
            "it is for the scheduler mine (schedulerName), which is none of Windlass'",
            id="a pod of another scheduler",
        ),
        pytest.param(
            Observed(
                nodes=[a_node("n1")],
                groups=[a_group("g", 1)],
                pods=[a_pod("p", schedulerName="mine", metadata={"annotations": {POD_GROUP_NAME_ANNOTATION: "g"}})],
            ),
            "podgroup",
            "g",
            WAITING,
            "its pods are for the scheduler mine (schedulerName), which is none of Windlass'",
            id="a gang of another scheduler",
        ),
        pytest.param(
            Observed(nodes=[a_node("n1")], groups=[a_group("g", 2)], pods=members("g", 2)),
            "podgroup",
            "g",
            WAITING,
            "nothing is in its way: it starts with the next cycle of the scheduler",
            id="about to start",
        ),
        pytest.param(
            Observed(nodes=[a_node("n1")], pods=[a_pod("p")]),
            "pod",
            "p",
            WAITING,
            "nothing is in its way: the scheduler gives it node n1",
            id="a pod about to start",
        ),
    ],
)
def test_what_has_become_of_it_is_said(observed: Observed, kind: str, name: str, state: str, why: str) -> None:
    found = told(observed, kind, name)

    assert (found.state, found.why) == (state, why)


def test_a_pod_of_a_gang_is_told_its_own_reason() -> None:
    fits, lacks = (told(FULL, "pod", f"new-{number}") for number in (0, 1))

    assert "can possibly be assigned to n2, once minAvailable is satisfied" in fits.why
    assert lacks.why == f"0/3 nodes are unavailable: 1 node(s) were unschedulable, 2 Insufficient {GPU}."


def test_a_pod_that_is_placed_for_itself_is_explained_by_kubernetes_rules() -> None:
    found = told(
        Observed(
            nodes=[a_node("n1"), a_node("n2", gpus=1)],
            pods=[
                a_pod("a", "n1", activeDeadlineSeconds=1200),
                a_pod("b", "n1", activeDeadlineSeconds=900),
                a_pod("urgent", gpus=8, priority=10),
                a_pod("mine", gpus=2),
            ],
        ),
        "pod",
        "mine",
    )

    assert found.why == f"0/2 nodes are available: 2 Insufficient {GPU}."
    assert found.place is not None
    assert (found.place.at, found.place.of, found.place.before[0].name) == (2, 2, "ml/urgent")
    assert found.room is not None
    assert {one.name for one in found.room.endings} == {"ml/a", "ml/b"}
    assert not found.room.made
    assert found.start is not None
    assert (found.start.after, found.start.nodes) == (600, {"n1": 1})


def test_a_pod_that_is_placed_for_itself_is_told_for_whom_nodes_are_kept() -> None:
    kept = {"uid": "uid-new", "nodes": ["n1", "n2"], "since": BEGAN, "at": "2027-01-15T08:05:00Z"}
    queue = {"metadata": {"name": "default", "annotations": {RESERVED: json.dumps(kept)}}, "spec": {}}
    observed = replace(FULL, queues=[queue], pods=[*FULL.pods, a_pod("mine"), a_pod("short", activeDeadlineSeconds=60)])

    found, short = told(observed, "pod", "mine"), told(observed, "pod", "short")

    words = "node(s) are kept for pod group ml/new"
    assert found.why == f"0/3 nodes are available: 1 node(s) were unschedulable, 2 {words}."
    (kind,) = found.pod_kinds
    assert {node: tuple(map(node_cause, group.causes)) for group in kind.groups for node in group.names} == {
        "n1": (f"Insufficient {GPU}", words),
        "n2": (words,),
        "n3": ("node(s) were unschedulable",),
    }
    assert short.why == "nothing is in its way: the scheduler gives it node n2"


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("podgroup", "there is no pod group 'none' in namespace ml"),
        ("pod", "there is no pod 'none' in namespace ml"),
    ],
)
def test_what_is_not_there_is_named(kind: str, says: str) -> None:
    with pytest.raises(Unknown, match=says):
        told(Observed(), kind, "none")


def test_who_has_no_patience_is_told_how_far_it_was_looked() -> None:
    pods = [a_pod("a", "n1", gpus=2, activeDeadlineSeconds=900), *members("first", 2), *members("new", 2)]
    groups = [a_group("first", 2), a_group("new", 2, created="2027-01-15T07:58:00Z")]
    observed = Observed(nodes=[a_node("n1")], groups=groups, pods=[*pods, a_pod("mine", gpus=2)])

    for kind, name in (("podgroup", "new"), ("pod", "mine")):
        start = told(observed, kind, name, give_up=lambda: True).start

        assert start is not None
        assert (start.after, start.why) == (None, "not within 0.0 hours; what ends later was not looked at")


@pytest.mark.parametrize(
    ("spec", "endings", "why"),
    [
        ({"gpus": 1, "preemptionPolicy": "Never"}, ["ml/old"], ""),
        ({"gpus": 3}, [], "even if all that runs ended, there would be no room for it"),
    ],
    ids=["one that makes nobody go", "one that fits nowhere"],
)
def test_a_single_pod_is_told_who_would_have_to_end_by_hand(spec: dict[str, Any], endings: list[str], why: str) -> None:
    observed = Observed(nodes=[a_node("n1")], pods=[a_pod("old", "n1", gpus=2), a_pod("new", **spec)])

    room = told(observed, "pod", "new").room

    assert room is not None
    assert [one.name for one in room.endings] == endings
    assert room.why == why
