"""The controller in a manager, against a real API server, by the real clock."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.apps.pipelines.schedules.builders import (
    FINISHED,
    OF_WORKFLOWS,
    SCHEDULES,
    Runs,
    a_schedule,
    by_cron,
    every,
)
from tests.kube.live import managed, until
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.names import COMPLETED_LABEL
from windlass.apps.pipelines.schedules.controller import controller
from windlass.kube.client import Client
from windlass.kube.json import timestamp
from windlass.kube.meta import Key

NAME = "often"


class Finishing:
    """Lets each run finish a while after its start; counts how many were active at once."""

    def __init__(self, client: Client, room: str, lasting: float) -> None:
        self._client, self._room, self._lasting = client, room, lasting
        self.most_active = 0
        self._begun: dict[str, float] = {}

    async def watch(self) -> None:
        while True:
            active = [
                workflow.metadata.name
                for workflow in (await self._client.list(Workflow, self._room)).items
                if workflow.metadata.labels.get(COMPLETED_LABEL) != "true"
            ]
            self.most_active = max(self.most_active, len(active))
            for name in active:
                begun = self._begun.setdefault(name, time.monotonic())
                if time.monotonic() - begun >= self._lasting:
                    await self._client.patch(OF_WORKFLOWS, Key(self._room, name), FINISHED)
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Finishing"]:
        task = asyncio.create_task(self.watch())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def create(client: Client, room: str, trigger: Any, **spec: Any) -> None:
    await client.create(a_schedule(trigger, name=NAME, namespace=room, **spec), kind=SCHEDULES)


async def read(client: Client, room: str) -> ScheduledWorkflow:
    return await client.get(ScheduledWorkflow, NAME, room)


async def condition(client: Client, room: str) -> str:
    conditions = (await read(client, room)).status.conditions
    return conditions[0]["type"] if conditions else ""


def ago(seconds: float) -> str:
    return timestamp(datetime.fromtimestamp(time.time() - seconds, UTC))


async def test_every_two_seconds_with_one_at_a_time_never_overlaps(client: Client, room: str) -> None:
    runs = Runs(client)
    async with (
        managed(client, controller(runs.start), namespace=room),
        Finishing(client, room, 0.3).running() as finishing,
    ):
        began = time.time()
        await create(client, room, by_cron("*/2 * * * * *"), maxConcurrency=1)

        async def three() -> bool:
            return len(runs.records) >= 3

        await until(three)
        took = time.time() - began

    assert finishing.most_active == 1
    slots = runs.slots
    assert [other - one for one, other in pairwise(slots)] == [2.0] * (len(slots) - 1)
    assert all(slot % 2 == 0 for slot in slots)
    assert took + 0.1 >= 4, "no slot starts before its time"


async def test_a_run_that_takes_longer_than_the_interval_delays_the_next(client: Client, room: str) -> None:
    runs = Runs(client)
    async with (
        managed(client, controller(runs.start), namespace=room),
        Finishing(client, room, 1.5).running() as finishing,
    ):
        await create(client, room, every(1))

        async def three() -> bool:
            return len(runs.records) >= 3

        await until(three)

    assert finishing.most_active == 1
    assert [slot - runs.slots[0] for slot in runs.slots[:3]] == [0, 1, 2], "no slot is left out"


async def test_missed_slots_without_catching_up_give_one_run(client: Client, room: str) -> None:
    runs = Runs(client)
    async with managed(client, controller(runs.start), namespace=room):
        await create(client, room, every(60, startTime=ago(601)), noCatchup=True, maxConcurrency=10)

        async def confirmed() -> bool:
            trigger = (await read(client, room)).status.trigger
            return trigger.get("nextTriggeredTime", "") > trigger.get("lastTriggeredTime", "~")

        await until(confirmed)

    assert len(runs.records) == 1
    assert time.time() - runs.slots[0] < 30


async def test_missed_slots_are_caught_up_and_a_bad_trigger_is_an_error(client: Client, room: str) -> None:
    runs = Runs(client)
    async with managed(client, controller(runs.start), namespace=room):
        await create(client, room, every(60, startTime=ago(310)), maxConcurrency=3)

        async def history() -> list[Any]:
            return (await read(client, room)).status.workflow_history.get("active", [])

        async def three() -> bool:
            return len(await history()) == 3

        await until(three)
        slots = runs.slots
        assert [slot - slots[0] for slot in slots] == [0, 60, 120]
        patch = {"spec": {"trigger": {"periodicSchedule": None, "cronSchedule": {"cron": "nonsense"}}}}
        await client.patch(SCHEDULES, Key(room, NAME), patch)

        async def error() -> str:
            found = [each for each in (await read(client, room)).status.conditions if each["type"] == "Error"]
            return found[0]["message"] if found else ""

        assert (await until(error)).startswith("spec.trigger.cronSchedule.cron: expected 5 or 6 fields")


async def test_disabling_stops_it_and_runs_continue(client: Client, room: str) -> None:
    runs = Runs(client)
    async with managed(client, controller(runs.start), namespace=room):
        await create(client, room, every(1), maxConcurrency=10)

        async def two() -> bool:
            return len(runs.records) >= 2

        await until(two)
        await client.patch(SCHEDULES, Key(room, NAME), {"spec": {"enabled": False}})

        async def disabled() -> bool:
            return await condition(client, room) == "Disabled"

        await until(disabled)
        started, stopped = len(runs.records), time.time()

        async def two_slots_passed() -> bool:
            return time.time() > stopped + 2.2

        await until(two_slots_passed)

    assert len(runs.records) == started
    workflows = (await client.list(Workflow, room)).items
    assert len(workflows) == started
    assert "nextTriggeredTime" not in (await read(client, room)).status.trigger


@pytest.mark.parametrize("lasting", [0.0, 0.7])
async def test_managers_that_are_stopped_and_started_lose_and_double_nothing(
    client: Client, room: str, lasting: float
) -> None:
    runs = Runs(client)
    async with Finishing(client, room, lasting).running() as finishing:
        await create(client, room, every(1), maxConcurrency=1)
        for wanted in (1, 2, 3, 4):
            async with managed(client, controller(runs.start), namespace=room):

                async def enough(wanted: int = wanted) -> bool:
                    return len(runs.records) >= wanted

                await until(enough)

    assert finishing.most_active == 1
    slots = runs.slots
    assert slots == [slots[0] + n for n in range(len(slots))]
    assert sorted(index for index, _ in runs.records.values()) == list(range(1, len(slots) + 1))
