"""Which job a pod is a task of, and what becomes of it as pods, groups and nodes come and go."""

from typing import Any

import pytest
from msgspec.structs import replace
from prometheus_client import CollectorRegistry

from tests.scheduler.builders import a_group, a_member, a_node, a_pod
from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_v1 import PriorityClass
from windlass.kube.faults import Faults
from windlass.kube.kind import Kind
from windlass.kube.meta import OwnerReference
from windlass.scheduler.live.core.effects import Clock
from windlass.scheduler.live.core.events import Event, ObjectAdded, ObjectChanged, ObjectDeleted
from windlass.scheduler.live.core.scheduler_core import SchedulerCore
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.model.cluster import Cluster
from windlass.scheduler.model.gangs import Gangs
from windlass.scheduler.model.jobs import Job, Queue, Status
from windlass.scheduler.model.node_table import NodeTable
from windlass.scheduler.model.pod_groups import COSCHEDULING, KUBE_BATCH, VOLCANO, PodGroup


class Book:
    """What Gangs hears and tells."""

    def __init__(self, *groups: PodGroup, gangs: Gangs | None = None) -> None:
        self.cluster = Cluster() if gangs is None else gangs.cluster
        self.cluster.put_queue(Queue("default"))
        self.cluster.snapshot.put_node(a_node("n1", cpu="6"))
        self.classes: dict[str, PriorityClass] = {}
        self.gangs = gangs or Gangs(self.cluster, self.classes)
        for group in groups:
            self.gangs.put(group.kind, group.obj)

    def see(self, name: str, group: str = "g", **given: Any) -> Pod:
        pod = a_member(name, group, given.pop("scheduler", "volcano"), **given)
        if pod.pod.spec.node_name:
            self.cluster.snapshot.add_pod(pod, pod.pod.spec.node_name)
        self.gangs.see(pod.pod)
        return pod.pod

    def job(self, name: str = "g") -> Job:
        return next(job for job in self.cluster.jobs.values() if job.name == name)

    def lost(self) -> list[str]:
        return [lost.task.pod.key.name for lost in self.gangs.take_changes().lost]

    def ended(self) -> list[tuple[str, str]]:
        return [(group.name, pod.metadata.name) for group, pod in self.gangs.take_changes().ended]

    def statuses(self, name: str = "g") -> dict[str, str]:
        return {task.pod.key.name: task.status.name for task in self.job(name).tasks.values()}


@pytest.mark.parametrize(
    ("kind", "phase", "resources", "admitted"),
    [
        (VOLCANO, "", None, False),
        (VOLCANO, "Pending", {"cpu": "99"}, False),
        (VOLCANO, "Inqueue", {"cpu": "99"}, True),
        (VOLCANO, "Unknown", None, True),
        (KUBE_BATCH, "", None, True),
        (COSCHEDULING, "", {"cpu": "99"}, True),
    ],
)
def test_only_volcanos_groups_wait_to_be_let_in_and_those_that_were_stay_so(
    kind: Kind, phase: str, resources: dict[str, str] | None, admitted: bool
) -> None:
    more = {"minResources": resources} if resources else {}
    book = Book(a_group("g", min_member=6, kind=kind, status={"phase": phase}, **more))

    assert book.job().is_admitted is admitted


def test_what_only_quotas_count_is_not_asked_of_nodes() -> None:
    asked = {"cpu": "1", "requests.cpu": "99", "count/pods": "9"}
    job = Book(a_group(minResources=asked)).job()

    assert job.min_resources is not None
    assert job.min_resources.sum() == 1000
    assert job.quota_asked == {"cpu": 1.0, "requests.cpu": 99.0, "count/pods": 9.0}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, "PENDING"),
        ({"schedulingGates": [{"name": "x"}]}, "GATED"),
        ({"nodeName": "n1"}, "BOUND"),
        ({"nodeName": "n1", "status": {"phase": "Running"}}, "RUNNING"),
        ({"nodeName": "gone", "status": {"phase": "Running"}}, "UNKNOWN"),
        ({"nodeName": "n1", "status": {"phase": "Succeeded"}}, "SUCCEEDED"),
        ({"nodeName": "n1", "status": {"phase": "Failed"}}, "FAILED"),
    ],
)
def test_a_pod_is_a_task_of_its_groups_job(given: dict[str, Any], status: str) -> None:
    book = Book(a_group())

    book.see("p", **given)

    assert book.statuses() == {"p": status}


