"""Why containers of tasks do not start, and for how long that may be so before the task has failed."""

from collections.abc import Mapping

from windlass.apis.core_v1 import Pod
from windlass.kube.json import dig

IMAGE_GRACE_SECONDS = 10.0
"""How long an image may be impossible to pull before the task fails: an index of packages may be busy."""
CONFIG_GRACE_SECONDS = 60.0
"""How long a Secret or ConfigMap that a container needs may be missing."""
GRACE_SECONDS: Mapping[str, float] = {
    "InvalidImageName": 0.0,
    "ErrImageNeverPull": 0.0,
    "ImageVolumeMountFailed": 0.0,
    "ErrImagePull": IMAGE_GRACE_SECONDS,
    "ImagePullBackOff": IMAGE_GRACE_SECONDS,
    "CreateContainerError": IMAGE_GRACE_SECONDS,
    "CreateContainerConfigError": CONFIG_GRACE_SECONDS,
}
"""Reasons for which a container does not start, and after how many seconds they fail the task."""
STARTING = ("PodInitializing", "ContainerCreating")
"""Reasons that every pod has for a moment."""


def reason_to_wait(pod: Pod) -> str:
    """Why a pod does not run yet: a container that cannot start, or why it has no node; empty if nothing is known."""
    for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        reason, message = dig(status.state, "waiting", "reason"), dig(status.state, "waiting", "message")
        if reason and reason not in STARTING:
            return f"{reason}: {message}" if message else str(reason)
        if reason and message:
            return str(message)
    if pod.status.phase == "Pending":
        for condition in pod.status.conditions:
            if condition.type == "PodScheduled" and condition.status == "False":
                return f"{condition.reason}: {condition.message}" if condition.message else condition.reason
    return ""
