"""The controller in memory: what it starts, what it reports, and what is left when it is killed."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.schedules.builders import (
    KEY,
    NOON,
    OF_WORKFLOWS,
    SCHEDULES,
    World,
    a_schedule,
    at,
    by_cron,
    every,
)
from windlass.apps.pipelines.names import RUN_ID_LABEL
from windlass.kube import errors


def passed(world: World) -> list[float]:
    """The slots that were started, in seconds after noon."""
    return [slot - NOON for slot in world.runs.slots]


def test_a_new_schedule_waits_for_its_first_slot() -> None:
    world = World(a_schedule(every(60)))

    world.settle()

    assert passed(world) == []
    assert world.again_in == timedelta(seconds=60)
    assert world.status["trigger"] == {"nextTriggeredTime": at(60)}
    assert list(world.conditions) == ["Enabled"]


def test_a_due_slot_starts_a_run_and_is_recorded() -> None:
    world = World(a_schedule(every(60)))
    world.wait(61)

    world.settle()

    assert passed(world) == [60]
    assert world.again_in == timedelta(seconds=59)
    assert world.status["trigger"] == {
        "lastTriggeredTime": at(60), "nextTriggeredTime": at(120), "lastWorkflowIndex": 1
    }  # fmt: skip
    [entry] = world.status["workflowHistory"]["active"]
    assert (entry["index"], entry["scheduledAt"]) == (1, at(60))
    assert world.events == ["RunStarted"]


def test_slots_wait_while_the_allowed_number_of_runs_is_active() -> None:
    world = World(a_schedule(every(60), maxConcurrency=2))
    world.wait(300)
    world.settle()

    assert passed(world) == [60, 120]
    assert world.again_in is None, "a Workflow that changes wakes it"
    assert "2 runs are active" in world.conditions["Enabled"]
    world.finish()
    world.settle()
    assert passed(world) == [60, 120, 180]
    assert [entry["index"] for entry in world.status["workflowHistory"]["completed"]] == [1]


def test_runs_that_the_caches_do_not_show_yet_count_as_active() -> None:
    world = World(a_schedule(every(60)))
    world.settle()
    world.is_lagging = True
    world.wait(60)

    for _ in range(3):
        world.wait(60)
        world.step()

    assert passed(world) == [60]


def test_slots_that_the_caches_do_not_show_yet_are_not_decided_again() -> None:
    world = World(a_schedule(by_cron("0 * * * * *"), noCatchup=True, maxConcurrency=3))
    world.settle()
    world.is_lagging = True

    for _ in range(3):
        world.wait(60)
        world.step()

    assert passed(world) == [60, 120, 180]
    assert world.status["trigger"]["lastWorkflowIndex"] == 3


def test_without_catching_up_missed_slots_give_one_run() -> None:
    world = World(a_schedule(by_cron("*/10 * * * * *"), noCatchup=True))
    world.settle()
    world.wait(105)

    world.settle()
    world.finish()
    world.settle()

    assert passed(world) == [100]
    assert world.again_in == timedelta(seconds=5)


def test_a_disabled_schedule_starts_nothing_and_continues_where_it_was() -> None:
    world = World(a_schedule(every(60), maxConcurrency=10))
    world.wait(60)
    world.settle()
    world.edit(enabled=False)
    world.wait(120)
    world.settle()

    assert passed(world) == [60]
    assert world.again_in is None
    assert list(world.conditions) == ["Disabled"]
    assert world.status["trigger"] == {"lastTriggeredTime": at(60), "lastWorkflowIndex": 1}
    world.edit(enabled=True)
    world.settle()
    assert passed(world) == [60, 120, 180]
    assert list(world.conditions) == ["Enabled"]


def test_a_schedule_that_is_disabled_while_a_start_is_decided_starts_nothing() -> None:
    world = World(a_schedule(every(60)))
    world.settle()
    world.wait(60)
    world.server.before_patch = lambda: world.edit(enabled=False)

    assert not world.step(), "the write is refused"
    world.settle()

    assert passed(world) == []


def test_a_schedule_without_cron_and_interval_runs_once() -> None:
    world = World(a_schedule({}))
    world.settle()

    assert passed(world) == [0]
    assert list(world.conditions) == ["Running"]
    world.finish()
    world.wait(1000)
    world.settle()
    assert passed(world) == [0]
    assert list(world.conditions) == ["Succeeded"]


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        (by_cron("61 * * * *"), "spec.trigger.cronSchedule.cron: second: end of range (61) above maximum (59): 61"),
        (by_cron(""), "spec.trigger.cronSchedule.cron: expected 5 or 6 fields"),
        (by_cron("* * * * *", startTime="soon"), "spec.trigger.cronSchedule.startTime: 'soon' is not a time"),
        (every(0), "spec.trigger.periodicSchedule.intervalSecond: 0 is less than one second"),
        (every(-5), "spec.trigger.periodicSchedule.intervalSecond: -5 is less than one second"),
        (every(5, endTime="2026-13-01T00:00:00Z"), "spec.trigger.periodicSchedule.endTime"),
        ({**every(5), **by_cron("* * * * *")}, "exclude each other"),
    ],
)
def test_a_trigger_that_cannot_be_followed_is_an_error_of_the_schedule(trigger: dict[str, Any], message: str) -> None:
    world = World(a_schedule(trigger))
    world.wait(1000)

    world.settle()
    world.step()

    assert message in world.conditions["Error"]
    assert passed(world) == []
    assert world.events == ["CannotStart"], "reported once"
    world.edit(trigger={"cronSchedule": None, "periodicSchedule": {"intervalSecond": 500, "endTime": None}})
    world.settle()
    assert list(world.conditions) == ["Enabled"]
    assert passed(world) == [500]


@pytest.mark.parametrize("refusal", [ValueError("the pipeline was deleted"), errors.Forbidden("exceeded quota")])
def test_a_run_that_cannot_be_started_is_an_error_until_it_can(refusal: Exception) -> None:
    world = World(a_schedule(every(60)))
    world.runs.refusal = refusal
    world.wait(60)
    world.settle()

    assert world.conditions["Error"] == str(refusal)
    assert world.again_in == timedelta(minutes=1)
    assert world.events == ["CannotStart"]
    world.runs.refusal = None
    world.wait(30)
    world.settle()
    assert passed(world) == [60]
    assert list(world.conditions) == ["Enabled"]
    assert world.status["trigger"]["nextTriggeredTime"] == at(120)


@pytest.mark.parametrize(
    "schedule",
    [
        a_schedule(every(2**62)),
        a_schedule(every(1, startTime="0001-01-01T00:00:00Z"), maxConcurrency=-(2**62)),
        a_schedule(every(1, startTime="9999-12-31T23:59:59Z")),
        a_schedule(every(1, startTime="9999-12-31T23:59:59-23:00")),
        a_schedule(by_cron("* * * * * *", startTime="9999-12-31T23:59:59Z")),
        a_schedule(by_cron("* * * * * *", startTime="0001-01-01T00:00:00+14:00"), maxConcurrency=2**62),
        a_schedule(by_cron("* * * * * *", endTime="0001-01-01T00:00:00Z"), noCatchup=True),
        a_schedule(by_cron("@every 2562047h"), maxHistory=-5),
        a_schedule(by_cron("0 0 0 31 2 ?"), noCatchup=True),
        a_schedule(every(3, startTime="0001-01-01T00:00:00Z"), noCatchup=True),
    ],
)
def test_extreme_values_are_followed(schedule: dict[str, Any]) -> None:
    world = World(schedule)
    world.wait(1000)

    world.settle()

    assert list(world.conditions) == ["Enabled"]
    assert len(world.workflows()) <= 10


def test_a_run_that_a_user_deleted_is_not_started_again() -> None:
    world = World(a_schedule(every(60)))
    world.wait(60)
    world.settle()
    [key] = world.workflows()

    world.remove(key)
    world.settle()

    assert world.workflows() == []
    assert passed(world) == [60]


def test_runs_of_an_earlier_schedule_of_the_same_name_do_not_count() -> None:
    earlier = World(a_schedule(every(60)))
    earlier.wait(60)
    earlier.settle()
    [key] = earlier.workflows()
    left_over = earlier.server.objects[OF_WORKFLOWS, key]
    world = World(a_schedule(every(60)))
    world.server.objects[SCHEDULES, KEY]["metadata"]["uid"] = "another"
    world.edit(maxConcurrency=1)
    world.server.put(left_over)

    world.wait(60)
    world.settle()

    assert passed(world) == [60]
    assert len(world.workflows()) == 2


def test_a_workflow_with_odd_labels_is_ignored() -> None:
    world = World(a_schedule(every(60)))
    world.wait(60)
    world.settle()
    [key] = world.workflows()
    for n, labels in enumerate(({"workflowIndex": "x"}, {"workflowIndex": "²"}, {"workflowEpoch": "9" * 60})):
        copied = {f"scheduledworkflows.kubeflow.org/{name}": value for name, value in labels.items()}
        known = world.server.objects[OF_WORKFLOWS, key]
        metadata = {**known["metadata"], "name": f"odd-{n}", "labels": known["metadata"]["labels"] | copied}
        world.server.put({**known, "metadata": metadata})

    world.settle()

    assert passed(world) == [60]
    assert world.server.objects[OF_WORKFLOWS, key]["metadata"]["labels"][RUN_ID_LABEL]


@pytest.mark.parametrize(
    "trigger",
    [
        {"lastTriggeredTime": 5, "lastWorkflowIndex": "x"},
        {"lastTriggeredTime": "yesterday", "nextTriggeredTime": [], "lastWorkflowIndex": -3},
        {"nextTriggeredTime": at(-100), "lastWorkflowIndex": 0},
    ],
)
def test_a_status_that_cannot_be_read_counts_as_none(trigger: Any) -> None:
    world = World(a_schedule(every(60)))
    obj = world.server.objects[SCHEDULES, KEY]
    world.server.put({**obj, "status": {"conditions": [{"kind": 1}], "trigger": trigger}})

    world.wait(60)
    world.settle()

    assert passed(world) == [60]


def test_completed_runs_are_listed_up_to_the_limit() -> None:
    world = World(a_schedule(every(1), maxHistory=2))
    for _ in range(5):
        world.wait(1)
        world.settle()
        world.finish()
    world.settle()

    assert [entry["index"] for entry in world.status["workflowHistory"]["completed"]] == [5, 4]
    assert "active" not in world.status["workflowHistory"]


# --- killed


@pytest.mark.parametrize("no_catchup", [False, True])
@pytest.mark.parametrize("writes", range(1, 10))
def test_killed_after_any_write_it_ends_the_same(writes: int, no_catchup: bool) -> None:
    def lived(kill_after: int | None) -> World:
        world = World(a_schedule(every(60), maxConcurrency=3, noCatchup=no_catchup))
        world.settle()
        world.wait(125)
        if kill_after is not None:
            world.step(kill_after)
        world.settle()
        return world

    killed, whole = lived(writes), lived(None)

    assert killed.runs.records == whole.runs.records
    assert killed.status["trigger"] == whole.status["trigger"]
    assert killed.workflows() == whole.workflows()


def test_killed_while_it_starts_a_run_it_loses_no_slot_of_the_time_away() -> None:
    world = World(a_schedule(by_cron("0 * * * * *"), maxConcurrency=2, noCatchup=True))
    world.settle()
    world.wait(60)
    world.step(kill_after=2)  # recorded as being started, and the run's record written

    world.wait(600)
    world.settle()

    assert passed(world) == [60, 660]


def test_a_start_that_was_interrupted_is_completed_without_starting_again_if_the_run_exists() -> None:
    world = World(a_schedule(every(60)))
    world.wait(60)
    world.step(kill_after=3)  # the slot, the record and the Workflow
    assert world.status["trigger"]["nextTriggeredTime"] == at(60)
    world.edit(enabled=False)

    world.settle()
    world.remove(world.workflows()[0])
    world.edit(enabled=True)
    world.settle()

    assert world.workflows() == [], "a user deleted it"
    assert world.status["trigger"]["nextTriggeredTime"] == at(120)


def test_a_start_that_was_interrupted_counts_as_active() -> None:
    world = World(a_schedule(every(60), maxConcurrency=2))
    world.wait(60)
    world.step(kill_after=1)
    world.wait(600)

    world.settle()

    assert passed(world) == [60, 120]


actions = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 200)),
    st.tuples(st.just("act"), st.none()),
    st.tuples(st.just("wait and act"), st.integers(1, 200)),
    st.tuples(st.just("kill"), st.integers(0, 8)),
    st.tuples(st.just("finish"), st.integers(0, 9)),
    st.tuples(st.just("lag"), st.none()),
    st.tuples(st.just("catch up"), st.none()),
    st.tuples(st.just("disable"), st.none()),
    st.tuples(st.just("enable"), st.none()),
    st.tuples(st.just("refuse"), st.booleans()),
)


def happens(world: World, action: str, how: Any) -> None:
    match action:
        case "wait":
            world.wait(how)
        case "wait and act":
            world.wait(how)
            world.step()
        case "act" | "kill":
            world.step(how)
        case "finish":
            world.finish(how)
        case "lag":
            world.is_lagging = True
        case "catch up":
            world.catch_up()
        case "refuse":
            world.runs.refusal = ValueError("not now") if how else None
        case _:
            world.edit(enabled=action == "enable")


@settings(max_examples=500, deadline=None)
@given(st.lists(actions, max_size=30), st.integers(1, 3), st.booleans(), st.sampled_from([7, 60]), st.booleans())
def test_whatever_happens_no_slot_is_lost_or_doubled_and_the_limit_holds(
    history: list[tuple[str, Any]], limit: int, no_catchup: bool, interval: int, is_cron: bool
) -> None:
    trigger = by_cron(f"@every {interval}s") if is_cron else every(interval)
    world = World(a_schedule(trigger, maxConcurrency=limit, noCatchup=no_catchup))
    for action, how in history:
        happens(world, action, how)
        assert len(world.workflows()) <= limit
    world.runs.refusal = None
    world.edit(enabled=True)
    world.settle()
    while world.workflows():  # until all slots that had come are started
        world.finish()
        world.settle()
        assert len(world.workflows()) <= limit

    started = passed(world)
    assert sorted(index for index, _ in world.runs.records.values()) == list(range(1, len(started) + 1))
    assert started == sorted(set(started))
    elapsed = int(world.now - NOON)
    if not no_catchup:
        assert started == list(range(interval, elapsed + 1, interval))
    elif elapsed >= interval:
        assert started
        assert elapsed - started[-1] < interval