def test_a_pod_goes_by_the_group_that_its_scheduler_prefers_and_else_by_the_other() -> None:
    old, new = a_group("g", kind=KUBE_BATCH), a_group("g", kind=VOLCANO)
    new.obj["metadata"]["uid"] = "another"
    book = Book(new)
    pod = book.see("p", scheduler="kube-batch")
    assert book.gangs.members(new) == [pod]
    assert list(book.cluster.jobs["another"].tasks) == ["uid-p"]

    book.gangs.put(KUBE_BATCH, old.obj)
    assert book.gangs.members(old) == [pod]
    assert not book.cluster.jobs["another"].tasks

    book.gangs.drop(KUBE_BATCH, old.obj)
    assert list(book.cluster.jobs["another"].tasks) == ["uid-p"]


def test_pods_of_volcano_wait_for_their_group_and_are_its_tasks_when_it_comes() -> None:
    book = Book()
    book.see("early")
    book.gangs.see(a_pod("alone", schedulerName="volcano").pod)
    assert {pod.key.name for pod in book.gangs.orphans()} == {"early", "alone"}

    group = a_group("g")
    book.gangs.put(VOLCANO, group.obj)
    assert {pod.key.name for pod in book.gangs.orphans()} == {"alone"}
    assert book.statuses() == {"early": "PENDING"}


def test_pods_of_kube_batch_without_a_group_have_one_for_each_owner() -> None:
    book = Book()
    for name in ("a", "b"):
        book.gangs.see(a_pod(name, schedulerName="kube-batch").pod)
    assert sorted(job.min_member for job in book.cluster.jobs.values()) == [1, 1]

    book.gangs.lose(a_pod("a", schedulerName="kube-batch").pod)
    assert [list(job.tasks) for job in book.cluster.jobs.values()] == [["uid-b"]]


def test_a_decision_that_is_not_seen_yet_stands() -> None:
    book = Book(a_group())
    book.see("p")
    task = book.job().tasks["uid-p"]
    book.cluster.move(task, Status.BINDING, "n1")

    book.see("p", labels={"new": "label"})
    assert book.statuses() == {"p": "BINDING"}

    book.see("p", nodeName="n1")
    assert book.statuses() == {"p": "BOUND"}


@pytest.mark.parametrize(
    ("then", "is_lost"),
    [
        ({"nodeName": "n1", "status": {"phase": "Failed"}}, True),
        ({"nodeName": "n1", "status": {"phase": "Succeeded"}}, False),
        ({"nodeName": "n1", "status": {"phase": "Running"}}, False),
    ],
)
def test_who_keeps_places_hears_of_a_member_that_is_lost(then: dict[str, Any], is_lost: bool) -> None:
    book = Book(a_group(min_member=2))
    book.see("p", nodeName="n1")

    book.see("p", **then)

    assert book.lost() == (["p"] if is_lost else [])


DONE = {
    "phase": "Succeeded",
    "containerStatuses": [{"name": "c", "state": {"terminated": {"finishedAt": "2026-01-01T00:00:00Z"}}}],
}


@pytest.mark.parametrize("groups", [(), (a_group(min_member=1),)])
def test_who_learns_how_long_pods_take_hears_once_of_each_that_was_done_before_also_if_its_group_is_gone(
    groups: tuple[PodGroup, ...],
) -> None:
    book = Book(*groups)
    book.see("p", nodeName="n1", status=DONE)
    book.see("q", nodeName="n1", status={"phase": "Failed"})

    book.see("p", nodeName="n1", status=DONE, labels={"new": "one"})
    book.gangs.put(VOLCANO, a_group(min_member=2).obj)
    book.gangs.drop(VOLCANO, a_group().obj)

    assert book.ended() == [("g", "p")]


@pytest.mark.parametrize("status", [DONE, {"phase": "Succeeded"}])
def test_who_learns_how_long_pods_take_hears_once_of_one_that_ends(status: dict[str, Any]) -> None:
    book = Book(a_group(min_member=1))
    book.see("p", nodeName="n1", status={"phase": "Running"})

    book.see("p", nodeName="n1", status=status)

    assert book.ended() == [("g", "p")]


def test_pods_of_a_node_that_is_lost_hold_nothing_until_it_is_back() -> None:
    book = Book(a_group())
    book.see("p", nodeName="n1", cpu="2")
    queue = book.cluster.queues["default"]
    assert queue.allocated[0] == 2000

    book.cluster.snapshot.remove_node("n1")
    book.gangs.node_changed("n1")
    assert book.statuses() == {"p": "UNKNOWN"}
    assert queue.allocated[0] == 0

    book.cluster.snapshot.put_node(a_node("n1", cpu="6"))
    book.gangs.node_changed("n1")
    assert book.statuses() == {"p": "BOUND"}


