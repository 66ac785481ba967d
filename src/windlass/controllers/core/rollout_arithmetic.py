"""How many pods a Deployment may have too many and too few while it rolls: maxSurge and maxUnavailable as numbers."""

import math
from typing import Any

from windlass.apis.apps_v1 import Deployment

ROLLING = "RollingUpdate"


def replicas_of(deployment: Deployment) -> int:
    return 1 if deployment.spec.replicas is None else deployment.spec.replicas


def is_rolling(deployment: Deployment) -> bool:
    return deployment.spec.strategy.get("type", ROLLING) == ROLLING


def scaled(value: Any, total: int, *, up: bool) -> int:
    """A number, or a percentage of `total`, rounded up or down."""
    if isinstance(value, str):
        exact = int(value.removesuffix("%")) * total
        return -(-exact // 100) if up else exact // 100
    return int(value or 0)


def surge(deployment: Deployment) -> int:
    """maxSurge as it is written, without regard to maxUnavailable."""
    rolling: dict[str, Any] = deployment.spec.strategy.get("rollingUpdate") or {}
    return scaled(rolling.get("maxSurge", "25%"), replicas_of(deployment), up=True)


def max_surge(deployment: Deployment) -> int:
    return surge(deployment) if is_rolling(deployment) else 0


def max_unavailable(deployment: Deployment) -> int:
    """Where both limits come to nothing, one pod may be missing: else nothing could ever be rolled."""
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or replicas == 0:
        return 0
    rolling: dict[str, Any] = deployment.spec.strategy.get("rollingUpdate") or {}
    missing = scaled(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    if missing == 0 and surge(deployment) == 0:
        missing = 1
    return min(missing, replicas)


def min_available(deployment: Deployment) -> int:
    return replicas_of(deployment) - max_unavailable(deployment)


def rounded(number: float) -> int:
    """Half away from zero, as Kubernetes rounds."""
    return math.ceil(number - 0.5) if number < 0 else math.floor(number + 0.5)
