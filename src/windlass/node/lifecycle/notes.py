"""The events of a pod's life, as kubelet words them.

`decide` tells: Killing, BackOff, `Failed` for a container that cannot be started yet, SandboxChanged, DeadlineExceeded,
Evicted and a refused admission. The agent tells what it does and meets, with the functions here: Pulling, Pulled, the
failed pull, Created, Started, FailedMount, FailedCreatePodSandBox, Unhealthy, FailedPostStartHook, FailedPreStopHook.
"""

from windlass.node.lifecycle.decision import Note
from windlass.node.lifecycle.moments import duration


def pulling(image: str, where: str) -> Note:
    return Note("Pulling", f'Pulling image "{image}"', field_path=where)


def pulled(image: str, took: float, size: int, where: str) -> Note:
    seconds = f"{took:.3f}s" if took >= 1 else f"{took * 1000:.0f}ms"
    text = f'Successfully pulled image "{image}" in {seconds} ({seconds} including waiting). Image size: {size} bytes.'
    return Note("Pulled", text, field_path=where)


def present(image: str, where: str) -> Note:
    text = f'Container image "{image}" already present on machine and can be accessed by the pod'
    return Note("Pulled", text, field_path=where)


def pull_failed(image: str, message: str, where: str) -> Note:
    return Note("Failed", f'Failed to pull image "{image}": {message}', warning=True, field_path=where)


def created(where: str) -> Note:
    return Note("Created", "Container created", field_path=where)


def started(where: str) -> Note:
    return Note("Started", "Container started", field_path=where)


def start_failed(message: str, where: str) -> Note:
    return Note("Failed", f"Error: {message}", warning=True, field_path=where)


def mount_failed(message: str) -> Note:
    return Note("FailedMount", message, warning=True)


def sandbox_failed(message: str) -> Note:
    return Note("FailedCreatePodSandBox", f"Failed to create pod sandbox: {message}", warning=True)


def unhealthy(probe: str, message: str, where: str) -> Note:
    """`probe` is Liveness, Readiness or Startup; `message` says what became of it: "failed: …"."""
    return Note("Unhealthy", f"{probe} probe {message}", warning=True, field_path=where)


def post_start_failed(where: str) -> Note:
    return Note("FailedPostStartHook", "PostStartHook failed", warning=True, field_path=where)


def pre_stop_failed(where: str) -> Note:
    return Note("FailedPreStopHook", "PreStopHook failed", warning=True, field_path=where)


def killing(message: str, where: str) -> Note:
    return Note("Killing", message, field_path=where)


def crash_back_off(container: str, pod: str, where: str) -> Note:
    text = f"Back-off restarting failed container {container} in pod {pod}"
    return Note("BackOff", text, warning=True, field_path=where)


def pull_back_off(image: str, where: str) -> Note:
    return Note("BackOff", f'Back-off pulling image "{image}"', field_path=where)


def crash_message(seconds: float, container: str, pod: str) -> str:
    return f"back-off {duration(seconds)} restarting failed container={container} pod={pod}"


SANDBOX_CHANGED = Note("SandboxChanged", "Pod sandbox changed, it will be killed and re-created.")
