"""The running scheduler without a server: a test says what happens, and reads what is to be done about it."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from prometheus_client import CollectorRegistry

from tests.scheduler.builders import a_group, a_member, a_node, a_pod
from windlass.apis.core_v1 import Pod
from windlass.kube.faults import Faults
from windlass.scheduler.live.core.effects import (
    BindGang,
    BindPod,
    Clock,
    Effect,
    RecordEvent,
    ReportGroup,
    Wake,
    WritePodCondition,
)
from windlass.scheduler.live.core.events import (
    Event,
    GangBound,
    GangNotBound,
    ObjectAdded,
    ObjectChanged,
    ObjectDeleted,
    PodBound,
    PodNotBound,
    Wakeup,
)
from windlass.scheduler.live.core.scheduler_core import SchedulerCore, TurnFailed
from windlass.scheduler.live.metrics import SchedulerMetrics
from windlass.scheduler.live.options import Options
from windlass.scheduler.model.pod_groups import VOLCANO

T = TypeVar("T")


class Run:
    """A core on a clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self.core = SchedulerCore(Options(), SchedulerMetrics(CollectorRegistry()), Faults())

    def turn(self, *events: Event) -> list[Effect]:
        return self.core.turn(events, Clock(lambda: self.now, lambda: self.now))

    def add_node(self, name: str = "n1", cpu: str = "4") -> None:
        self.turn(ObjectAdded("scheduler-nodes", a_node(name, cpu=cpu)))

    def add_pod(self, pod: Pod) -> list[Effect]:
        return self.turn(ObjectAdded("scheduler-pods", pod), ObjectAdded("scheduler-gang-pods", pod))

    def add_group(self, min_member: int) -> None:
        group = a_group(min_member=min_member, status={"phase": "Inqueue"})
        self.turn(ObjectAdded(f"scheduler-{VOLCANO.plural}.{VOLCANO.group}", group.obj))


def those(effects: Iterable[Effect], kind: type[T]) -> list[T]:
    return [effect for effect in effects if isinstance(effect, kind)]


def wakes_after(effects: Iterable[Effect]) -> float:
    return min(effect.after for effect in those(effects, Wake))


def test_a_pod_that_comes_wakes_the_loop_and_is_bound() -> None:
    run = Run()
    run.add_node()

    assert wakes_after(run.add_pod(a_pod("p", cpu="1").pod)) == 0
    (bind,) = those(run.turn(Wakeup()), BindPod)

    assert (bind.pod.key.name, bind.node) == ("p", "n1")
    (event,) = those(run.turn(PodBound(bind.pod, bind.node)), RecordEvent)
    assert (event.reason, event.message) == ("Scheduled", "Successfully assigned default/p to n1")


def test_pods_that_nothing_can_schedule_have_no_effects_where_nothing_changes() -> None:
    run = Run()
    run.add_node(cpu="1")
    for number in range(5):
        run.add_pod(a_pod(f"p{number}", cpu="2").pod)
    first = run.turn(Wakeup())
    later: list[Effect] = []
    for _ in range(60):
        run.now += 60
        later += run.turn(Wakeup())

    assert len(those(first, RecordEvent)) == len(those(first, WritePodCondition)) == 5
    assert [effect for effect in later if not isinstance(effect, Wake)] == []
    assert wakes_after(later) > 0


def test_the_event_of_a_pod_that_still_waits_comes_ever_more_seldom() -> None:
    run = Run()
    run.add_node(cpu="1")
    run.add_pod(a_pod("p", cpu="2").pod)
    recorded: list[int] = []
    for minute in range(180):
        run.turn(ObjectDeleted("scheduler-nodes", a_node("n1", cpu="1")))
        run.add_node(cpu="1")
        recorded += [minute for _ in those(run.turn(Wakeup()), RecordEvent)]
        run.now += 60

    assert recorded[:6] == [0, 2, 5, 10, 19, 36]
    assert len(recorded) == 10


