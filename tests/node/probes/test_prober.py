"""A container's probes over its life: when they ask, what their answers add up to, and when they stop."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from tests.node.probes.servers import target
from windlass.kube.json import Object
from windlass.node.lifecycle.observed import ProbeResults
from windlass.node.probes.prober import Prober, has_probes

PERIOD = 0.01


class Container:
    """Answers each probe's command as the test says: True, False, or an OSError where it cannot be run."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: dict[str, int] = {}
        self.changes: list[ProbeResults] = []
        self.complaints: list[tuple[str, str]] = []
        self._something = asyncio.Event()

    async def run(self, command: list[str]) -> tuple[int, bytes]:
        kind = command[0]
        self.asked[kind] = self.asked.get(kind, 0) + 1
        self._something.set()
        answer = self.answers.get(kind, True)
        if isinstance(answer, OSError):
            raise answer
        return (0, b"") if answer else (1, b"not well")

    def changed(self, probe_results: ProbeResults) -> None:
        self.changes.append(probe_results)

    def failed(self, probe: str, message: str) -> None:
        self.complaints.append((probe, message))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                self._something.clear()
                await self._something.wait()

    @contextlib.asynccontextmanager
    async def probed(self, *, age: float = 0.0, attempt: int = 0, **probes: Object) -> AsyncIterator[Prober]:
        defaults = {
            kind: {"exec": {"command": [kind]}, "periodSeconds": PERIOD} | more for kind, more in probes.items()
        }
        prober = Prober({"name": "main", **defaults}, attempt, age, target(self.run), self.changed, self.failed)
        task = asyncio.create_task(prober.run())
        task.add_done_callback(lambda _: self._something.set())
        self.is_over = task.done
        try:
            yield prober
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if not task.cancelled():
                task.result()


def test_only_a_container_with_a_probe_needs_a_prober() -> None:
    assert not has_probes({"name": "main"})
    assert not has_probes({"name": "main", "livenessProbe": None})
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert has_probes({"name": "main", kind: {"tcpSocket": {"port": 1}}})


async def test_a_readiness_probe_goes_on_and_each_change_is_reported_once() -> None:
    container = Container()
    async with container.probed(readinessProbe={"failureThreshold": 2}, attempt=4) as prober:
        assert prober.probe_results == ProbeResults(4)
        await container.until(lambda: container.asked.get("readinessProbe", 0) >= 3)
        container.answers["readinessProbe"] = False
        await container.until(lambda: prober.probe_results.ready is False)
        asked = container.asked["readinessProbe"]
        await container.until(lambda: container.asked["readinessProbe"] > asked)
        container.answers["readinessProbe"] = True
        await container.until(lambda: prober.probe_results.ready is True)

    assert container.changes == [ProbeResults(4, ready=True), ProbeResults(4, ready=False), ProbeResults(4, ready=True)]
    assert len(container.complaints) >= 2
    assert set(container.complaints) == {("Readiness", "failed: not well")}


async def test_a_liveness_probe_that_has_failed_often_enough_asks_no_more() -> None:
    container = Container()
    container.answers["livenessProbe"] = False
    async with container.probed(livenessProbe={}) as prober:
        await container.until(lambda: container.is_over())

    assert prober.probe_results == ProbeResults(0, live=False)
    assert container.asked == {"livenessProbe": 3}
    assert container.complaints == [("Liveness", "failed: not well")] * 3


async def test_nothing_else_is_asked_before_the_startup_probe_has_succeeded() -> None:
    container = Container()
    container.answers["startupProbe"] = False
    probes: Any = {"startupProbe": {"failureThreshold": 1000}, "livenessProbe": {}, "readinessProbe": {}}
    async with container.probed(**probes) as prober:
        await container.until(lambda: container.asked.get("startupProbe", 0) >= 5)
        assert list(container.asked) == ["startupProbe"]
        container.answers["startupProbe"] = True
        await container.until(lambda: prober.probe_results == ProbeResults(0, started=True, ready=True, live=True))
        asked = container.asked["startupProbe"]
        await container.until(lambda: container.asked["livenessProbe"] >= 3)

    assert container.asked["startupProbe"] == asked


async def test_a_startup_probe_that_fails_for_good_ends_all_probing() -> None:
    container = Container()
    container.answers["startupProbe"] = False
    async with container.probed(startupProbe={"failureThreshold": 2}, livenessProbe={}) as prober:
        await container.until(lambda: container.is_over())

    assert prober.probe_results == ProbeResults(0, started=False)
    assert container.asked == {"startupProbe": 2}


async def test_a_question_that_cannot_be_put_is_reported_and_does_not_count() -> None:
    container = Container()
    container.answers["livenessProbe"] = OSError("no such container")
    async with container.probed(livenessProbe={"failureThreshold": 2}) as prober:
        await container.until(lambda: container.asked.get("livenessProbe", 0) >= 5)
        assert prober.probe_results == ProbeResults(0)
        container.answers["livenessProbe"] = False
        await container.until(lambda: container.is_over())

    assert prober.probe_results.live is False
    assert container.complaints[0] == ("Liveness", "errored and resulted in unknown state: no such container")
    assert container.complaints[-2:] == [("Liveness", "failed: not well")] * 2


async def test_the_initial_delay_counts_from_the_start_of_the_container() -> None:
    for delay, age, least in ((0.2, 0.0, 0.2), (60.2, 60.0, 0.2), (3600, 3600, 0.0), (3600, 9999, 0.0)):
        container, begun = Container(), time.monotonic()
        async with container.probed(livenessProbe={"initialDelaySeconds": delay}, age=age):
            await container.until(lambda container=container: bool(container.asked))
            assert time.monotonic() - begun >= least - 0.01, age

    container = Container()
    async with container.probed(livenessProbe={"initialDelaySeconds": 3600}, readinessProbe={}):
        await container.until(lambda: container.asked.get("readinessProbe", 0) >= 3)
        assert "livenessProbe" not in container.asked


async def test_a_period_is_kept_from_question_to_question() -> None:
    container, begun = Container(), time.monotonic()
    async with container.probed(livenessProbe={"periodSeconds": 0.05}):
        await container.until(lambda: container.asked.get("livenessProbe", 0) >= 4)

    assert time.monotonic() - begun >= 0.14


async def test_an_answer_that_takes_longer_than_the_period_does_not_pile_up_questions() -> None:
    container, at_once = Container(), 0
    busy = asyncio.Semaphore(1)
    answer = container.run

    async def slow(command: list[str]) -> tuple[int, bytes]:
        nonlocal at_once
        assert not busy.locked()
        async with busy:
            await asyncio.sleep(PERIOD * 3)
            at_once += 1
        return await answer(command)

    container.run = slow  # type: ignore[method-assign]
    async with container.probed(readinessProbe={}):
        await container.until(lambda: at_once >= 4)
