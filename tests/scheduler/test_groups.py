"""Which groups are let in, and what their statuses say."""

from typing import Any

import pytest

from tests.scheduler.builders import a_cluster, a_group, a_member, a_node
from windlass.apis.core_v1 import Pod
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.scheduler.gangs import HELD_FOR, Gangs, GroupKey
from windlass.scheduler.group_status import Count, Trouble, status_of
from windlass.scheduler.groups import COSCHEDULING, KUBE_BATCH, VOLCANO, Group
from windlass.scheduler.queue import SchedulingQueue
from windlass.scheduler.snapshot import Snapshot

NOW = "2026-01-02T00:00:00Z"
SHORT = Trouble("NotEnoughResources", "6/6 tasks in gang unschedulable: …")


def told(group: Group, trouble: Trouble | None = None, admitted: bool = True, **counts: Any) -> Json:
    return status_of(group, Count(**counts), admitted=admitted, trouble=trouble, now=NOW, cycle="7")


@pytest.mark.parametrize(
    ("counts", "trouble", "admitted", "phase"),
    [
        ({}, None, False, "Pending"),
        ({}, None, True, "Inqueue"),
        ({"pods": 6}, SHORT, True, "Inqueue"),
        ({"pods": 6, "scheduled": 5}, None, True, "Inqueue"),
        ({"pods": 6, "scheduled": 6}, None, True, "Running"),
        ({"pods": 6, "scheduled": 6, "running": 4, "succeeded": 2}, None, True, "Running"),
        ({"pods": 6, "scheduled": 6, "failed": 1, "succeeded": 5}, None, True, "Completed"),
        ({"pods": 6, "scheduled": 5, "running": 5}, SHORT, True, "Unknown"),
    ],
)
def test_the_phases_of_a_volcano_group(
    counts: dict[str, Any], trouble: Trouble | None, admitted: bool, phase: str
) -> None:
    status = told(a_group(min_member=6), trouble, admitted, **counts)

    assert status["phase"] == phase
    assert status.get("running") == (counts.get("running") or None)


def test_a_group_whose_pods_were_cleared_away_stays_completed() -> None:
    assert told(a_group(min_member=6, status={"phase": "Completed"}))["phase"] == "Completed"


@pytest.mark.parametrize(
    ("counts", "phase"),
    [
        ({}, "Pending"),
        ({"pods": 6}, "Pending"),
        ({"pods": 6, "scheduled": 6}, "Running"),
        ({"pods": 6, "scheduled": 6, "succeeded": 6}, "Running"),
    ],
)
def test_a_kube_batch_group_knows_neither_inqueue_nor_completed(counts: dict[str, Any], phase: str) -> None:
    assert told(a_group(min_member=6, kind=KUBE_BATCH), **counts)["phase"] == phase


@pytest.mark.parametrize(
    ("counts", "before", "phase"),
    [
        ({}, "", "Pending"),
        ({"pods": 2}, "Pending", "Pending"),
        ({"pods": 3}, "Pending", "Scheduling"),
        ({"pods": 3, "scheduled": 3, "running": 2}, "Scheduling", "Scheduling"),
        ({"pods": 3, "scheduled": 3, "running": 3}, "Scheduling", "Running"),
        ({"pods": 3, "running": 1, "succeeded": 2}, "Running", "Running"),
        ({"pods": 3, "running": 2, "failed": 1}, "Running", "Failed"),
        ({"pods": 3, "succeeded": 3}, "Running", "Finished"),
        ({}, "Finished", "Finished"),
    ],
)
def test_the_phases_of_a_scheduler_plugins_group(counts: dict[str, Any], before: str, phase: str) -> None:
    group = a_group(min_member=3, kind=COSCHEDULING, status={"phase": before})

    assert told(group, **counts)["phase"] == phase


