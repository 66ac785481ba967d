"""Events about a pull that takes long."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from windlass.node.lifecycle.decision import EventRecord

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker

INTERVAL_SECONDS = 5.0


def pull_progress(worker: "Worker", image: str, where: str = "") -> Callable[[str], None]:
    """Return a function that takes lines about a pull, and records one of them as an event every few seconds."""
    reported_at = time.monotonic()

    def report(line: str) -> None:
        nonlocal reported_at
        if time.monotonic() - reported_at >= INTERVAL_SECONDS:
            reported_at = time.monotonic()
            text = f'Pulling image "{image}": {line}'
            worker.context.record_event(worker.pod, EventRecord("Pulling", text, field_path=where))

    return report
