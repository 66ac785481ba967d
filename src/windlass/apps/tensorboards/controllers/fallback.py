"""Which image shows a board: TensorBoard, or the built-in viewer of scalars where TensorBoard cannot be had."""

from collections.abc import Iterable
from typing import Any

from windlass.apis.apps_v1 import Deployment
from windlass.apis.core_v1 import Pod
from windlass.apis.images import EMBEDDED_TENSORBOARD, FALLBACK_TENSORBOARD
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.logspath import ClaimPath, logs_of
from windlass.apps.tensorboards.names import CONTAINER
from windlass.apps.tensorboards.options import Options
from windlass.controllers.waiting_containers import PULLING
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list


def image_of(options: Options, board: Tensorboard, own: Deployment | None, pods: Iterable[Pod]) -> str:
    """The configured image, or the viewer if that is the embedded one and a pod of these logs could not get it.

    The viewer stays once it was chosen: returning to an image that could not be had would leave the board without a
    pod that serves. Another `logspath` tries TensorBoard again. The viewer reads volumes only, no object stores.
    """
    logs = logs_of(board.spec.logspath)
    if options.image != EMBEDDED_TENSORBOARD or not isinstance(logs, ClaimPath) or own is None:
        return options.image
    if _shown_logs(own.spec.template) != (logs.claim, logs.sub_path, logs.mount_path):
        return options.image
    if _image(own.spec.template) == FALLBACK_TENSORBOARD or any(_cannot_pull(pod) for pod in pods):
        return FALLBACK_TENSORBOARD
    return options.image


def _shown_logs(template: Json) -> tuple[Any, Any, Any]:
    claims = [dig(volume, "persistentVolumeClaim", "claimName") for volume in dig_list(template, "spec", "volumes")]
    mounts = [
        mount for container in dig_list(template, "spec", "containers") for mount in dig_list(container, "volumeMounts")
    ]
    mount = next(iter(mounts), {})
    return next(iter(claims), ""), mount.get("subPath", ""), mount.get("mountPath", "")


def _image(template: Json) -> Any:
    return next((container.get("image") for container in dig_list(template, "spec", "containers")), None)


def _cannot_pull(pod: Pod) -> bool:
    return any(
        status.name == CONTAINER and dig(status.state, "waiting", "reason") in PULLING
        for status in pod.status.container_statuses
    )
