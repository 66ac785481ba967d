"""Jobs and CronJobs on the real server; pods are moved by hand, as no node runs them."""

import asyncio
import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kube.live import managed, until
from windlass.apis.batch_v1 import CronJob, CronJobSpec, Job
from windlass.apis.core_v1 import Event, Pod, ServiceAccount
from windlass.controllers.core import cron_jobs, garbage_collector, job_cleanup, jobs
from windlass.kube.client import Client
from windlass.kube.conditions import is_true
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.manager import Manager
from windlass.kube.meta import Key, ObjectMeta

JOB, POD, CRON_JOB = KINDS.of(Job), KINDS.of(Pod), KINDS.of(CronJob)
CONTROLLERS = (jobs.CONTROLLER, job_cleanup.EXPIRY, job_cleanup.RELEASE, garbage_collector.CONTROLLER)
POD_SPEC: Any = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "perl"}]}


@pytest.fixture
async def yard(client: Client, room: str) -> str:
    """A room whose pods have a service account."""
    await client.create(ServiceAccount(metadata=ObjectMeta(name="default", namespace=room)))
    return room


async def a_job(client: Client, room: str, **spec: Any) -> None:
    metadata = {"name": "pi", "namespace": room}
    wanted = {"template": {"spec": POD_SPEC}, **spec}
    await client.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": wanted}, kind=JOB)


async def pods(client: Client, room: str, count: int) -> list[Pod]:
    """The pods, as soon as there are so many."""

    async def there() -> bool:
        return len((await client.list(Pod, room)).items) == count

    await until(there)
    return (await client.list(Pod, room)).items


async def gone(client: Client, room: str) -> None:
    """Neither the Job nor a pod of it is left."""

    async def empty() -> bool:
        return not (await client.list(Job, room)).items and not (await client.list(Pod, room)).items

    await until(empty)


async def end(client: Client, pod: Pod, phase: str = "Succeeded") -> None:
    await client.set_status(POD, pod.metadata.key, {"phase": phase})


async def finished(client: Client, room: str, condition: str = "Complete") -> Job:
    async def over() -> Job | None:
        job = await client.get(Job, "pi", room)
        return job if is_true(job.status.conditions, condition) else None

    found = await until(over)
    assert found is not None
    return found


async def test_a_job_runs_to_its_end_and_says_so(client: Client, yard: str) -> None:
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard, completions=3, parallelism=2)
        for pod in await pods(client, yard, 2):
            await end(client, pod)
        [last] = [pod for pod in await pods(client, yard, 3) if pod.status.phase == "Pending"]
        await end(client, last)
        job = await finished(client, yard)

        async def told() -> bool:
            events = (await client.list(Event, yard)).items
            return sorted(event.reason for event in events) == ["Completed", *["SuccessfulCreate"] * 3]

        await until(told)
    assert (job.status.succeeded, job.status.failed, job.status.active) == (3, 0, 0)
    assert not any(pod.metadata.finalizers for pod in await pods(client, yard, 3))


async def test_a_deleted_job_takes_its_pods_along(client: Client, yard: str) -> None:
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard, completions=2, parallelism=2)
        await pods(client, yard, 2)
        await client.delete(JOB, Key(yard, "pi"), propagation="Background")
        await gone(client, yard)


async def test_a_job_deleted_in_the_foreground_goes_after_its_pods(client: Client, yard: str) -> None:
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard, completions=2, parallelism=2)
        await pods(client, yard, 2)
        await client.delete(JOB, Key(yard, "pi"), propagation="Foreground")
        await gone(client, yard)


async def test_a_finished_job_goes_when_its_time_is_over(client: Client, yard: str) -> None:
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard, ttlSecondsAfterFinished=0)
        for pod in await pods(client, yard, 1):
            await end(client, pod)
        await gone(client, yard)