def test_a_pod_that_could_not_be_bound_is_bound_again_after_its_backoff() -> None:
    run = Run()
    run.add_node()
    pod = a_pod("p", cpu="1").pod
    run.add_pod(pod)
    (bind,) = those(run.turn(Wakeup()), BindPod)

    run.turn(PodNotBound(bind.pod, "no", pod))
    effects = run.turn(Wakeup())
    assert not those(effects, BindPod)

    run.now += wakes_after(effects)
    assert [again.node for again in those(run.turn(Wakeup()), BindPod)] == ["n1"]


def test_a_place_that_is_decided_is_not_given_away_before_the_binding_has_ended() -> None:
    run = Run()
    run.add_node(cpu="1")
    first = a_pod("first", cpu="1").pod
    run.add_pod(first)
    (bind,) = those(run.turn(Wakeup()), BindPod)
    run.add_pod(a_pod("second", cpu="1").pod)
    assert not those(run.turn(Wakeup()), BindPod)

    run.turn(ObjectDeleted("scheduler-pods", first), PodNotBound(bind.pod, "no", None))
    run.now += 10

    assert [other.pod.key.name for other in those(run.turn(Wakeup()), BindPod)] == ["second"]


def test_a_gang_is_bound_together_or_waits_again_together() -> None:
    run = Run()
    run.add_node()
    run.add_group(min_member=2)
    members = [a_member(name, cpu="1").pod for name in ("a", "b")]
    run.add_pod(members[0])
    assert not those(run.turn(Wakeup()), BindGang)

    run.add_pod(members[1])
    (bind,) = those(run.turn(Wakeup()), BindGang)
    assert sorted(task.pod.key.name for task in bind.commit.tasks) == ["a", "b"]

    latest = {pod.metadata.uid: pod for pod in members}
    failed = run.turn(GangNotBound(bind.commit, {"uid-a": "no"}, latest))
    assert [event.message for event in those(failed, RecordEvent) if event.reason == "FailedScheduling"] == [
        "no",
        "another pod of its gang could not be bound",
    ]

    (again,) = those(run.turn(Wakeup()), BindGang)
    bound = run.turn(GangBound(again.commit))
    assert sorted(event.reason for event in those(bound, RecordEvent)) == ["Scheduled", "Scheduled"]


def test_a_gang_that_gathers_is_given_time_before_it_is_warned_of() -> None:
    run = Run()
    run.add_node()
    run.add_group(min_member=2)
    run.add_pod(a_member("a", cpu="1").pod)
    (key,) = {effect.key for effect in those(run.turn(Wakeup()), ReportGroup)}

    report = run.core.group_report(key, Clock(lambda: run.now, lambda: run.now))
    assert report is not None
    assert report.gather_left == 1.0

    run.now += 1
    late = run.core.group_report(key, Clock(lambda: run.now, lambda: run.now))
    assert late is not None
    assert late.gather_left == 0


def test_the_same_events_have_the_same_effects() -> None:
    def effects() -> list[str]:
        run = Run()
        run.add_node("n1", cpu="2")
        run.add_node("n2", cpu="2")
        run.add_group(min_member=2)
        found = [effect for name in ("a", "b") for effect in run.add_pod(a_member(name, cpu="1").pod)]
        found += [effect for number in range(3) for effect in run.add_pod(a_pod(f"p{number}", cpu="1").pod)]
        return [type(effect).__name__ for effect in (*found, *run.turn(Wakeup()))]

    assert effects() == effects()


def test_what_was_decided_before_an_object_that_cannot_be_read_is_not_lost() -> None:
    run = Run()
    run.add_node()
    good = a_pod("good", cpu="1").pod

    with pytest.raises(TurnFailed) as failed:
        run.turn(
            ObjectAdded("scheduler-pods", good),
            ObjectChanged("scheduler-nodes", a_node("n1"), None),  # pyright: ignore[reportArgumentType]
        )

    assert those(failed.value.effects, Wake)
    assert isinstance(failed.value.__cause__, AttributeError)
    assert [bind.pod.key.name for bind in those(run.turn(Wakeup()), BindPod)] == ["good"]
