"""Logs of Workflows are copied once, and go with the Workflow."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from windlass.apis.core_v1 import Pod, PodStatus
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.runs.workflows.pod_logs import Deletions, WorkflowLogs
from windlass.kube import errors
from windlass.kube.api import Runtime
from windlass.kube.cache import Store
from windlass.kube.json import Object
from windlass.kube.meta import Key, ObjectMeta

WORKFLOW: Object = {"metadata": {"name": "w", "namespace": "ml", "uid": "u1"}}
RUN: Object = {"metadata": {"name": "r", "namespace": "ml", "uid": "u2", "labels": {"pipeline/runid": "r1"}}}


class World:
    """A runtime whose queues are carried out when the test says so."""

    def __init__(self) -> None:
        self.api = self
        self.workflows: list[Object] = [WORKFLOW, RUN]
        self.texts = {"a": [b"one", b"two"]}
        self.read: list[str] = []
        self.subscriber: Deletions | None = None
        self._queues: list[list[Any]] = []
        self._steps: list[tuple[list[Any], Callable[[Any], Awaitable[Any]]]] = []

    def __iter__(self) -> Any:
        return iter(self.workflows)

    def subscribe(self, subscriber: Deletions) -> None:
        self.subscriber = subscriber

    def queue(self, name: str) -> Any:
        class Waiting(list[Any]):
            add = list[Any].append

        return Waiting()

    def work(self, name: str, queue: list[Any], step: Callable[[Any], Awaitable[Any]], workers: int) -> None:
        self._steps.append((queue, step))

    async def logs(self, pod: Key, container: str) -> AsyncIterator[bytes]:
        self.read.append(pod.name)
        if pod.name not in self.texts:
            raise errors.NotFound("it is gone")
        for line in self.texts[pod.name]:
            yield line

    async def settle(self) -> None:
        for queue, step in self._steps:
            while queue:
                await step(queue.pop(0))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite:///{tmp_path / 'pipelines.db'}")
    yield opened
    await opened.close()


def kept_logs(world: World, database: Database) -> WorkflowLogs:
    async def opened() -> Database:
        return database

    return WorkflowLogs(cast("Runtime", world), cast("Store[Object]", world), opened)


def a_pod(name: str, phase: str) -> Pod:
    return Pod(metadata=ObjectMeta(name=name, namespace="ml"), status=PodStatus(phase=phase))


async def test_the_log_of_a_pod_is_kept_once_when_it_has_ended(database: Database) -> None:
    world = World()
    logs = kept_logs(world, database)
    for _ in range(2):
        logs.ended(WORKFLOW, [a_pod("a", "Succeeded"), a_pod("b", "Running")])
        await world.settle()

    assert await database.workflow_log("u1", "a") == b"one\ntwo\n"
    assert (world.read, await database.logged_pods("u1")) == (["a"], ["a"])
    await kept_logs(world, database).keep(WORKFLOW, Key("ml", "a"))
    assert world.read == ["a"], "a restart copies it again"


async def test_a_log_is_kept_before_its_pod_is_deleted(database: Database) -> None:
    world = World()
    logs = kept_logs(world, database)

    await logs.keep(WORKFLOW, Key("ml", "a"))
    await logs.keep(WORKFLOW, Key("ml", "never-started"))

    assert await database.logged_pods("u1") == ["a"]


async def test_logs_of_runs_are_left_to_the_run(database: Database) -> None:
    world = World()
    logs = kept_logs(world, database)
    logs.ended(RUN, [a_pod("a", "Failed")])
    await logs.keep(RUN, Key("ml", "a"))
    await world.settle()

    assert world.read == []


async def test_logs_go_with_their_workflow(database: Database) -> None:
    world = World()
    await kept_logs(world, database).keep(WORKFLOW, Key("ml", "a"))
    assert world.subscriber is not None
    world.subscriber.deleted(WORKFLOW)
    await world.settle()

    assert await database.logged_pods("u1") == []


async def test_logs_of_workflows_that_were_deleted_meanwhile_go_after_a_restart(database: Database) -> None:
    await database.save_workflow_log("gone", "p", b"x", 1.0)
    await database.save_workflow_log("u1", "b", b"x", 1.0)

    await kept_logs(World(), database).keep(WORKFLOW, Key("ml", "a"))

    assert await database.logged_workflows() == ["u1"]


async def test_old_logs_expire(database: Database) -> None:
    await database.save_workflow_log("u1", "old", b"x", 1.0)
    await database.save_workflow_log("u1", "new", b"x", 3.0)

    await database.expire_workflow_logs(2.0)

    assert await database.logged_pods("u1") == ["new"]