def test_when_scheduling_began_is_kept() -> None:
    first = told(a_group(min_member=3, kind=COSCHEDULING), pods=3)
    assert first["scheduleStartTime"] == NOW

    group = a_group(min_member=3, kind=COSCHEDULING, status={**first, "scheduleStartTime": "2026-01-01T00:00:00Z"})
    assert told(group, pods=3, running=3)["scheduleStartTime"] == "2026-01-01T00:00:00Z"


def test_a_gang_that_waits_says_why_and_takes_it_back_when_it_is_placed() -> None:
    waiting = told(a_group(min_member=6), SHORT, pods=6)
    (condition,) = waiting["conditions"]
    assert condition == {
        "type": "Unschedulable",
        "status": "True",
        "reason": "NotEnoughResources",
        "message": SHORT.message,
        "transitionID": "7",
        "lastTransitionTime": NOW,
    }

    placed = told(a_group(min_member=6, status=waiting), pods=6, scheduled=6)
    by_type = {each["type"]: each for each in placed["conditions"]}
    assert by_type["Unschedulable"]["status"] == "False"
    assert (by_type["Scheduled"]["status"], by_type["Scheduled"]["reason"]) == (
        "True",
        "tasks in gang are ready to be scheduled",
    )


def test_what_has_not_changed_is_told_as_it_was() -> None:
    before = told(a_group(min_member=6), SHORT, pods=6)

    later = status_of(
        a_group(min_member=6, status=before),
        Count(pods=6),
        admitted=True,
        trouble=SHORT,
        now="2026-01-03T00:00:00Z",
        cycle="8",
    )

    assert later == before


# --- letting in


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def a_book(snapshot: Snapshot, *groups: Group, clock: Clock | None = None) -> tuple[Gangs, SchedulingQueue]:
    queue = SchedulingQueue()
    heard: list[GroupKey] = []
    book = Gangs(snapshot, queue, clock or Clock(), heard.append)
    for group in groups:
        book.put(group.kind, group.obj)
    return book, queue


def asking(name: str, **amounts: Any) -> Group:
    created = amounts.pop("created", "2026-01-01T00:00:00Z")
    return a_group(name, min_member=6, minResources=amounts, created=created)


def names(groups: list[Group]) -> list[str]:
    return [group.key.name for group in groups]


def test_a_group_is_let_in_when_the_nodes_have_free_what_it_asks_for() -> None:
    snapshot = a_cluster(a_node("n1", cpu="4"), a_node("n2", cpu="2"), pods={"n1": [a_member("other", "x", cpu="1")]})
    book, _ = a_book(snapshot, asking("large", cpu="6"), asking("small", cpu="5"))

    assert names(book.let_in()) == ["small"]
    trouble = book.troubles[VOLCANO, asking("large").key]
    assert trouble.reason == "NotEnqueueable"
    assert trouble.message.startswith("resource in cluster is overused: overused cpu (cpu: 6000m asked, ")

    snapshot.remove_pod("uid-other")
    snapshot.put_node(a_node("n3", cpu="6"))
    assert names(book.let_in()) == ["large"]
    assert not book.troubles


def test_a_resource_that_no_node_has_lets_nobody_in() -> None:
    book, _ = a_book(a_cluster(a_node()), asking("g", **{"nvidia.com/gpu": "4"}))

    assert book.let_in() == []
    assert "overused nvidia.com/gpu" in book.troubles[VOLCANO, asking("g").key].message


def test_what_only_quotas_count_is_not_asked_of_nodes() -> None:
    book, _ = a_book(a_cluster(a_node(cpu="4")), asking("g", cpu="1", **{"requests.cpu": "99", "count/pods": "9"}))

    assert names(book.let_in()) == ["g"]


def test_two_groups_are_not_let_in_for_the_same_room_and_the_older_comes_first() -> None:
    book, _ = a_book(
        a_cluster(a_node(cpu="6")),
        asking("young", cpu="6", created="2026-01-02T00:00:00Z"),
        asking("old", cpu="6", created="2026-01-01T00:00:00Z"),
    )

    assert names(book.let_in()) == ["old"]
    assert book.let_in() == []


