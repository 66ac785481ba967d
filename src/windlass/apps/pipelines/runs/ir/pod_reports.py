"""What the status of a task's pod says about the task. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.artifacts.transfer_containers import PUBLISH
from windlass.apps.pipelines.executor.start_problems import GRACE_SECONDS, reason_to_wait
from windlass.apps.pipelines.names import MAIN
from windlass.kube.json import Object, dig_object
from windlass.kube.last_line import last_line

DEADLINE_SLACK_SECONDS = 10.0
"""How long the node may take to end a pod after its deadline."""
DEADLINE_EXCEEDED = "DeadlineExceeded: Pod was active on the node longer than the specified deadline"
BEFORE_START = "The pod failed before its container ran"

Stage: TypeAlias = Literal["waiting", "running", "succeeded", "failed"]


@dataclass(frozen=True, slots=True)
class PodReport:
    stage: Stage
    message: str = ""
    exit_code: int | None = None
    """Of a container that ran and failed."""
    check_again_in: float | None = None
    """Seconds until a pod that cannot start counts as failed."""


def report(pod: Pod, now: float) -> PodReport:
    main = next((one for one in pod.status.container_statuses if one.name == MAIN), None)
    state = main.state if main is not None else {}
    if pod.status.phase == "Succeeded":
        return PodReport("succeeded")
    if pod.status.phase == "Failed":
        return _failure(pod, dig_object(state, "terminated"))
    if "terminated" in state or "running" in state:  # after its container has ended, the pod's phase follows
        return _running(pod, now)
    return _waiting(pod, _reason_to_wait(pod, dig_object(state, "waiting")), now)


def _running(pod: Pod, now: float) -> PodReport:
    """A pod that runs. Where a sidecar publishes, the grace period is long, and a main container that ignores SIGTERM,
    as the first process of a container does by default, would outlive its deadline by it."""
    deadline, started = pod.spec.active_deadline_seconds, pod.status.start_time
    publishes = any(container.name == PUBLISH for container in pod.spec.init_containers)
    if not publishes or not deadline or started is None:
        return PodReport("running")
    left = datetime.fromisoformat(started).timestamp() + deadline + DEADLINE_SLACK_SECONDS - now
    return PodReport("running", check_again_in=left) if left > 0 else PodReport("failed", DEADLINE_EXCEEDED)


def _reason_to_wait(pod: Pod, main: Object) -> Object:
    """Why the main container does not start: an init container that cannot start comes first."""
    states = (dig_object(status.state, "waiting") for status in pod.status.init_container_statuses)
    return next((state for state in states if state.get("reason") in GRACE_SECONDS), main)


def _failure(pod: Pod, ended: Object) -> PodReport:
    code = ended.get("exitCode")
    exit_code = code if isinstance(code, int) else None
    if pod.status.reason:  # such as DeadlineExceeded or Evicted: what ended the pod counts, not how its container ended
        return PodReport("failed", f"{pod.status.reason}: {pod.status.message or 'the pod failed'}", exit_code)
    if not ended:
        return PodReport("failed", _init_failure(pod) or pod.status.message or BEFORE_START)
    reason = str(ended.get("reason", ""))
    words = f"The container was ended ({reason})" if reason not in ("", "Error") else "The container failed"
    detail = last_line(str(ended.get("message") or ""))
    return PodReport("failed", f"{words} with exit code {code}" + (f": {detail}" if detail else ""), exit_code)


def _init_failure(pod: Pod) -> str:
    """What the first init container that failed said; empty if none has."""
    for status in pod.status.init_container_statuses:
        ended = dig_object(status.state, "terminated")
        if ended.get("exitCode"):
            detail = last_line(str(ended.get("message") or ""))
            return detail or f"The init container {status.name} failed with exit code {ended['exitCode']}"
    return ""


def _waiting(pod: Pod, waiting: Object, now: float) -> PodReport:
    reason, created = str(waiting.get("reason", "")), pod.metadata.creation_timestamp
    if reason not in GRACE_SECONDS or created is None:
        return PodReport("waiting", reason_to_wait(pod))
    left = GRACE_SECONDS[reason] - (now - datetime.fromisoformat(created).timestamp())
    message = f"{reason}: {waiting.get('message', '')}"
    return PodReport("waiting", message, check_again_in=left) if left > 0 else PodReport("failed", message)
