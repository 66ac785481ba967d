"""The events of a pod, with kubelet's messages.

`decide` records Killing, BackOff, `Failed` for a container that cannot start yet, SandboxChanged, DeadlineExceeded,
Evicted and a rejected admission. The agent records what it does with the functions here: Pulling, Pulled, the failed
pull, Created, Started, FailedMount, FailedCreatePodSandBox, Unhealthy, FailedPostStartHook, FailedPreStopHook.
"""

from windlass.node.lifecycle.decision import EventRecord
from windlass.node.lifecycle.times import format_duration


def pulling(image: str, where: str) -> EventRecord:
    return EventRecord("Pulling", f'Pulling image "{image}"', field_path=where)


def pulled(image: str, took: float, size: int, where: str) -> EventRecord:
    seconds = f"{took:.3f}s" if took >= 1 else f"{took * 1000:.0f}ms"
    text = f'Successfully pulled image "{image}" in {seconds} ({seconds} including waiting). Image size: {size} bytes.'
    return EventRecord("Pulled", text, field_path=where)


def present(image: str, where: str) -> EventRecord:
    text = f'Container image "{image}" already present on machine and can be accessed by the pod'
    return EventRecord("Pulled", text, field_path=where)


def pull_failed(image: str, message: str, where: str) -> EventRecord:
    return EventRecord("Failed", f'Failed to pull image "{image}": {message}', warning=True, field_path=where)


def created(where: str) -> EventRecord:
    return EventRecord("Created", "Container created", field_path=where)


def started(where: str) -> EventRecord:
    return EventRecord("Started", "Container started", field_path=where)


def start_failed(message: str, where: str) -> EventRecord:
    return EventRecord("Failed", f"Error: {message}", warning=True, field_path=where)


def mount_failed(message: str) -> EventRecord:
    return EventRecord("FailedMount", message, warning=True)


def sandbox_failed(message: str) -> EventRecord:
    return EventRecord("FailedCreatePodSandBox", f"Failed to create pod sandbox: {message}", warning=True)


def unhealthy(probe: str, message: str, where: str) -> EventRecord:
    """Return the event of a failed probe.

    `probe` is Liveness, Readiness or Startup; `message` begins with the result: "failed: …".
    """
    return EventRecord("Unhealthy", f"{probe} probe {message}", warning=True, field_path=where)


def post_start_failed(where: str) -> EventRecord:
    return EventRecord("FailedPostStartHook", "PostStartHook failed", warning=True, field_path=where)


def pre_stop_failed(where: str) -> EventRecord:
    return EventRecord("FailedPreStopHook", "PreStopHook failed", warning=True, field_path=where)


def killing(message: str, where: str) -> EventRecord:
    return EventRecord("Killing", message, field_path=where)


def crash_back_off(container: str, pod: str, where: str) -> EventRecord:
    text = f"Back-off restarting failed container {container} in pod {pod}"
    return EventRecord("BackOff", text, warning=True, field_path=where)


def pull_back_off(image: str, where: str) -> EventRecord:
    return EventRecord("BackOff", f'Back-off pulling image "{image}"', field_path=where)


def crash_message(seconds: float, container: str, pod: str) -> str:
    return f"back-off {format_duration(seconds)} restarting failed container={container} pod={pod}"


SANDBOX_CHANGED = EventRecord("SandboxChanged", "Pod sandbox changed, it will be killed and re-created.")
