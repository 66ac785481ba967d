"""Why a container of a pod does not start, as its status says it."""

from windlass.apis.core_v1 import ContainerStatus, Pod
from windlass.kube.json import dig_object

STARTING = ("", "ContainerCreating", "PodInitializing")
PULLING = ("ImagePullBackOff", "ErrImagePull")
EXPLAINED = ("CreateContainerConfigError", "CreateContainerError", "InvalidImageName")
"""Whose message does not change from one attempt to the next, so that a job may repeat it."""


def waiting_container(pod: Pod) -> str:
    """The reason, a colon and which container it is; empty where none waits for anything but to be started."""
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        waiting = dig_object(status.state, "waiting")
        reason = str(waiting.get("reason") or "")
        if reason not in STARTING:
            return _worded(status, reason, str(waiting.get("message") or ""))
    return ""


def _worded(status: ContainerStatus, reason: str, message: str) -> str:
    if reason in PULLING:  # the two take turns; saying each would be a write every few seconds
        return f"ImagePullBackOff: container {status.name}, image {status.image}"
    where = f"{reason}: container {status.name}"
    return f"{where}: {message}" if message and reason in EXPLAINED else where
