"""The state of a pod's worker, which is rebuilt when the agent restarts."""

import time
from dataclasses import dataclass, field

from windlass.node.images.image import Image
from windlass.node.lifecycle.observed import Failure, HookState, ImageRef
from windlass.node.probes.prober import Prober
from windlass.node.volumes.base import Prepared


@dataclass
class WorkerState:
    """Dictionaries are keyed by container name."""

    began: float = field(default_factory=time.monotonic)
    prepared: bool = False
    failure: Failure | None = None
    address: str = ""
    volumes: dict[str, Prepared] = field(default_factory=dict[str, Prepared])
    images: dict[str, ImageRef] = field(default_factory=dict[str, ImageRef])
    found_images: dict[str, Image] = field(default_factory=dict[str, Image])
    pull_failures: dict[str, Failure] = field(default_factory=dict[str, Failure])
    config_failures: dict[str, Failure] = field(default_factory=dict[str, Failure])
    hooks: dict[str, HookState] = field(default_factory=dict[str, HookState])
    probers: dict[str, Prober] = field(default_factory=dict[str, Prober])


def next_failure(
    previous: Failure | None,
    reason: str,
    message: str,
    *,
    first_delay: float = 1.0,
    max_delay: float = 120.0,
    image: str = "",
) -> Failure:
    """Count another failure of the same operation; its retry delay doubles each time."""
    same = previous is not None and (previous.reason, previous.image) == (reason, image)
    times = previous.times + 1 if previous is not None and same else 1
    return Failure(reason, message, times, time.time() + min(first_delay * 2 ** (times - 1), max_delay), image)