async def test_a_suspended_job_gives_its_pods_back(client: Client, yard: str) -> None:
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard, completions=2, parallelism=2)
        await pods(client, yard, 2)
        await client.patch(JOB, Key(yard, "pi"), {"spec": {"suspend": True}})
        await pods(client, yard, 0)
        await finished(client, yard, "Suspended")
        await client.patch(JOB, Key(yard, "pi"), {"spec": {"suspend": False}})
        await pods(client, yard, 2)


async def test_managers_that_come_and_go_make_each_pod_once(client: Client, yard: str) -> None:
    await a_job(client, yard, completions=6, parallelism=6, completionMode="Indexed")
    for _ in range(4):
        async with managed(client, jobs.CONTROLLER):
            pass
    async with managed(client, *CONTROLLERS):
        made = await pods(client, yard, 6)
        for pod in made:
            await end(client, pod)
        job = await finished(client, yard)
    assert job.status.completed_indexes == "0-5"
    assert len(await pods(client, yard, 6)) == 6


async def test_a_cron_job_starts_a_job_that_is_its_own(client: Client, yard: str) -> None:
    yearly = "0 0 1 1 *"  # so that there is one start that was missed, and none that comes while we look
    spec = CronJobSpec(schedule=yearly, job_template={"spec": {"template": {"spec": POD_SPEC}}})
    await client.create(CronJob(metadata=ObjectMeta(name="tick", namespace=yard), spec=spec))
    past = timestamp(datetime.now(UTC) - timedelta(days=366))
    await client.set_status(CRON_JOB, Key(yard, "tick"), {"lastScheduleTime": past})
    async with managed(client, cron_jobs.CONTROLLER, *CONTROLLERS):

        async def started() -> Job | None:
            found = (await client.list(Job, yard)).items
            return found[0] if found else None

        job = await until(started)
        assert job is not None
        assert job.metadata.owner_references[0].name == "tick"

        async def listed() -> bool:
            active = (await client.get(CronJob, "tick", yard)).status.active
            return [reference.uid for reference in active] == [job.metadata.uid]

        await until(listed)
        [pod] = await pods(client, yard, 1)
        await end(client, pod)

        async def successful() -> bool:
            return (await client.get(CronJob, "tick", yard)).status.last_successful_time is not None

        await until(successful)
        await client.delete(CRON_JOB, Key(yard, "tick"), propagation="Background")
        await gone(client, yard)


async def test_a_job_that_is_refused_its_pods_says_why(client: Client, yard: str) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": yard}}
    await client.create({**quota, "spec": {"hard": {"pods": "0"}}}, kind=await client.find_kind("v1", "ResourceQuota"))
    async with managed(client, *CONTROLLERS):
        await a_job(client, yard)

        async def told() -> str:
            events = (await client.list(Event, yard)).items
            return next((event.message for event in events if event.reason == "FailedCreate"), "")

        assert "exceeded quota: q" in await until(told)
        assert (await client.get(Job, "pi", yard)).status.active == 0


async def test_managers_that_are_killed_at_any_moment_lose_and_repeat_nothing(client: Client, yard: str) -> None:
    await a_job(client, yard, completions=12, parallelism=4)
    for lifetime in itertools.count(1):
        assert lifetime < 200
        running = asyncio.create_task(Manager(client, CONTROLLERS).run(asyncio.Event()))
        await asyncio.sleep(0.03 + 0.01 * (lifetime % 20) * (1 + lifetime // 20))
        found = (await client.list(Pod, yard)).items
        for pod in found[lifetime % 3 :: 2]:
            if pod.status.phase == "Pending":
                await end(client, pod)
        running.cancel()
        await asyncio.wait({running})
        made = (await client.list(Pod, yard)).items
        assert sum(pod.status.phase == "Pending" for pod in made) <= 4
        job = await client.get(Job, "pi", yard)
        if is_true(job.status.conditions, "Complete"):
            assert job.status.succeeded == len(made) == 12
            return