def test_room_is_not_kept_for_ever_for_a_group_whose_pods_do_not_come() -> None:
    clock = Clock()
    book, _ = a_book(a_cluster(a_node(cpu="6")), asking("a", cpu="6"), asking("b", cpu="6"), clock=clock)
    assert names(book.let_in()) == ["a"]

    clock.now = HELD_FOR + 1

    assert names(book.let_in()) == ["b"]


def test_room_is_kept_for_a_group_whose_pods_wait() -> None:
    clock = Clock()
    book, queue = a_book(a_cluster(a_node(cpu="6")), asking("a", cpu="6"), asking("b", cpu="6"), clock=clock)
    assert names(book.let_in()) == ["a"]
    pod = a_member("a-0", "a", cpu="1")
    book.see(pod.pod)
    queue.add(pod, 0.0)

    clock.now = HELD_FOR + 1

    assert book.let_in() == []


def test_what_a_groups_pods_have_already_is_not_asked_for_again() -> None:
    snapshot = a_cluster(a_node("n1", cpu="6"))
    book, _ = a_book(snapshot, asking("g", cpu="6"))
    for number in range(5):
        pod = a_member(f"p{number}", cpu="1")
        book.see(pod.pod)
        snapshot.add_pod(pod, "n1")

    assert names(book.let_in()) == ["g"]


@pytest.mark.parametrize(
    ("kind", "phase", "resources"),
    [
        (VOLCANO, "", None),
        (VOLCANO, "Inqueue", {"cpu": "99"}),
        (KUBE_BATCH, "", None),
        (COSCHEDULING, "", {"cpu": "99"}),
    ],
)
def test_groups_that_ask_for_nothing_in_advance_are_let_in_at_once_and_those_that_were_stay_so(
    kind: Kind, phase: str, resources: dict[str, str] | None
) -> None:
    more = {"minResources": resources} if resources else {}
    group = a_group("g", min_member=6, kind=kind, status={"phase": phase}, **more)

    book, _ = a_book(a_cluster(a_node()), group)

    assert book.is_admitted((kind, group.key))
    assert not book.any_outside


# --- who belongs where


def test_a_pod_goes_by_the_group_that_its_scheduler_prefers_and_else_by_the_other() -> None:
    old, new = a_group("g", kind=KUBE_BATCH), a_group("g", kind=VOLCANO)
    pod: Pod = a_member("p", scheduler="kube-batch").pod

    both, _ = a_book(a_cluster(a_node()), old, new)
    one, _ = a_book(a_cluster(a_node()), new)

    assert both.group_of(pod) == old
    assert one.group_of(pod) == new
    one.see(pod)
    assert one.members(new) == [pod]


def test_a_gang_that_is_complete_lets_its_further_pods_go_alone() -> None:
    snapshot = a_cluster(a_node("n1", cpu="6"))
    book, queue = a_book(snapshot, a_group(min_member=2))
    pods = [a_member(f"p{number}", cpu="1") for number in range(3)]
    for pod in pods:
        book.see(pod.pod)
        queue.add(pod, 0.0)

    gang = book.gang_of(pods[2])
    assert gang is not None
    assert (gang.needed, len(gang.waiting)) == (2, 3)

    for pod in pods[:2]:
        snapshot.add_pod(pod, "n1")
    assert book.gang_of(pods[2]) is None


def test_a_pod_that_has_succeeded_has_done_its_part_and_one_that_failed_has_not() -> None:
    snapshot = a_cluster(a_node("n1", cpu="6"))
    book, queue = a_book(snapshot, a_group(min_member=3))
    for name, phase in (("done", "Succeeded"), ("broken", "Failed")):
        book.see(a_member(name, status={"phase": phase}).pod)
    waiting = a_member("new")
    book.see(waiting.pod)
    queue.add(waiting, 0.0)

    gang = book.gang_of(waiting)

    assert gang is not None
    assert (gang.held.total(), gang.needed) == (1, 2)