def test_a_groups_class_says_how_much_it_matters() -> None:
    book = Book()
    book.classes["high"] = PriorityClass(value=1000, preemption_policy="Never")
    book.gangs.put(VOLCANO, a_group(priorityClassName="high").obj)
    assert (book.job().priority, book.job().preemption_policy) == (1000, "Never")

    book.classes["high"] = PriorityClass(value=7)
    book.gangs.priorities_changed()
    assert (book.job().priority, book.job().preemption_policy) == (7, "PreemptLowerPriority")


class Fed(Book):
    """Pods come as events, in the order of the running scheduler."""

    def __init__(self, *groups: PodGroup) -> None:
        self.core = SchedulerCore(Options(), SchedulerMetrics(CollectorRegistry()), Faults())
        super().__init__(*groups, gangs=self.core.state.gangs)

    def change(self, old: Pod | None, new: Pod | None) -> None:
        for feed in ("scheduler-pods", "scheduler-gang-pods"):
            if old is None and new is not None:
                self._turn(ObjectAdded(feed, new))
            elif old is not None and new is not None:
                self._turn(ObjectChanged(feed, old, new))
            elif old is not None:
                self._turn(ObjectDeleted(feed, old))

    def _turn(self, event: Event) -> None:
        self.core.turn((event,), Clock(lambda: 0.0, lambda: 0.0))

    @property
    def table(self) -> NodeTable:
        return self.cluster.snapshot.table


def _going(pod: Pod) -> Pod:
    return replace(pod, metadata=replace(pod.metadata, deletion_timestamp="2026-01-01T00:00:00Z"))


def test_what_a_pod_releases_goes_with_the_pod_also_if_its_group_went_before() -> None:
    book, group = Fed(a_group()), a_group()
    pod = a_member("p", nodeName="n1", cpu="2", status={"phase": "Running"}).pod
    book.change(None, pod)
    book.change(pod, _going(pod))
    book.gangs.drop(VOLCANO, group.obj)
    assert book.table.releasing[0].max() == 2000

    book.change(_going(pod), None)

    assert not book.table.releasing.any()
    assert not book.table.used.any()
    assert book.table.ending == 0


def test_a_pod_of_no_gang_that_is_being_deleted_is_known_to_release_its_place() -> None:
    book = Fed()
    pod = a_pod("p", nodeName="n1", cpu="2").pod
    book.change(None, _going(pod))
    assert book.table.releasing[0].max() == 2000


def test_a_pod_that_names_no_group_any_more_keeps_its_node() -> None:
    book = Fed(a_group())
    pod = a_member("p", nodeName="n1", cpu="2").pod
    book.change(None, pod)

    book.change(pod, a_pod("p", nodeName="n1", cpu="2", schedulerName="volcano").pod)

    assert not book.job().tasks
    assert not book.cluster.queues["default"].allocated.any()
    assert book.table.used[0].max() == 2000


def test_a_pod_of_kube_batch_counts_once_when_somebody_adopts_it() -> None:
    book = Fed()
    pod = a_pod("p", nodeName="n1", cpu="2", schedulerName="kube-batch").pod
    owner = OwnerReference(api_version="batch/v1", kind="Job", name="o", uid="o", controller=True)
    book.change(None, pod)

    book.change(pod, replace(pod, metadata=replace(pod.metadata, owner_references=[owner])))

    assert [list(job.tasks) for job in book.cluster.jobs.values()] == [["uid-p"]]
    assert book.cluster.queues["default"].allocated[0] == 2000


@pytest.mark.parametrize("is_bound", [True, False])
def test_a_binding_under_way_stands_when_the_group_is_made_again(is_bound: bool) -> None:
    again = a_group()
    again.obj["metadata"]["uid"] = "again"
    book = Fed(a_group())
    pod = a_member("p", cpu="2").pod
    book.change(None, pod)
    task = book.job().tasks["uid-p"]
    book.cluster.move(task, Status.BINDING, "n1")

    book.gangs.put(VOLCANO, again.obj)
    assert book.statuses() == {"p": "BINDING"}
    assert book.table.used[0].max() == 2000

    if is_bound:
        book.change(pod, a_member("p", cpu="2", nodeName="n1").pod)
        assert book.statuses() == {"p": "BOUND"}
    else:
        book.gangs.not_bound(task)
        assert book.statuses() == {"p": "PENDING"}
    assert book.table.used[0].max() == (2000 if is_bound else 0)


def test_another_pod_of_the_same_name_for_another_scheduler_takes_the_place_of_the_first() -> None:
    book = Fed(a_group())
    pod = a_member("p", nodeName="n1", cpu="2").pod
    book.change(None, pod)
    other = a_pod("p", schedulerName="somebody-else").pod

    book.change(pod, replace(other, metadata=replace(other.metadata, uid="another")))

    assert not book.job().tasks
    assert not book.table.used.any()
