"""Performs the probes of one run of a container at their times. Containers without probes need no prober."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from windlass.kube.json import Object
from windlass.node.lifecycle.observed import ProbeResults
from windlass.node.probes.checks import ProbeError, ProbeTarget, check
from windlass.node.probes.threshold import Tally, count

KINDS = (("startupProbe", "Startup"), ("readinessProbe", "Readiness"), ("livenessProbe", "Liveness"))
FIELDS = {"startupProbe": "started", "readinessProbe": "ready", "livenessProbe": "live"}
Changed: TypeAlias = Callable[[ProbeResults], None]
Failed: TypeAlias = Callable[[str, str], None]
"""Called with each failed check, for the event Unhealthy: the probe ("Liveness") and its message ("failed: …")."""


def has_probes(container: Object) -> bool:
    return any(container.get(kind) for kind, _ in KINDS)


class Prober:
    """`run` continues until cancelled, or until no probe is left. `results` is what is known."""

    def __init__(
        self, container: Object, attempt: int, age: float, target: ProbeTarget, changed: Changed, failed: Failed
    ) -> None:
        """`age` is for how many seconds the container has been running."""
        self.probe_results = ProbeResults(attempt)
        self._container, self._age, self._target = container, age, target
        self._changed, self._failed = changed, failed

    async def run(self) -> None:
        begun = asyncio.get_running_loop().time() - self._age
        if self._container.get("startupProbe"):
            await self._ask("startupProbe", "Startup", begun)
            if not self.probe_results.started:
                return
        async with asyncio.TaskGroup() as group:
            for kind, word in KINDS[1:]:
                if self._container.get(kind):
                    group.create_task(self._ask(kind, word, begun))

    async def _ask(self, kind: str, word: str, begun: float) -> None:
        """Probe repeatedly: startup until a result, liveness until a failure, readiness without end."""
        probe: Object = self._container[kind]
        loop, tally = asyncio.get_running_loop(), Tally()
        due = max(begun + float(probe.get("initialDelaySeconds") or 0), loop.time())
        while True:
            await asyncio.sleep(due - loop.time())
            answer = await self._answer(probe, word)
            if answer is not None:
                tally = count(
                    tally,
                    answer,
                    successes=int(probe.get("successThreshold") or 1),
                    failures=int(probe.get("failureThreshold") or 3),
                )
            self._set_result(FIELDS[kind], tally.verdict)
            if (kind == "startupProbe" and tally.verdict is not None) or (
                kind == "livenessProbe" and tally.verdict is False
            ):
                return
            due = max(due + float(probe.get("periodSeconds") or 10), loop.time())

    async def _answer(self, probe: Object, word: str) -> bool | None:
        """Perform one check; None if it could not be performed, and the previous answer stands."""
        try:
            message = await check(probe, self._target)
        except ProbeError as error:
            self._failed(word, f"errored and resulted in unknown state: {error}")
            return None
        if message is not None:
            self._failed(word, f"failed: {message}")
        return message is None

    def _set_result(self, field: str, verdict: bool | None) -> None:
        new = msgspec.structs.replace(self.probe_results, **{field: verdict})
        if new != self.probe_results:
            self.probe_results = new
            self._changed(new)
