"""Why a container of a pod does not start, as its status says it."""

from windlass.apis.core_v1 import ContainerStatus, Pod
from windlass.apis.reasons import PodWait
from windlass.kube.json import dig_object

STARTING = ("", "ContainerCreating", "PodInitializing")
PULLING = ("ImagePullBackOff", "ErrImagePull")
EXPLAINED = ("CreateContainerConfigError", "CreateContainerError", "ImageVolumeMountFailed", "InvalidImageName")
"""Whose message does not change from one attempt to the next, so that a job may repeat it."""


def waiting_container(pod: Pod) -> PodWait | None:
    """The first container that cannot start; None where none waits for anything but to be started."""
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        waiting = dig_object(status.state, "waiting")
        reason = str(waiting.get("reason") or "")
        if reason not in STARTING:
            return _wait(pod.metadata.name, status, reason, str(waiting.get("message") or ""))
    return None


def _wait(pod: str, status: ContainerStatus, reason: str, message: str) -> PodWait:
    where = f"container {status.name}"
    if reason in PULLING:  # the two take turns; reporting each would be a write every few seconds
        return PodWait(pod, "ImagePullBackOff", f"{where}, image {status.image}")
    return PodWait(pod, reason, f"{where}: {message}" if message and reason in EXPLAINED else where)
