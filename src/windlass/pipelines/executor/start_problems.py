"""Why containers of tasks do not start, and for how long that may be so before the task has failed."""

from collections.abc import Mapping

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
