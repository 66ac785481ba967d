"""Asks a running container's probes at their times, for one run. One without probes needs no prober."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from windlass.kube.json import Object
from windlass.node.lifecycle.observed import Verdicts
from windlass.node.probes.checks import Errored, Reach, check
from windlass.node.probes.threshold import Tally, count

KINDS = (("startupProbe", "Startup"), ("readinessProbe", "Readiness"), ("livenessProbe", "Liveness"))
FIELDS = {"startupProbe": "started", "readinessProbe": "ready", "livenessProbe": "live"}
Changed: TypeAlias = Callable[[Verdicts], None]
Failed: TypeAlias = Callable[[str, str], None]
"""Which probe ("Liveness") did not go well and how ("failed: …"): each time, for the event Unhealthy."""


def has_probes(container: Object) -> bool:
    return any(container.get(kind) for kind, _ in KINDS)


class Prober:
    """`run` goes on until it is cancelled, or there is nothing more to ask. `verdicts` is what is known."""

    def __init__(
        self, container: Object, attempt: int, age: float, reach: Reach, changed: Changed, failed: Failed
    ) -> None:
        """`age` is for how many seconds the container has been running already."""
        self.verdicts = Verdicts(attempt)
        self._container, self._age, self._reach = container, age, reach
        self._changed, self._failed = changed, failed

    async def run(self) -> None:
        begun = asyncio.get_running_loop().time() - self._age
        if self._container.get("startupProbe"):
            await self._ask("startupProbe", "Startup", begun)
            if not self.verdicts.started:
                return
        async with asyncio.TaskGroup() as group:
            for kind, word in KINDS[1:]:
                if self._container.get(kind):
                    group.create_task(self._ask(kind, word, begun))

    async def _ask(self, kind: str, word: str, begun: float) -> None:
        """A startup probe is over with its verdict, a liveness probe when it is negative; a readiness probe never."""
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
            self._tell(FIELDS[kind], tally.verdict)
            if (kind == "startupProbe" and tally.verdict is not None) or (
                kind == "livenessProbe" and tally.verdict is False
            ):
                return
            due = max(due + float(probe.get("periodSeconds") or 10), loop.time())

    async def _answer(self, probe: Object, word: str) -> bool | None:
        """None: the question could not be put, and the answer before it stands."""
        try:
            message = await check(probe, self._reach)
        except Errored as error:
            self._failed(word, f"errored and resulted in unknown state: {error}")
            return None
        if message is not None:
            self._failed(word, f"failed: {message}")
        return message is None

    def _tell(self, field: str, verdict: bool | None) -> None:
        new = msgspec.structs.replace(self.verdicts, **{field: verdict})
        if new != self.verdicts:
            self.verdicts = new
            self._changed(new)
