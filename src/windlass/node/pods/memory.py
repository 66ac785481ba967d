"""What a pod's worker knows in this life of the agent, and would find out again in the next."""

import time
from dataclasses import dataclass, field

from windlass.node.images.image import Image
from windlass.node.lifecycle.observed import HookState, ImageRef, Trouble
from windlass.node.probes.prober import Prober
from windlass.node.volumes.base import Prepared


@dataclass
class Memory:
    """Dictionaries are by container name."""

    began: float = field(default_factory=time.monotonic)
    prepared: bool = False
    trouble: Trouble | None = None
    address: str = ""
    volumes: dict[str, Prepared] = field(default_factory=dict[str, Prepared])
    images: dict[str, ImageRef] = field(default_factory=dict[str, ImageRef])
    found_images: dict[str, Image] = field(default_factory=dict[str, Image])
    pull_troubles: dict[str, Trouble] = field(default_factory=dict[str, Trouble])
    config_troubles: dict[str, Trouble] = field(default_factory=dict[str, Trouble])
    hooks: dict[str, HookState] = field(default_factory=dict[str, HookState])
    probers: dict[str, Prober] = field(default_factory=dict[str, Prober])


def again(
    before: Trouble | None, reason: str, message: str, *, first: float = 1.0, longest: float = 120.0, about: str = ""
) -> Trouble:
    """The same trouble once more: to be tried again after a pause that doubles."""
    same = before is not None and (before.reason, before.about) == (reason, about)
    times = before.times + 1 if before is not None and same else 1
    return Trouble(reason, message, times, time.time() + min(first * 2 ** (times - 1), longest), about)
